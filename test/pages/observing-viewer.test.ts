/**
 * A Viewer who is signed in at the console reads all of Observe: the audit log, the story of a refusal, jobs. A token of the same
 * person opens none of it, as any dashboard has one; and nobody changes anything by it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineToken, type RunningConsole } from '../helpers/console.ts';
import { callApi, hiddenIn, personPassword, personWith, startWithAdmin } from '../helpers/management.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { createUserAgent, type Reply, textOf, type UserAgent } from '../helpers/user-agent.ts';

let console: RunningConsole;
let ada: UserAgent;
let vera: UserAgent;
let mona: UserAgent;
let csrf: string;
let decision: string;
let job: string;

beforeAll(async () => {
  ({ console, ada } = await startWithAdmin());
  vera = await personWith(console, 'vera', ['Viewer']);
  mona = await personWith(console, 'mona', ['MetricsViewer']);
  csrf = hiddenIn(await vera.get('/account'), 'csrf')!;
  ({ id: job } = (await callApi(console, 'POST', '/backups', {})) as { id: string });
  const headers = { Authorization: `Bearer ${await machineToken(console, 'app:MetricsViewer')}` };
  const refused = await fetch(`${console.url}/svc/rest/maps/orders/1`, { headers });
  decision = ((await refused.json()) as { decision_id: string }).decision_id;
  const hasCome = () => console.log().some(({ decisionId }) => decisionId === decision);
  await console.waitFor(hasCome, 'the entry of the refusal');
});
afterAll(() => console?.stop());

describe('a Viewer at the console', () => {
  test('finds the pages of Observe, and reads the audit log as a page and as files', async () => {
    const observe = await vera.get('/observe');
    for (const href of ['/observe/traffic', '/observe/audit', '/observe/health', '/observe/jobs'])
      expect(observe.body).toContain(`href="${href}"`);
    const list = await vera.get('/observe/audit?event=member.call');
    expect(textOf(list)).toMatch(/Call to a member .*Refused/);
    const [, entry] = /href="(\/observe\/audit\/[^"?]+)"/.exec(list.body)!;
    expect(textOf(await vera.get(entry!))).toContain(decision);
    for (const path of ['/observe/audit.csv?event=member.call', '/observe/audit.jsonl?event=member.call']) {
      const file = await vera.get(path);
      expect([file.status, file.body.includes(decision)]).toEqual([200, true]);
    }
  });

  test.each(['/', '/observe/audit?event=member.call', '/observe/traffic', '/access/roles/Viewer'])(
    '%s names whom the page is about, and leads to no page that is closed',
    async (path) => {
      const links = ({ body }: Reply) => body.match(/href="\/access\/(?:clients|users)\/[^"]+"/g) ?? [];
      const [page, all] = [await vera.get(path), await ada.get(path)];
      expect(textOf(page)).toMatch(/application-client|vera/);
      expect([links(page), links(all).length > 0]).toEqual([[], true]);
    },
  );

  test('leaves an entry by reading it', async () => {
    await vera.get('/observe/audit?event=role.added');
    const { items } = (await callApi(console, 'GET', '/audit?event=audit.read&actor=vera')) as {
      items: object[];
    };
    expect(items.length).toBeGreaterThan(0);
  });

  test('reads the story of a refusal, and is offered no change', async () => {
    const page = await vera.get(`/observe/decisions/${decision}`);
    const text = textOf(page);
    expect(text).toContain('Missing permission svc:data:read');
    expect(text).toMatch(/Story .*Token issued.*Call to a member Refused/);
    expect(text).not.toMatch(/Open it|Mute|Try again|With all/);
  });

  test('reads jobs, and stops none', async () => {
    expect(textOf(await vera.get('/observe/jobs'))).toContain('Backup');
    const page = await vera.get(`/observe/jobs/${job}`);
    expect([page.status, textOf(page).includes('Stop')]).toEqual([200, false]);
  });

  test.each([
    { what: 'verifies the audit', path: () => '/observe/audit', fields: { do: 'verify' } },
    { what: 'opens a call', path: () => `/observe/decisions/${decision}`, fields: { do: 'open' } },
    { what: 'mutes a denial', path: () => `/observe/decisions/${decision}`, fields: { do: 'mute' } },
    { what: 'ends that', path: () => `/observe/decisions/${decision}`, fields: { do: 'unmute' } },
    { what: 'stops a job', path: () => `/observe/jobs/${job}`, fields: { do: 'stop' } },
  ])('never $what', async ({ path, fields }) => {
    const idempotencyKey = '0123456789abcdef0123456789abcdef';
    const reply = await vera.post(path(), { csrf, idempotencyKey, ...fields });
    expect(reply.status).toBe(403);
    const changed = (await callApi(console, 'GET', '/audit?changes=true&actor=vera')) as { items: object[] };
    expect(changed.items).toEqual([]);
  });
});

describe('the same by the admin API', () => {
  const observed = () => ['/audit', `/audit/trace/${decision}`, '/audit/export', '/jobs', `/jobs/${job}`];
  const explained = () => `/access/explain?decision=${decision}`;
  const call = '/access/explain?method=GET&path=/svc/rest/maps/orders/1&client=application-client';

  test('by the session of a page, which nothing may that the API may not', async () => {
    const headers = { origin: console.url, 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrf };
    for (const path of [...observed(), explained()])
      expect([path, (await vera.send('GET', `/api/v1${path}`, { headers })).status]).toEqual([path, 200]);
    expect((await vera.send('GET', `/api/v1${call}`, { headers })).status).toBe(403);
  });

  test('is closed to a token of that person, and says which permission opens it', async () => {
    const person = { username: 'vera', password: personPassword };
    const agent = createUserAgent(console.url);
    const { access_token: token } = await signInForTokens(
      console,
      agent,
      { resource: `${console.url}/api` },
      person,
    );
    const get = (path: string) =>
      fetch(`${console.url}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await get('/health')).status).toBe(200);
    for (const path of [...observed(), explained(), call]) {
      const reply = await get(path);
      const { code, detail } = (await reply.json()) as { code: string; detail: string };
      expect([path, reply.status, code]).toEqual([path, 403, 'insufficient_scope']);
      expect(detail).toMatch(
        /^This needs the role Admin, or one with the permission api:(audit|jobs|access):read\.$/,
      );
    }
  });
});

test('a MetricsViewer finds neither', async () => {
  for (const path of [
    '/observe/audit',
    `/observe/decisions/${decision}`,
    '/observe/jobs',
    `/observe/jobs/${job}`,
  ]) {
    const reply = await mona.get(path);
    expect([path, reply.status]).toEqual([path, 403]);
    expect(textOf(reply)).toContain('Viewer');
  }
  expect((await mona.get('/')).body).not.toContain('/observe/audit');
  const traffic = await mona.get('/observe/traffic');
  expect(textOf(traffic)).toContain('application-client');
  expect(traffic.body).not.toMatch(/href="\/(?:observe\/(?:audit|decisions)|access|cluster\/maps)[/?]/);
});
