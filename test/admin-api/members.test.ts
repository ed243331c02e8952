/** `/api/v1/members` of a running console: how members are, and who takes calls. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiToken, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { startRecorder } from '../member-proxy/servers.ts';

let members: readonly Awaited<ReturnType<typeof startRecorder>>[];
let console: RunningConsole;
let tokens: Readonly<Record<'admin' | 'viewer' | 'ofMembers', string>>;
beforeAll(async () => {
  const failsOnce = await startRecorder((req, res) => {
    res.writeHead(req.url!.endsWith('/rest/maps/broken/1') ? 500 : 200).end('ok');
  });
  members = [await startRecorder(), failsOnce];
  const env = { CONSOLE_MEMBERS: members.map(({ address }) => address).join(',') };
  console = await startConsole({ env });
  const [admin, viewer, ofMembers] = await Promise.all([
    apiToken(console),
    apiToken(console, 'app:Viewer'),
    machineToken(console),
  ]);
  tokens = { admin, viewer, ofMembers };
});
afterAll(async () => {
  await console?.stop();
  for (const member of members) await member.close();
});

const hostOf = (n: number) => new URL(members[n]!.address).host;

async function call(
  method: string,
  path: string,
  token: string | undefined = tokens.admin,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${console.url}/api/v1/members${path}`, {
    method,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...headers },
  });
  const text = await response.text();
  const tag = response.headers.get('etag') ?? '';
  return { status: response.status, tag, body: text === '' ? undefined : JSON.parse(text) };
}
const drainedOnes = async () =>
  ((await call('GET', '')).body.items as { id: string; isDrained: boolean }[]).flatMap(({ id, isDrained }) =>
    isDrained ? [id] : [],
  );

test('members are listed a page at a time, each with how it is', async () => {
  const first = await call('GET', '?limit=1', tokens.viewer);
  expect(first.body).toMatchObject({
    items: [
      {
        ...{ state: 'in', reason: null, isDrained: false, inFlight: 0, groups: { DATA: true } },
        // They tell nothing of their cluster.
        ...{ version: null, kind: null, circuit: 'closed' },
      },
    ],
    count: { value: 2, isExact: true },
  });
  const second = await call('GET', `?limit=1&cursor=${first.body.next}`, tokens.viewer);
  expect(second.body.next).toBeNull();
  const ids = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id);
  expect(ids).toEqual([hostOf(0), hostOf(1)].sort());
  expect((await call('GET', `/${hostOf(0)}`, tokens.viewer)).body).toMatchObject({
    id: hostOf(0),
    address: members[0]!.address,
  });
});

test('a member is drained and undrained, audited once each; a dry run drains nobody', async () => {
  const host = hostOf(0);
  expect((await call('POST', `/${host}/drain?dryRun=true`)).body).toMatchObject({
    status: 200,
    result: { isDrained: true },
  });
  expect(await drainedOnes()).toEqual([]);
  const { tag } = await call('GET', `/${host}`);
  for (const _again of [1, 2]) {
    expect(await call('POST', `/${host}/drain`)).toMatchObject({ status: 200, body: { isDrained: true } });
  }
  expect(await drainedOnes()).toEqual([host]);
  expect(await call('POST', `/${hostOf(1)}/drain`)).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  });
  const stale = { 'If-Match': tag };
  expect(await call('POST', `/${host}/undrain`, tokens.admin, stale)).toMatchObject({
    status: 412,
    body: { code: 'precondition_failed' },
  });
  expect(await drainedOnes()).toEqual([host]);
  expect((await call('POST', `/${host}/undrain`)).body).toMatchObject({ isDrained: false });
  expect(await drainedOnes()).toEqual([]);
  const audited = () =>
    console
      .log()
      .flatMap(({ audit, event, outcome, target }) =>
        audit && String(event).startsWith('member.') ? [[event, outcome, target]] : [],
      );
  await console.waitFor(() => audited().length === 4, 'the audit lines');
  expect(audited()).toEqual([
    ['member.drained', 'success', host],
    ['member.drained', 'denied', hostOf(1)],
    ['member.undrained', 'denied', host],
    ['member.undrained', 'success', host],
  ]);
});

describe('is for those who may (S49)', () => {
  test.each([
    ['Viewer', 'viewer', 403],
    ['a token for the members', 'ofMembers', 401],
    ['no token', undefined, 401],
  ] as const)('%s drains nobody (S49)', async (_who, token, status) => {
    const given = token === undefined ? '' : tokens[token];
    for (const word of ['drain', 'undrain']) {
      expect((await call('POST', `/${hostOf(0)}/${word}`, given)).status).toBe(status);
    }
    expect(await drainedOnes()).toEqual([]);
  });

  test.each(['/127.0.0.1:1/drain', '/%2e%2e/drain', `/${'x'.repeat(300)}/drain`, '/a%20b'])(
    'there is no member at %s',
    async (path) => {
      expect((await call(path.endsWith('drain') ? 'POST' : 'GET', path)).status).toBe(404);
    },
  );
});

interface Figures {
  readonly id: string;
  readonly p99Ms: number | null;
  readonly failedShare: number | null;
}

test('a member that is called says how long its calls take and how many fail, by the history of the last minute', async () => {
  const figuresOf = async (n: number) => (await call('GET', `/${hostOf(n)}`)).body as Figures;
  expect(await figuresOf(1)).toMatchObject({ p99Ms: null, failedShare: null });
  const headers = { Authorization: `Bearer ${tokens.ofMembers}` };
  const statusOf = async (path: string) =>
    (await fetch(`${console.url}/members/${hostOf(1)}${path}`, { headers })).status;
  expect(await statusOf('/svc/health')).toBe(200);
  expect(await statusOf('/svc/rest/maps/fine/1')).toBe(200);
  expect(await statusOf('/svc/rest/maps/broken/1')).toBe(500);
  // A row is written every five seconds.
  await expect
    .poll(async () => (await figuresOf(1)).failedShare, { timeout: 12_000, interval: 250 })
    .toBe(0.333);
  const { p99Ms } = await figuresOf(1);
  expect(p99Ms).toBeGreaterThan(0);
  const { items } = (await call('GET', '')).body as { items: Figures[] };
  expect(items.find(({ id }) => id === hostOf(1))).toMatchObject({ p99Ms, failedShare: 0.333 });
  expect(items.find(({ id }) => id === hostOf(0))).toMatchObject({ p99Ms: null, failedShare: null });
});

test('a dry run of a command to a member whose endpoint group is off is refused as the command is', async () => {
  // Its embedded member takes no commands unless its configuration says so.
  const own = await startConsole();
  try {
    const headers = { Authorization: `Bearer ${await apiToken(own)}`, 'Content-Type': 'application/json' };
    const ask = async (path: string, body?: object) => {
      const init = body && { method: 'POST', body: JSON.stringify(body) };
      const reply = await fetch(`${own.url}/api/v1/members${path}`, { headers, ...init });
      return { status: reply.status, body: JSON.parse((await reply.text()) || 'null') };
    };
    const listed = async () => (await ask('')).body.items[0];
    await vi.waitUntil(async () => !(await listed()).groups.CLUSTER_WRITE, {
      timeout: 10_000,
      interval: 100,
    });
    const { id } = await listed();
    for (const [path, body] of [
      [`/${id}/shutdown`, {}],
      [`/${id}/log-level`, { level: 'FINE' }],
    ] as const) {
      const tried = await ask(`${path}?dryRun=true`, body);
      const done = await ask(path, body);
      expect([tried.status, tried.body.code]).toEqual([502, 'group_disabled']);
      expect([done.status, done.body.detail]).toEqual([502, tried.body.detail]);
    }
    expect((await listed()).state).toBe('in');
  } finally {
    await own.stop();
  }
});
