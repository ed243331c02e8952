/** The admin API on the cluster, with two members of the real engine: what operations make of its answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiToken } from '../helpers/console.ts';
import { until } from '../helpers/store.ts';
import { type EngineConsole, startEngineConsole } from './support/engine-console.ts';
import {
  type EngineCluster,
  engineStartMs,
  newestRelease,
  startEngineMembers,
  whyNoEngine,
} from './support/engine-members.ts';

describe.skipIf(whyNoEngine)(`two members of ${newestRelease}${whyNoEngine ?? ''}`, () => {
  let cluster: EngineCluster;
  let front: EngineConsole;
  let token: string;
  beforeAll(async () => {
    cluster = await startEngineMembers({ version: newestRelease, count: 2 });
    front = await startEngineConsole({ addresses: cluster.addresses });
    token = await apiToken(front.console);
  }, engineStartMs);
  afterAll(async () => {
    await front?.stop();
    await cluster?.stop();
  });

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${front.console.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined };
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  test('entries and items have bytes and type, and what is not there is null or 404', async () => {
    const entry = '/maps/parts/entries/bolts%2Fm8';
    expect((await call('PUT', entry, { value: base64('{}'), type: 'application/json' })).status).toBe(201);
    expect((await call('GET', entry)).body).toMatchObject({ type: 'application/json', value: base64('{}') });
    expect((await call('DELETE', entry)).status).toBe(204);
    expect((await call('GET', entry)).status).toBe(404);
    expect((await call('POST', '/queues/jobs/offer', { value: base64('one') })).body).toEqual({ size: 1 });
    expect((await call('POST', '/queues/jobs/poll')).body).toMatchObject({ item: { value: base64('one') } });
    expect((await call('POST', '/queues/jobs/poll')).body).toEqual({ item: null });
    await call('PUT', '/maps/parts/entries/1', { value: '' });
    expect((await call('POST', '/maps/parts/clear')).status).toBe(204);
    expect((await call('GET', '/maps/parts/entries/1')).status).toBe(404);
  });

  test('the cluster moves to a state, and says why it does not move to a version', async () => {
    expect((await call('GET', '/operations')).body).toMatchObject({ clusterState: 'active', clusterSize: 2 });
    expect((await call('POST', '/operations/state', { state: 'no_migration' })).body).toMatchObject({
      clusterState: 'no_migration',
    });
    expect((await call('POST', '/operations/state', { state: 'active' })).body).toMatchObject({
      clusterState: 'active',
    });
    const other = await call('POST', '/operations/version', { version: '9.9' });
    expect(other).toMatchObject({ status: 409, body: { code: 'member_rejected' } });
    expect(other.body.detail).toContain('incompatible');
  });

  test('what a community edition has not is told with the reason of the member', async () => {
    for (const [path, body, reason] of [
      ['/operations/reload', undefined, 'Enterprise'],
      ['/operations/config', { config: 'hazelcast: {}' }, 'Enterprise'],
      ['/wan/atlantic/publishers/london/pause', {}, 'not supported'],
      ['/wan/atlantic/publishers/london/sync', {}, 'not supported'],
      ['/operations/force-start', undefined, 'has not done this'],
    ] as const) {
      const reply = await call('POST', path, body);
      expect([path, reply.status, reply.body.code]).toEqual([path, 409, 'member_rejected']);
      expect(reply.body.detail).toContain(reason);
    }
    expect((await call('GET', '/wan')).body.items).toEqual([]);
    const cp = (await call('GET', '/cp')).body;
    expect(cp.isAvailable).toBe(false);
    expect(cp.reason).toMatch(/CP/);
  });

  test('one member has a log level of its own, and is shut down alone', async () => {
    const { items } = (await call('GET', '/members')).body as { items: { id: string }[] };
    const [one, other] = items.map(({ id }) => id);
    await call('POST', `/members/${one}/log-level`, { level: 'FINE' });
    expect((await call('GET', `/members/${one}/log-level`)).body).toMatchObject({ level: 'FINE' });
    expect((await call('GET', `/members/${other}/log-level`)).body).toMatchObject({ level: null });
    expect((await call('POST', `/members/${other}/shutdown`)).status).toBe(204);
    const size = async () => (await call('GET', '/operations')).body.clusterSize;
    await until(async () => (await size()) === 1, 'a cluster of one', 30_000);
    expect((await call('POST', '/health/run')).body).toMatchObject({ state: 'problem' });
  }, 45_000);
});
