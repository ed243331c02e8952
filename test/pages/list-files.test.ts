/** Lists as files: all that the query of a page finds, in JSON as the admin API has it and in CSV, for who may read the list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listed } from '../../console/pages/listed-pages.ts';
import type { RunningConsole } from '../helpers/console.ts';
import { callApi, personWith, startWithAdmin } from '../helpers/management.ts';
import { createUserAgent, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
const many = 620;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin({ env: { CONSOLE_API_CHANGE_RATE: '0' } }));
  const add = (n: number) =>
    callApi(console, 'POST', '/clients', { id: `many-${String(n).padStart(3, '0')}`, scopes: [] });
  for (let n = 0; n < many; n += 20) await Promise.all(Array.from({ length: 20 }, (_, m) => add(n + m)));
  await callApi(console, 'POST', '/clients', {
    id: 'formula',
    displayName: '=HYPERLINK("http://evil.example";"x")',
    scopes: [],
  });
  await callApi(console, 'POST', '/applications', {
    id: 'wiki.json',
    redirectUris: ['https://wiki.example.com/callback'],
  });
}, 120_000);
afterAll(() => console?.stop());

const idsIn = (csv: string) =>
  csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0]);

describe('a list', () => {
  test.each(Object.entries(listed).map(([name, { href, operation }]) => ({ name, href, operation })))(
    'of $name comes as JSON, and as CSV with a line for each thing, and its page leads there',
    async ({ href }) => {
      const page = await ada.get(href);
      const json = await ada.get(`${href}.json`);
      expect([json.status, json.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      const name = href.split('/').at(-1);
      expect(json.headers['content-disposition']).toMatch(
        new RegExp(`^attachment; filename="${name}-\\d{4}-\\d\\d-\\d\\d\\.json"$`),
      );
      expect(json.headers['x-content-type-options']).toBe('nosniff');
      const { items, next, count } = JSON.parse(json.body) as {
        readonly items: readonly object[];
        readonly next: unknown;
        readonly count: unknown;
      };
      expect([next, count]).toEqual([null, { value: items.length, isExact: true }]);
      const csv = await ada.get(`${href}.csv`);
      expect([csv.status, csv.headers['content-type']]).toEqual([
        200,
        'text/csv; charset=utf-8; header=present',
      ]);
      expect(csv.headers['content-disposition']).toContain('.csv"');
      expect(csv.body).toMatch(/^[\w.,]+\r\n/);
      if (items.length > 0) {
        expect(page.body).toContain(`href="${href}.json"`);
        expect(page.body).toContain(`href="${href}.csv"`);
      }
    },
  );

  test('comes whole, however many pages it has, and only what the filter of its page finds', async () => {
    const page = await ada.get('/access/clients?q=many-&limit=10');
    const link = /href="(\/access\/clients\.json\?[^"]*)"/.exec(page.body)![1]!.replaceAll('&amp;', '&');
    expect(link).toBe('/access/clients.json?q=many-');
    const { items } = JSON.parse((await ada.get(link)).body) as { items: { id: string; kind: string }[] };
    expect(items.length).toBe(many);
    expect(new Set(items.map(({ id }) => id)).size).toBe(many);
    const api = (await callApi(console, 'GET', '/clients?q=many-&limit=500&kind=machine')) as {
      items: object[];
    };
    expect(items.slice(0, 500)).toEqual(api.items);
    const csv = await ada.get('/access/clients.csv?q=many-');
    expect(idsIn(csv.body)).toEqual(items.map(({ id }) => id));
    // Where a page goes on is no matter to the file.
    const next = /href="\/access\/clients\?([^"]*cursor=[^"]*)"/
      .exec(page.body)![1]!
      .replaceAll('&amp;', '&');
    expect(idsIn((await ada.get(`/access/clients.csv?${next}`)).body).length).toBe(many);
  });

  test('shows no application among machine clients, and one called wiki.json has its page all the same', async () => {
    expect((await ada.get('/access/clients.json')).body).not.toContain('wiki.json');
    const page = await ada.get('/access/applications/wiki.json');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('has nothing in its CSV that a spreadsheet would calculate', async () => {
    const { body } = await ada.get('/access/clients.csv?q=formula');
    expect(body).toContain(`"'=HYPERLINK(""http://evil.example"";""x"")"`);
    expect(body).not.toMatch(/(^|,)"?=/m);
  });

  test('with a filter that the operation does not take is refused as the page is, and is no file', async () => {
    const refused = await ada.get('/access/users.csv?status=sleeping');
    const page = await ada.get('/access/users?status=sleeping');
    expect([refused.status, page.status]).toEqual([400, 400]);
    expect(refused.headers['content-disposition']).toBeUndefined();
    expect((await ada.get('/access/users.xml')).status).toBe(404);
    expect((await ada.get('/access/users.json?q=a&q=b')).status).toBe(400);
  });

  test('that nothing is in is a file that says so', async () => {
    const json = await ada.get('/access/users.json?q=nobody-of-this-name');
    expect(JSON.parse(json.body)).toEqual({ items: [], next: null, count: { value: 0, isExact: true } });
    const csv = await ada.get('/access/users.csv?q=nobody-of-this-name');
    expect(csv.body.split('\r\n').length).toBe(2);
  });
});

describe('the audit', () => {
  test('comes as lines that can be checked and as CSV, of the filter of its page', async () => {
    const page = await ada.get('/observe/audit?event=client.added');
    expect(page.body).toContain('href="/observe/audit.jsonl?event=client.added"');
    const csv = await ada.get('/observe/audit.csv?event=client.added');
    expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="audit-[\d-]+\.csv"$/);
    // The client by which this test asks is one more.
    expect(idsIn(csv.body).length).toBeGreaterThanOrEqual(many + 1);
    expect(csv.body).not.toContain('user.added');
    const lines = await ada.get('/observe/audit.jsonl?event=client.added');
    expect(lines.headers['content-type']).toBe('application/x-ndjson');
    expect(
      lines.body
        .trimEnd()
        .split('\n')
        .every((line) => JSON.parse(line)),
    ).toBe(true);
  });
});

describe('who may not read the list', () => {
  test('gets none of it: signed out the sign-in, signed in the page that says what is missing', async () => {
    const vera = await personWith(console, 'vera', ['Viewer']);
    const stranger = createUserAgent(console.url);
    for (const format of ['json', 'csv']) {
      const href = `/access/clients.${format}`;
      const refused = await vera.get(href);
      expect([refused.status, refused.body.includes('many-')]).toEqual([403, false]);
      const away = await stranger.get(href);
      expect([away.status, away.headers.location?.startsWith('/login'), away.body]).not.toContain('many-');
      expect(away.status).toBe(303);
    }
    expect((await vera.get('/cluster/members.csv')).status).toBe(200);
    const mona = await personWith(console, 'mona', ['MetricsViewer']);
    expect((await mona.get('/observe/audit.csv')).status).toBe(403);
  });
});
