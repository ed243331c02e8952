import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isWriteInSomeReading } from './readings.ts';
import { sendRaw, startProxy, startRecorder, type TestProxy } from './servers.ts';
import { tokenFor } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;
let admin: string;
let viewer: string;

beforeAll(async () => {
  member = await startRecorder();
  proxy = await startProxy({ members: [member.address] });
  admin = await tokenFor(proxy.key, 'Admin');
  viewer = await tokenFor(proxy.key, 'Viewer');
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
});

const send = (method: string, target: string, token: string) =>
  sendRaw(
    proxy.address,
    `${method} ${target} HTTP/1.1\r\nHost: proxy\r\nAuthorization: Bearer ${token}\r\n` +
      `${method === 'POST' || method === 'PUT' ? 'Content-Length: 0\r\n' : ''}\r\n`,
  );

describe('a target with more than one reading is 400 invalid_request, even for an administrator (S58)', () => {
  test.each([
    ['a raw dot segment', '/svc/rest/maps/m/../k'],
    ['a raw single dot', '/svc/rest/./cluster'],
    ['a dot segment at the end', '/svc/rest/maps/m/..'],
    ['encoded dots', '/svc/rest/maps/m/%2e%2e/k'],
    ['half-encoded dots', '/svc/rest/maps/m/.%2E/k'],
    ['an encoded single dot', '/svc/rest/maps/m/%2e'],
    ['dots between encoded slashes', '/svc/rest/maps/m/a%2F..%2Fb'],
    ['dots behind an encoded backslash', '/svc/rest/maps/m/a%5C..%5Cb'],
    ['dots with a path parameter', '/svc/rest/maps/m/..%3Bx/b'],
    ['twice encoded dots', '/svc/rest/maps/m/%252e%252e/k'],
    ['three times encoded dots', '/svc/rest/maps/m/%25252e%25252e/k'],
    ['an empty segment', '/svc/rest//cluster'],
    ['an empty segment at the start', '/svc//rest/cluster'],
    ['an empty segment at the end', '/svc/rest/cluster//'],
    ['a backslash', '/svc/rest\\cluster'],
    ['a raw semicolon', '/svc/rest/cluster;x=1'],
    ['an encoded NUL', '/svc/rest/maps/m/a%00b'],
    ['an encoded line feed', '/svc/rest/maps/m/a%0Ab'],
    ['an encoded carriage return', '/svc/rest/maps/m/a%0d'],
    ['an encoded control byte', '/svc/rest/maps/m/a%1fb'],
    ['an encoded DEL', '/svc/rest/maps/m/a%7Fb'],
    ['a fragment', '/svc/rest/cluster#x'],
    ['a cut-off escape', '/svc/rest/maps/m/a%2'],
    ['a bare percent', '/svc/rest/maps/m/a%'],
    ['an escape that is not hexadecimal', '/svc/rest/maps/m/a%zz'],
    ['an overlong slash', '/svc/rest/maps/m/a%C0%AFb'],
    ['an overlong dot', '/svc/rest/maps/m/%C0%AE%C0%AE/b'],
    ['an overlong NUL', '/svc/rest/maps/m/a%C0%80b'],
    ['UTF-8 cut off', '/svc/rest/maps/m/a%E2%82'],
    ['a surrogate in UTF-8', '/svc/rest/maps/m/a%ED%A0%80'],
    ['a foreign absolute-form', 'http://other/svc/rest/cluster'],
    ['an absolute-form of our own', 'http://proxy/svc/rest/cluster'],
    ['asterisk-form', '*'],
    ['a raw control byte', '/svc/rest/clus\x01ter'],
    ['a raw NUL', '/svc/rest/clus\0ter'],
    ['a raw tab', '/svc/rest/clus\tter'],
    ['a raw byte above ASCII', '/svc/rest/maps/m/\xe9'],
    ['an encoded slash in a fixed part', '/svc/rest%2Fcluster'],
    ['an encoded slash behind a fixed part', '/svc/rest/cluster%2F'],
    ['an encoded slash in place of the one before a name', '/svc/rest/maps%2Fm/k'],
    ['an encoded slash in a CP group', '/svc/rest/cp-subsystem/groups/x%2fremove'],
    ['an encoded slash in a WAN operation', '/svc/rest/wan/sync/progress/a%2Fb'],
  ])('%s', async (_, target) => {
    const method = target === '*' ? 'OPTIONS' : 'GET';
    const reply = await send(method, target, admin);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'invalid_request' });
    expect(member.seen).toEqual([]);
  });
});

test.each([
  '/svc/rest/maps/m/k',
  '/svc/rest/maps/a%2Fb/c%2Fd',
  '/svc/rest/maps/a%2fb/c%40d',
  '/svc/rest/maps/m/%E2%82%AC',
  '/svc/rest/maps/m/100%25',
  '/svc/rest/maps/m/a%20b+c',
  '/svc/rest/maps/m/a%3Bb',
  '/svc/rest/maps/m/a%5Cb',
  '/svc/rest/maps/m/a..b',
  '/svc/rest/maps/m/k/with/slashes',
  '/svc/rest/maps/m/%252F',
  '/svc/rest/maps/m/k/',
  '/svc/rest/maps/m/%23%3F',
  '/svc/rest/cluster/',
  '/svc/rest/cluster?a=b%2F',
  '/svc/rest/queues/a%2Fb/size',
])('%s is forwarded untouched (S58)', async (target) => {
  expect((await send('GET', target, admin)).status).toBe(200);
  expect(member.seen.map(({ url }) => url)).toEqual([target]);
});

test('a target above 8 KiB is 414, whether the parser or the proxy sees it first (S64)', async () => {
  const base = '/svc/rest/maps/m/';
  expect((await send('GET', base + 'k'.repeat(8192 - base.length), admin)).status).toBe(200);
  for (const length of [8193, 12_000, 17_000, 40_000]) {
    const reply = await send('GET', base + 'k'.repeat(length - base.length), admin);
    expect(reply.status).toBe(414);
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'uri_too_long' });
  }
  expect(member.seen).toHaveLength(1);
});

describe('no path trick makes a read-only token write', () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
  const writes = [
    '/svc/rest/queues/q/5',
    '/svc/rest/queues/q',
    '/svc/rest/maps/m/k',
    '/svc/rest/maps/m',
    '/svc/rest/management/cluster/changeState',
    '/svc/rest/management/cluster/clusterShutdown',
    '/svc/rest/cp-subsystem/reset',
    '/svc/rest/log-level',
  ];
  const readable = [
    '/svc/rest/maps/m/k',
    '/svc/rest/queues/q/size',
    '/svc/rest/management/cluster/state',
    '/svc/health/ready',
    '/svc/rest/cluster',
  ];
  const slashes = ['/', '//', '%2f', '%2F', '%252f', '\\', '%5c', ';/', '/;/', '%c0%af', '%00/', '?/', '#/'];
  const dots = ['..', '%2e%2e', '.%2E', '%252e%252e', '..;', '..;x', '..%00', '%c0%ae%c0%ae', '.%09.'];

  const climbing = readable.flatMap((start) =>
    slashes.flatMap((slash) =>
      dots.flatMap((dot) => {
        const up = `${slash}${dot}`.repeat(start.split('/').length - 2);
        return ['/rest/queues/q/5', '/rest/maps/m/k', '/rest/management/cluster/changeState'].map(
          (write) => `${start}${up}${write.replaceAll('/', slash)}`,
        );
      }),
    ),
  );
  const rewritten = writes.flatMap((write) => {
    const segments = write.slice(1).split('/');
    return [
      ...slashes.map((slash) => write.replaceAll('/', slash)),
      ...slashes.flatMap((slash) =>
        segments.map(
          (_, i) => `/${segments.slice(0, i + 1).join('/')}${slash}${segments.slice(i + 1).join('/')}`,
        ),
      ),
      ...segments.map(
        (_, i) => `/${segments.map((part, j) => (i === j ? part.toUpperCase() : part)).join('/')}`,
      ),
      ...segments.map(
        (_, i) => `/${segments.map((part, j) => (i === j ? escapeFirst(part) : part)).join('/')}`,
      ),
      ...segments.map((_, i) => `/${segments.map((part, j) => (i === j ? `${part};x=1` : part)).join('/')}`),
      ...['/', '?', '?x', '%20', '%09', '+', '%00', '.', '..', ';', '#'].map((end) => `${write}${end}`),
      ...[
        '/size',
        '%2Fsize',
        '%2fSIZE',
        '?/size',
        '%3F/size',
        '%23/size',
        ';/size',
        '/size/',
        '/../size',
      ].map((end) => `${write}${end}`),
      `http://proxy${write}`,
      `http://member${write}`,
      `/${write}`,
      `/.${write}`,
    ];
  });
  const queueTricks = [
    '/svc/rest/queues/q%2F5',
    '/svc/rest/queues/q%2F5/size',
    '/svc/rest/queues/5%2Fsize',
    '/svc/rest/queues/q%252F5',
    '/svc/rest/queues/q%252F5/size',
    '/svc/rest/queues/q/%35',
    '/svc/rest/queues/q/+5',
    '/svc/rest/queues/q/-5',
    '/svc/rest/queues/q/%73ize',
    '/svc/rest/queues/q/SIZE',
    '/svc/rest/queues/q/size/5',
    '/svc/rest/queues/q/size%2F5',
    '/svc/rest/queues/q/size%00',
    '/svc/rest/queues/size',
    '/svc/rest/queues/size/5',
    '/svc/rest/queues/q/',
    '/svc/rest/queues//5',
    '/svc/rest/queues/%2F5',
    '/svc/rest/queues/%20/5',
    '/svc/rest/queues/q?/size',
    '/svc/rest/queues/q?x/size',
    '/svc/rest/queues/q%3F/size',
  ];
  const others = [...new Set([...writes, ...rewritten, ...queueTricks])];

  /** The calls that a member got and that some reading of them makes a write. */
  async function writesReaching(token: string): Promise<string[]> {
    const calls = [
      ...climbing.flatMap((target) => ['GET', 'POST'].map((method) => [method, target] as const)),
      ...others.flatMap((target) => methods.map((method) => [method, target] as const)),
    ];
    const queue = calls.values();
    const worker = async () => {
      for (const [method, target] of queue) {
        await send(method, target, token);
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    return member.seen
      .filter(({ method, url }) => isWriteInSomeReading(method, url))
      .map(({ method, url }) => `${method} ${url}`);
  }

  test('a Viewer’s token writes nothing, whatever the path looks like (S58, S60)', {
    timeout: 120_000,
  }, async () => {
    expect(climbing.length + others.length).toBeGreaterThan(1000);
    expect(await writesReaching(viewer)).toEqual([]);
    expect(member.seen.length).toBeGreaterThan(0);
  });

  test('the same calls with an Administrator’s token do write, so the table can tell', {
    timeout: 120_000,
  }, async () => {
    expect((await writesReaching(admin)).length).toBeGreaterThan(20);
  });
});

function escapeFirst(text: string): string {
  return `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`;
}
