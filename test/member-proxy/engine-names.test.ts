/** Names that the specification and the real engine do not share, and the engine's first path segment at this side. */
import { afterEach, expect, test } from 'vitest';
import { FastRequest } from '../../http/server/fast-path/fast-request.ts';
import { type ProxyOptions, startProxy, startRecorder, type TestProxy, until } from './servers.ts';
import { tokenFor } from './tokens.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const credentials = { username: 'ops team', password: 's&c' };
/** Encoded twice, as the engine decodes them. */
const twice = 'ops%2520team&s%2526c';
const cp = '/rest/cp-subsystem';

test.each([
  ['POST', '/rest/config/upload', '&&svc: {}', 'POST', '/rest/config/update', `${twice}&svc: {}`],
  ['PUT', '/rest/config/upload/', 'dev&p&x', 'PUT', '/rest/config/update/', 'dev&p&x'],
  ['POST', `${cp}/restart`, '&', 'POST', `${cp}/reset`, twice],
  ['PUT', `${cp}/restart?x=/remove`, '&', 'PUT', `${cp}/reset?x=/remove`, twice],
  ['DELETE', '/rest/log-level', undefined, 'POST', '/rest/log-level/reset', twice],
  ['GET', '/rest/log-level', undefined, 'GET', '/rest/log-level', ''],
  ['POST', '/rest/log-level', '&&FINE', 'POST', '/rest/log-level', `${twice}&FINE`],
  ['POST', '/rest/management/cluster/hotBackup', '&', 'POST', '/rest/management/cluster/hotBackup', twice],
])('at a real member %s %s %j is %s %s (C10)', async (method, path, body, itsMethod, itsPath, itsBody) => {
  const { members, call } = await open({ prefix: 'hazelcast' });
  expect((await call(method, `/svc${path}`, body)).status).toBe(200);
  const [seen] = members[0]!.seen;
  expect([seen!.method, seen!.url, seen!.body.toString()]).toEqual([
    itsMethod,
    `/hazelcast${itsPath}`,
    itsBody,
  ]);
});

test.each([
  ['POST', '/rest/config/upload', '&&svc: {}'],
  ['POST', `${cp}/restart`, '&'],
  ['DELETE', '/rest/log-level', undefined],
])('at a member of the specification %s %s is what it is (C10)', async (method, path, body) => {
  const { members, call } = await open({ prefix: 'svc' });
  expect((await call(method, `/svc${path}`, body)).status).toBe(200);
  expect(members[0]!.seen.map((seen) => `${seen.method} ${seen.url}`)).toEqual([`${method} /svc${path}`]);
});

test('at all members, each of them gets its own credentials (C10)', async () => {
  const own = { username: 'other', password: 'own' };
  const { members, call } = await open({ prefix: 'hazelcast', count: 2, own });
  const reply = await call('DELETE', '/svc/rest/log-level?members=all');
  expect(reply.status).toBe(200);
  const seen = members.map(({ seen: [one] }) => [one!.method, one!.url, one!.body.toString()]);
  expect(seen).toEqual([
    ['POST', '/hazelcast/rest/log-level/reset', twice],
    ['POST', '/hazelcast/rest/log-level/reset', 'other&own'],
  ]);
});

test('a Viewer may not reset a level by whichever name (C10)', async () => {
  const { members, call } = await open({ prefix: 'hazelcast', role: 'Viewer' });
  expect((await call('DELETE', '/svc/rest/log-level')).status).toBe(403);
  expect((await call('DELETE', '/hazelcast/rest/log-level')).status).toBe(403);
  expect(members[0]!.seen).toEqual([]);
});

test.each(['svc', 'hazelcast'] as const)('/hazelcast/… is /svc/…, at members of %s (C10)', async (prefix) => {
  const { proxy, members, call } = await open({ prefix });
  let fastCalls = 0;
  proxy.server.prependListener('request', (req: unknown) => {
    if (req instanceof FastRequest) fastCalls += 1;
  });
  const { host } = new URL(members[0]!.address);
  for (const start of ['/hazelcast', `/members/${host}/hazelcast`]) {
    expect((await call('GET', `${start}/rest/maps/m/hazelcast%2Fk`)).status).toBe(200);
    expect((await call('POST', `${start}/rest/queues/q`, 'item')).status).toBe(200);
    expect((await call('GET', `${start}/nothing`)).status).toBe(404);
    expect((await call('GET', `${start}/rest/maps/m/a%00b`)).status).toBe(400);
  }
  expect(members[0]!.seen.map(({ url }) => url)).toEqual(
    Array(2)
      .fill([`/${prefix}/rest/maps/m/hazelcast%2Fk`, `/${prefix}/rest/queues/q`])
      .flat(),
  );
  expect(fastCalls).toBe(8);
  await until(() => proxy.records.length === 8, 'the records');
  expect(proxy.records[0]).toMatchObject({
    path: '/hazelcast/rest/maps/m/hazelcast%2Fk',
    route: '/svc/rest/maps/{mapName}/{key...}',
  });
});

interface OpenOptions {
  readonly prefix: NonNullable<ProxyOptions['prefix']>;
  readonly count?: number;
  /** Credentials of the last member. */
  readonly own?: typeof credentials;
  readonly role?: string;
}

async function open({ prefix, count = 1, own, role = 'Admin' }: OpenOptions) {
  const members = await Promise.all(Array.from({ length: count }, () => startRecorder()));
  const credentialsOf = (address: string) => (own && address === members.at(-1)!.address ? own : undefined);
  const proxy: TestProxy = await startProxy({
    members: members.map(({ address }) => address),
    prefix,
    credentials,
    credentialsOf,
  });
  cleanups.push(...members.map((member) => member.close), proxy.close);
  const authorization = `Bearer ${await tokenFor(proxy.key, role)}`;
  const call = (method: string, path: string, body?: string) =>
    fetch(proxy.address + path, {
      method,
      headers: { authorization },
      ...(body !== undefined && { body }),
    });
  return { proxy, members, call };
}
