/** The proxy in a process of its own answers what the console does: the same rules, words, fields and lines. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolDone } from '../helpers/commands.ts';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { sendRaw, startRecorder } from '../member-proxy/servers.ts';
import { addProxyClient, call, type RunningProxy, startProxy } from './support.ts';

let console: RunningConsole;
let proxy: RunningProxy;
let member: Awaited<ReturnType<typeof startRecorder>>;
let other: Awaited<ReturnType<typeof startRecorder>>;
let token: string;
let viewer: string;

beforeAll(async () => {
  member = await startRecorder((_req, res) =>
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"a":1}'),
  );
  other = await startRecorder();
  const env = {
    CONSOLE_MEMBERS: `${member.address},${other.address}`,
    CONSOLE_MEMBER_USERNAME: 'ops',
    CONSOLE_MEMBER_PASSWORD: 'cluster-password',
    CONSOLE_MEMBER_CREDENTIALS: JSON.stringify([
      { members: [other.address], username: 'stock', password: 'stock-password' },
    ]),
  };
  console = await startConsole({ env });
  const client = await addProxyClient(console);
  proxy = await startProxy({ console, client, env });
  [token, viewer] = [await machineToken(console), await machineToken(console, 'app:Viewer')];
});
afterAll(async () => {
  await proxy.stop();
  await console.stop();
  await Promise.all([member.close(), other.close()]);
});

describe('the answer is that of the console (S57)', () => {
  test.each([
    ['no token', undefined, 'GET', '/svc/health', undefined],
    ['a token that is none', 'nonsense', 'GET', '/svc/health', undefined],
    ['too little', 'viewer', 'POST', '/svc/rest/maps/m/k', 'v'],
    ['no such endpoint', 'admin', 'GET', '/svc/nothing', undefined],
    ['no such method', 'admin', 'DELETE', '/svc/health', undefined],
    ['no such member', 'admin', 'GET', '/members/10.9.9.9:1/svc/health', undefined],
    ['too few fields', 'admin', 'POST', '/svc/rest/management/cluster/changeState', 'x'],
    ['a path with two readings', 'admin', 'GET', '/svc//health', undefined],
    ['a member’s answer', 'admin', 'GET', '/svc/rest/maps/m/k', undefined],
    [
      'a member’s answer by the engine’s own path (C10)',
      'admin',
      'GET',
      '/hazelcast/rest/maps/m/k',
      undefined,
    ],
    ['too little by it (C10)', 'viewer', 'DELETE', '/hazelcast/rest/maps/m/k', undefined],
    ['no token by it (C10)', undefined, 'GET', '/hazelcast/health', undefined],
  ])('%s', async (_name, who, method, path, body) => {
    const bearer = who === 'admin' ? token : who === 'viewer' ? viewer : who;
    const [here, there] = await Promise.all(
      [proxy, console].map((at) => answer(at, bearer, method, path, body)),
    );
    expect(here).toEqual(there);
  });

  test('what no HTTP client sends is refused in the same words (S63)', async () => {
    const bytes = `GET /svc/health HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const [here, there] = await Promise.all(
      [proxy.url, console.url].map((url) => sendRaw(url.replace('localhost', '127.0.0.1'), bytes)),
    );
    expect([here!.status, here!.isClosed]).toEqual([there!.status, there!.isClosed]);
    expect(JSON.parse(here!.body).code).toBe(JSON.parse(there!.body).code);
  });

  test('pages of registered applications may call, and no others (S23)', async () => {
    await toolDone(
      ['client', 'add', 'page', '--public', '--redirect-uri', 'https://page.example.com/callback'],
      { dataDir: console.dataDir },
    );
    const allowed = async (origin: string) =>
      (await call(proxy, token, '/svc/health', { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      );
    await expect
      .poll(() => allowed('https://page.example.com'), { timeout: 20_000 })
      .toBe('https://page.example.com');
    expect(await allowed('https://elsewhere.example.com')).toBeNull();
  });

  test('nothing else of the console is there', async () => {
    for (const path of ['/', '/login', '/oauth2/token', '/oauth2/jwks', '/api/v1/revocations']) {
      const reply = await call(proxy, token, path);
      expect([path, reply.status, reply.headers.get('content-type')]).toEqual([
        path,
        404,
        'application/problem+json',
      ]);
    }
  });
});

describe('the audit trail (S84)', () => {
  test('has a write as the console has it', async () => {
    await call(proxy, token, '/svc/rest/maps/audited/k', { method: 'POST', body: 'v' });
    await call(console, token, '/svc/rest/maps/audited/k', { method: 'POST', body: 'v' });
    const lineOf = (log: Record<string, unknown>[]) =>
      log.find(({ event, path }) => event === 'member.call' && String(path).includes('audited'));
    await expect.poll(() => lineOf(proxy.log()) && lineOf(console.log()), { timeout: 20_000 }).toBeDefined();
    expect(Object.keys(lineOf(proxy.log())!).sort()).toEqual(Object.keys(lineOf(console.log())!).sort());
    expect(lineOf(proxy.log())).toMatchObject({
      actor: 'application-client',
      outcome: 'success',
      status: 200,
    });
  });

  test('each member gets its own credentials, and no line has them (S68)', async () => {
    const state = '/svc/rest/management/cluster/changeState';
    for (const at of [member, other]) {
      const path = `/members/${new URL(at.address).host}${state}`;
      expect((await call(proxy, token, path, { method: 'POST', body: '&&frozen' })).status).toBe(200);
    }
    const sentTo = ({ seen }: typeof member) => seen.findLast(({ url }) => url === state)!.body.toString();
    expect([sentTo(member), sentTo(other)]).toEqual([
      'ops&cluster-password&frozen',
      'stock&stock-password&frozen',
    ]);
    expect(proxy.stdout() + proxy.stderr()).not.toMatch(/cluster-password|stock-password/);
  });
});

test('numbers are for this machine, or for a token with a role (S49)', async () => {
  const from = (headers: Record<string, string>) => call(proxy, undefined, '/metrics', { headers });
  expect((await from({})).status).toBe(200);
  const elsewhere = { 'x-forwarded-for': '192.0.2.1' };
  expect((await from(elsewhere)).status).toBe(401);
  expect((await from({ ...elsewhere, authorization: `Bearer ${viewer}` })).status).toBe(200);
});

/** What the caller gets, without what differs from one call to the next. */
async function answer(
  at: { readonly url: string },
  bearer: string | undefined,
  method: string,
  path: string,
  body: string | undefined,
) {
  const reply = await call(at, bearer, path, { method, ...(body !== undefined && { body }) });
  const headers = Object.fromEntries(reply.headers);
  for (const name of ['date', 'x-request-id', 'content-length', 'keep-alive']) delete headers[name];
  const text = await reply.text();
  const problem = headers['content-type'] === 'application/problem+json' ? JSON.parse(text) : text;
  if (typeof problem === 'object') {
    delete problem.request_id;
    delete problem.decision_id;
  }
  return { status: reply.status, headers, body: problem };
}
