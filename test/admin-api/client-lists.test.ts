/** `GET /api/v1/clients` by pages, and `client list`, which gives all of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole, usedDataDir } from '../helpers/console.ts';
import { withStore } from '../helpers/store.ts';
import { client } from '../storage/record-conformance.ts';
import { type CallApi, callsWith } from './client-support.ts';

const many = 1_203;
let console: RunningConsole;
let call: CallApi;
beforeAll(async () => {
  const dataDir = await usedDataDir();
  await withStore(dataDir, async ({ records }) => {
    for (let start = 0; start < many; start += 500) {
      await records.change(async (transaction) => {
        for (let n = start; n < Math.min(many, start + 500); n++) transaction.put('clients', clientOf(n));
      });
    }
  });
  console = await startConsole({ dataDir });
  const token = await apiToken(console);
  call = callsWith(console, () => token);
});
afterAll(() => console?.stop());

const idOf = (n: number) => `made-${String(n).padStart(5, '0')}`;
const ofSettings = ['application-client', 'application-dashboard', 'console-cli'];
const made = Array.from({ length: many }, (_, n) => idOf(n));

function clientOf(n: number) {
  const signsIn = { grantTypes: ['authorization_code'], redirectUris: [`https://app-${n}.example.com/cb`] };
  return client(idOf(n), {
    isPublic: false,
    isFirstParty: false,
    grantTypes: ['client_credentials'],
    name: n % 400 === 0 ? `Reports of site ${n}` : `Machine ${n}`,
    scopes: n % 100 === 0 ? ['svc:wan:read'] : ['svc:health:read'],
    disabled: n % 300 === 7,
    ...(n % 200 === 0 ? signsIn : {}),
  });
}

async function listed(query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  do {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { status, body } = await call('GET', `/clients?${query}${more}`);
    expect(status).toBe(200);
    ids.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.next;
  } while (cursor !== null);
  return ids;
}

test('gives fifty at first, and where the next ones are; and how many there are', async () => {
  const { body } = await call('GET', '/clients');
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual([...ofSettings, ...made.slice(0, 47)]);
  expect(body.count).toEqual({ value: many + 3, isExact: true });
  expect(body.next).toMatch(/^[\w-]+$/);
});

test.each([
  // Every 200th is an application, and of 1,203 every 300th from 7 on is disabled; three more are of the settings.
  ['/clients?kind=machine', 1_196 + 1],
  ['/clients?kind=application', 7 + 2],
  ['/applications', 7 + 2],
  ['/clients?status=disabled', 4],
  ['/clients?kind=machine&status=active', 1_192 + 1],
  ['/applications?status=disabled', 0],
  ['/clients?q=reports', 4],
])('says of %s how many there are, on each page', async (path, value) => {
  const asked = path.includes('?') ? `${path}&limit=500` : `${path}?limit=500`;
  const { body } = await call('GET', asked);
  expect(body.count).toEqual({ value, isExact: true });
  if (body.next === null) expect(body.items).toHaveLength(value);
  else expect((await call('GET', `${asked}&cursor=${body.next}`)).body.count.value).toBe(value);
});

test('says nothing of how many there are where a look at each would say it', async () => {
  const { body } = await call('GET', '/clients?scope=svc:health:read');
  expect([body.count, body.items.length]).toEqual([null, 50]);
});

test.each([1, 2, 3, 50, 499, 500])('gives each once and in order, %i at a time', async (limit) => {
  if (limit < 50) {
    // The first pages: the settings' clients end within them.
    let cursor = '';
    const ids: string[] = [];
    for (let page = 0; page < 5; page++) {
      const { body } = await call('GET', `/clients?limit=${limit}${cursor}`);
      expect(body.items).toHaveLength(limit);
      ids.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = `&cursor=${body.next}`;
    }
    expect(ids).toEqual([...ofSettings, ...made].slice(0, 5 * limit));
    return;
  }
  expect(await listed(`limit=${limit}`)).toEqual([...ofSettings, ...made]);
});

test.each([
  ['kind=application', ['application-dashboard', 'console-cli', ...made.filter((_, n) => n % 200 === 0)]],
  ['kind=machine&status=disabled', made.filter((_, n) => n % 300 === 7)],
  ['status=disabled', made.filter((_, n) => n % 300 === 7)],
  ['scope=svc:wan:read', made.filter((_, n) => n % 100 === 0)],
  ['scope=svc:wan:read&kind=machine', made.filter((_, n) => n % 100 === 0 && n % 200 !== 0)],
  ['q=MADE-0100', made.slice(1000, 1010)],
  ['q=report', made.filter((_, n) => n % 400 === 0)],
  ['q=reports%20800', [idOf(800)]],
  ['q=appl&kind=machine', ['application-client']],
  ['q=nobody', []],
])('finds by %s, five at a time', async (query, ids) => {
  expect(await listed(`limit=5&${query}`)).toEqual(ids);
});

test.each([
  ['limit=0', 'invalid_request'],
  ['limit=501', 'invalid_request'],
  ['limit=x', 'invalid_request'],
  ['limit=5&limit=6', 'invalid_request'],
  ['kind=robot', 'invalid_request'],
  ['status=locked', 'invalid_request'],
  ['sort=name', 'invalid_request'],
  ['cursor=', 'invalid_cursor'],
  ['cursor=djEuMQ', 'invalid_cursor'],
])('refuses %s', async (query, code) => {
  const refused = await call('GET', `/clients?${query}`);
  expect([refused.status, refused.body.code]).toEqual([400, code]);
});

test('a cursor is for its own list and filter', async () => {
  const { body } = await call('GET', '/clients?limit=3&kind=machine');
  for (const path of [
    `/clients?limit=3&cursor=${body.next}`,
    `/clients?limit=3&kind=application&cursor=${body.next}`,
    `/applications?cursor=${body.next}`,
    `/clients?limit=3&kind=machine&cursor=${body.next.slice(0, -3)}abc`,
  ]) {
    expect((await call('GET', path)).body.code).toBe('invalid_cursor');
  }
  expect((await call('GET', `/clients?limit=7&kind=machine&cursor=${body.next}`)).status).toBe(200);
});

test('the command line lists all of them', async () => {
  const { stdout } = await toolDone(['client', 'list'], { dataDir: console.dataDir });
  const ids = stdout
    .split('\n')
    .flatMap((line) => /^(made-\d+|application-\w+|console-cli)/.exec(line)?.[1] ?? []);
  expect(ids).toEqual([...ofSettings, ...made]);
});

test('stands by id alone, one way and the other, those of the settings among the others', async () => {
  const byId = [...ofSettings, ...made].sort();
  expect(await listed('limit=500&sort=id')).toEqual(byId);
  expect(await listed('limit=170&sort=-id')).toEqual(byId.toReversed());
  const machines = await listed('limit=500&kind=machine&sort=-id');
  expect(machines).toEqual([...machines].sort().reverse());
  expect(machines).toHaveLength(byId.filter((id) => !isApplication(id)).length);
});

const isApplication = (id: string) =>
  ['application-dashboard', 'console-cli'].includes(id) ||
  (id.startsWith('made-') && Number(id.slice(5)) % 200 === 0);

test.each([
  ['an order that there is not', 'sort=displayName'],
  ['two orders', 'sort=id&sort=-id'],
  ['an order of a search', 'q=made&sort=id'],
])('refuses %s', async (_, query) => {
  const { status, body } = await call('GET', `/clients?${query}`);
  expect([status, body.code]).toEqual([400, 'invalid_request']);
});

test('goes on in the order that it began with, and in no other', async () => {
  const { body } = await call('GET', '/clients?sort=-id');
  const other = await call('GET', `/clients?sort=id&cursor=${body.next}`);
  expect([other.status, other.body.code]).toEqual([400, 'invalid_cursor']);
});
