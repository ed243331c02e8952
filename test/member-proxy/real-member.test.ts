import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadMemberConfig } from '../../member/config/load.ts';
import { type Member, startMember } from '../../member/member.ts';
import { startProxy, type TestProxy, until } from './servers.ts';
import { tokenFor } from './tokens.ts';

const yaml = `
hazelcast:
  network:
    rest-api:
      enabled: true
      endpoint-groups:
        DATA: { enabled: true }
        WAN: { enabled: false }
  queue:
    default: {}
    small: { max-size: 1 }
`;

let member: Member;
let proxy: TestProxy;
let admin: string;
let viewer: string;

beforeAll(async () => {
  const config = loadMemberConfig(yaml, { file: 'test' });
  member = await startMember({ config, host: '127.0.0.1', port: 0 });
  proxy = await startProxy({ members: [member.address], canWithdraw: true });
  admin = await tokenFor(proxy.key, 'Admin');
  viewer = await tokenFor(proxy.key, 'Viewer');
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});

function call(
  method: string,
  path: string,
  { token = admin, ...init }: RequestInit & { token?: string } = {},
) {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  return fetch(`${proxy.address}/svc${path}`, { ...init, method, headers });
}

test('a map entry goes in and comes back with its type, byte for byte', async () => {
  const value = Buffer.from([0, 1, 254, 255, 13, 10]);
  const headers = { 'content-type': 'application/X-Odd; a=b' };
  expect((await call('POST', '/rest/maps/m%2F1/k%40', { body: value, headers })).status).toBe(200);
  const reply = await call('GET', '/rest/maps/m%2F1/k%40', { token: viewer });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('application/X-Odd; a=b');
  expect(Buffer.from(await reply.arrayBuffer()).equals(value)).toBe(true);
  expect((await call('DELETE', '/rest/maps/m%2F1')).status).toBe(200);
  expect((await call('GET', '/rest/maps/m%2F1/k%40')).status).toBe(204);
});

test('a queue item is offered, counted and polled, and a full queue says so', async () => {
  expect((await call('POST', '/rest/queues/small', { body: 'first' })).status).toBe(200);
  const full = await call('POST', '/rest/queues/small', { body: 'second' });
  expect([full.status, await full.text()]).toEqual([503, '']);
  expect(await (await call('GET', '/rest/queues/small/size', { token: viewer })).text()).toBe('1');
  expect((await call('GET', '/rest/queues/small/0', { token: viewer })).status).toBe(403);
  expect(await (await call('DELETE', '/rest/queues/small/0')).text()).toBe('first');
  expect((await call('DELETE', '/rest/queues/small/0')).status).toBe(204);
});

test('a waiting poll gets the item that is offered meanwhile', async () => {
  const poll = call('DELETE', '/rest/queues/q/20');
  expect((await call('POST', '/rest/queues/q', { body: 'item' })).status).toBe(200);
  expect(await (await poll).text()).toBe('item');
});

test('a caller who leaves while his poll waits takes no item with him (S70)', async () => {
  const gone = new AbortController();
  const calls = proxy.records.length;
  const poll = call('DELETE', '/rest/queues/left/20', { signal: gone.signal });
  await call('GET', '/health/ready');
  gone.abort();
  await expect(poll).rejects.toThrow();
  await until(() => proxy.records.length === calls + 2, 'the poll is over');
  await until(() => proxy.records.some(({ status }) => status === 0), 'the poll was broken off');
  expect((await call('POST', '/rest/queues/left', { body: 'kept' })).status).toBe(200);
  // A poll that is being withdrawn at that moment may still be given it, and then it is put back.
  await expect
    .poll(async () => (await call('GET', '/rest/queues/left/size')).text(), { timeout: 5_000 })
    .toBe('1');
});

test('errors of the member itself pass unchanged', async () => {
  const off = await call('POST', '/rest/wan/clearWanQueues', { body: 'dev&&a&b' });
  expect([off.status, await off.text()]).toEqual([403, '']);
  expect(off.headers.get('www-authenticate')).toBeNull();
});

test('the cluster and its state are readable with a Viewer’s token', async () => {
  const cluster = await call('GET', '/rest/cluster', { token: viewer });
  expect(cluster.headers.get('content-type')).toContain('application/json');
  expect(((await cluster.json()) as { members: unknown[] }).members).toHaveLength(1);
  const state = await call('POST', '/rest/management/cluster/state', { token: viewer, body: 'dev&' });
  expect(await state.json()).toMatchObject({ status: 'success', state: 'active' });
  expect((await call('GET', '/health/ready', { token: viewer })).status).toBe(200);
});
