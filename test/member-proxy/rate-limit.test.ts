import { afterEach, expect, test } from 'vitest';
import type { RateLimits } from '../../member-proxy/rate-limit.ts';
import { type Answer, startProxy, startRecorder, until } from './servers.ts';
import { signToken } from './tokens.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const none: RateLimits = { dataRate: 0, managementRate: 0, polls: 0 };

test('a caller over its rate gets 429 with Retry-After, and its calls reach no member (S64)', async () => {
  const { call, seen, later } = await open({ ...none, managementRate: 3 });
  const statuses = [];
  for (let i = 0; i < 6; i += 1) statuses.push((await call('a', 'GET', '/svc/rest/cluster')).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
  expect(seen()).toBe(3);
  const rejected = await call('a', 'GET', '/svc/rest/cluster');
  expect(rejected.headers.get('retry-after')).toBe('1');
  expect(((await rejected.json()) as { code: string }).code).toBe('too_many_requests');

  later(1_000);
  expect((await call('a', 'GET', '/svc/rest/cluster')).status).toBe(200);
});

test('spelling a path otherwise, or going through one member, makes no other budget (S83)', async () => {
  const { call, seen, host } = await open({ ...none, dataRate: 4 });
  const spellings = [
    '/svc/rest/maps/m/k',
    '/svc/rest/maps/m/other',
    '/svc/rest/maps/m/%6b',
    '/svc/rest/maps/m/k?x=1',
    '/svc/rest/maps/n/k',
    '/svc/rest/queues/q/size/',
    `/members/${host}/svc/rest/maps/m/k`,
  ];
  const statuses = [];
  for (const path of spellings) statuses.push((await call('a', 'GET', path)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429]);
  expect(seen()).toBe(4);
});

test('each caller has its own, and data calls have another than management calls (S64)', async () => {
  const { call } = await open({ ...none, managementRate: 1, dataRate: 2 });
  const status = async (client: string, path: string) => (await call(client, 'GET', path)).status;
  expect([await status('a', '/svc/rest/cluster'), await status('a', '/svc/rest/cluster')]).toEqual([
    200, 429,
  ]);
  expect(await status('b', '/svc/rest/cluster')).toBe(200);
  expect([await status('a', '/svc/rest/maps/m/k'), await status('a', '/svc/health')]).toEqual([200, 200]);
  expect(await status('a', '/svc/rest/maps/m/k')).toBe(429);
});

test('polls of one caller that wait are bounded, and one that ends makes room (S64)', async () => {
  const held: (() => void)[] = [];
  const { call } = await open({ ...none, polls: 2 }, (_req, res) => held.push(() => res.end('item')));
  const waiting = [1, 2].map(() => call('a', 'DELETE', '/svc/rest/queues/q/60'));
  await until(() => held.length === 2, 'both wait');
  expect((await call('a', 'DELETE', '/svc/rest/queues/q/60')).status).toBe(429);
  const other = call('b', 'DELETE', '/svc/rest/queues/q/60');
  await until(() => held.length === 3, 'the other caller waits');
  for (const answer of held) answer();
  expect((await Promise.all([...waiting, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
  const next = call('a', 'DELETE', '/svc/rest/queues/q/60');
  await until(() => held.length === 4, 'there is room again');
  held[3]!();
  expect((await next).status).toBe(200);
});

test('a poll that its caller gives up makes room too (S64)', async () => {
  const held: (() => void)[] = [];
  const { call, seen } = await open({ ...none, polls: 1 }, (_req, res) => held.push(() => res.end('item')));
  const leaving = new AbortController();
  const gone = call('a', 'DELETE', '/svc/rest/queues/q/60', leaving.signal).catch(() => 'gone');
  await until(() => seen() === 1, 'it waits');
  leaving.abort();
  expect(await gone).toBe('gone');
  // The poll that was sent is still at the member: whoever comes next gets what it brings (B1).
  const again = call('a', 'DELETE', '/svc/rest/queues/q/60');
  held[0]!();
  expect((await again).status).toBe(200);
  expect(seen()).toBe(1);
});

test('without limits nothing is counted', async () => {
  const { call } = await open(none);
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => (await call('a', 'GET', '/svc/rest/cluster')).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

async function open(rateLimits: RateLimits, answer: Answer = (_req, res) => res.end('ok')) {
  const member = await startRecorder(answer);
  cleanups.push(() => {
    member.server.closeAllConnections();
    return member.close();
  });
  let skipped = 0;
  const started = performance.now();
  // Time stands still but for what a test skips.
  const proxy = await startProxy({ members: [member.address], rateLimits, now: () => started + skipped });
  cleanups.push(proxy.close);
  const call = async (client: string, method: string, path: string, signal?: AbortSignal) => {
    const claims = { roles: ['Admin'], client_id: client, sub: client };
    const token = await signToken(proxy.key, { claims });
    return fetch(proxy.address + path, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    });
  };
  return {
    call,
    host: new URL(member.address).host,
    seen: () => member.seen.length,
    later: (ms: number) => {
      skipped += ms;
    },
  };
}
