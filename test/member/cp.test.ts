import { describe, expect, test } from 'vitest';
import { expectJson, managedFile } from './management-support.ts';
import { empty, startTestMember } from './support.ts';

const base = '/svc/rest/cp-subsystem';
const other = '4dbd5b2e-6a2f-4d41-9a0d-1b6a3b0a8a11';

async function startCp(settings = 'cp-member-count: 1, session-time-to-live-seconds: 60') {
  const clock = { now: 1_700_000_000_000 };
  const file = managedFile(`cp-subsystem: { ${settings} }`);
  const member = await startTestMember(file, { now: () => clock.now });
  const get = (path: string) => member.call('GET', `${base}/${path}`);
  const post = (path: string) => member.call('POST', `${base}/${path}`, { body: 'dev&' });
  return { ...member, clock, get, post, self: { uuid: member.uuid, address: `[127.0.0.1]:${member.port}` } };
}

const owner = { endpoint: '[127.0.0.1]:40000', endpointType: 'CLIENT', endpointName: 'jobs' } as const;

describe('CP members and groups', () => {
  test('the one member is all of the CP subsystem', async () => {
    const { get, post, self } = await startCp();
    expectJson(await get('members/local'), self);
    expectJson(await get('members'), [self]);
    expectJson(await get('groups'), [
      { name: 'METADATA', id: 0 },
      { name: 'default', id: 1 },
    ]);
    for (const [name, id] of [
      ['METADATA', 0],
      ['default', 1],
    ] as const) {
      expectJson(await get(`groups/${name}`), { id: { name, id }, status: 'ACTIVE', members: [self] });
    }
    expect(await get('groups/none')).toMatchObject(empty(404));
    expect(await post('members'), 'it is one already').toMatchObject(empty(200));
    expectJson(await get('members'), [self]);
  });

  test('a group that is destroyed is gone, and another of its name has another id', async () => {
    const { cp, get, post } = await startCp();
    expect(await post('groups/default/remove')).toMatchObject(empty(200));
    expect(await get('groups/default')).toMatchObject(empty(404));
    expect(await get('groups/default/sessions')).toMatchObject(empty(404));
    expect(await post('groups/default/remove')).toMatchObject(empty(400));
    cp.openSession(owner);
    expectJson(await get('groups'), [
      { name: 'METADATA', id: 0 },
      { name: 'default', id: 2 },
    ]);
  });

  test('METADATA, unknown groups and unknown or malformed names are refused', async () => {
    const { cp, get, post, self } = await startCp();
    for (const name of ['METADATA', 'metadata', 'none', 'a%2Fb']) {
      expect(await post(`groups/${name}/remove`), name).toMatchObject(empty(400));
    }
    for (const name of [other, '1-1-1-1-1']) {
      expect(await post(`members/${name}/remove`), name).toMatchObject(empty(400));
    }
    for (const name of ['x', other.replaceAll('-', ''), `${other}0`, `g${other.slice(1)}`]) {
      expect(await post(`members/${name}/remove`), name).toMatchObject(empty(500));
    }
    expect(await post(`members/${self.uuid}/remove`), 'the last one').toMatchObject(empty(500));
    expect(await get('groups/METADATA/sessions')).toMatchObject(empty(500));
    expect(() => cp.openSession({ ...owner, group: 'Metadata' })).toThrow('METADATA');
    expectJson(await get('members'), [self]);
    expect(JSON.parse((await get('groups')).body)).toHaveLength(2);
  });
});

describe('CP sessions', () => {
  test('open, live by heartbeats, and are listed', async () => {
    const { cp, clock, get } = await startCp();
    const session = cp.openSession(owner);
    const created = clock.now;
    const shown = { ...owner };
    const times = (expirationTime: number, version: number) => [
      { id: 1, creationTime: created, expirationTime, version, ...shown },
    ];
    expectJson(await get('groups/default/sessions'), times(created + 60_000, 0));
    clock.now += 50_000;
    expect(session.heartbeat()).toBe(true);
    expectJson(await get('groups/default/sessions'), times(created + 110_000, 1));
    clock.now += 60_000;
    expectJson(await get('groups/default/sessions'), []);
    expect(session.heartbeat()).toBe(false);
    expect(session.close()).toBe(false);
  });

  test('are closed by their owner, or removed by a call', async () => {
    const { cp, get, post } = await startCp();
    const [first, second] = [cp.openSession(owner), cp.openSession({ ...owner, group: 'locks' })];
    expect(await post(`groups/locks/sessions/${first.id}/remove`)).toMatchObject(empty(200)); // ids are per group
    expect(second.heartbeat()).toBe(false);
    expect(first.heartbeat()).toBe(true);
    expect(first.close()).toBe(true);
    expectJson(await get('groups/default/sessions'), []);
  });

  test('no such session or group is 400, no number 500, and the others stay', async () => {
    const { cp, get, post } = await startCp();
    cp.openSession(owner);
    expect(await post('groups/default/sessions/2/remove')).toMatchObject(empty(400));
    expect(await post('groups/none/sessions/1/remove')).toMatchObject(empty(400));
    for (const id of ['x', '1x', '1.0', '0x1', '9'.repeat(30)]) {
      expect(await post(`groups/default/sessions/${id}/remove`), id).toMatchObject(empty(500));
    }
    expect(JSON.parse((await get('groups/default/sessions')).body)).toHaveLength(1);
  });

  test.each(['reset', 'restart'])('%s begins anew', async (operation) => {
    const { cp, get, post } = await startCp();
    const session = cp.openSession({ ...owner, group: 'locks' });
    expect(await post(operation)).toMatchObject(empty(200));
    expect(session.heartbeat()).toBe(false);
    expectJson(await get('groups'), [
      { name: 'METADATA', id: 0 },
      { name: 'default', id: 3 },
    ]);
  });
});

describe('a CP subsystem that is not to be had', () => {
  const calls = [
    ['GET', 'members'],
    ['GET', 'groups'],
    ['GET', 'groups/default'],
    ['GET', 'groups/default/sessions'],
    ['POST', 'members'],
    ['POST', `members/${other}/remove`],
    ['POST', 'groups/default/remove'],
    ['POST', 'groups/default/sessions/1/remove'],
    ['POST', 'reset'],
  ] as const;

  test('is 500 throughout while it is off, which is the default', async () => {
    const { call, cp } = await startTestMember(managedFile());
    for (const [method, path] of [...calls, ['GET', 'members/local'] as const]) {
      const init = method === 'POST' ? { body: 'dev&' } : {};
      expect(await call(method, `${base}/${path}`, init), path).toMatchObject(empty(500));
    }
    expect(await call('POST', `${base}/groups/METADATA/remove`, { body: 'dev&' })).toMatchObject(empty(400));
    expect(() => cp.openSession(owner)).toThrow('not enabled');
  });

  test('is 500 with too few members for its count, and this one no CP member', async () => {
    const { call, get } = await startCp('cp-member-count: 3');
    for (const [method, path] of calls) {
      const init = method === 'POST' ? { body: 'dev&' } : {};
      expect(await call(method, `${base}/${path}`, init), path).toMatchObject(empty(500));
    }
    expect(await get('members/local')).toMatchObject(empty(404));
  });

  test.each(['CP', 'CLUSTER_WRITE'])(
    'either group opens it, %s here; with neither it is 403',
    async (group) => {
      const settings = 'cp-subsystem: { cp-member-count: 1 }';
      const rest = (on: string) =>
        `svc: { network: { rest-api: { enabled: true, endpoint-groups: { ${on} } } }, ${settings} }`;
      const { call, uuid } = await startTestMember(rest(`${group}: { enabled: true }`));
      expect(JSON.parse((await call('GET', `${base}/members/local`)).body)).toMatchObject({ uuid });
      for (const operation of ['reset', 'restart']) {
        expect(await call('POST', `${base}/${operation}`, { body: 'dev&' })).toMatchObject(empty(200));
      }
      const off = await startTestMember(rest(''));
      expect(await off.call('GET', `${base}/members/local`)).toMatchObject(empty(403));
      expect(await off.call('POST', `${base}/reset`, { body: 'dev&' })).toMatchObject(empty(403));
    },
  );
});
