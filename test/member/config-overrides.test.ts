import { describe, expect, onTestFinished, test } from 'vitest';
import { MemberConfigError } from '../../member/config/config-error.ts';
import { loadMemberConfig } from '../../member/config/load.ts';
import { machineToken, startConsole } from '../helpers/console.ts';
import { addressIn, endOf, startProcess, writeConfig } from './member-process.ts';
import { call } from './support.ts';

const file = `svc:
  cluster-name: file
  map: { default: {}, Big-Orders: {}, under_score: { max-idle-seconds: 1 } }
  wan-replication: { w: { batch-publisher: { london: { target-endpoints: "a:1" } } } }
`;

function load(environment: Record<string, string>, text: string | undefined = file) {
  return loadMemberConfig(text, { file: 'member.yaml', environment });
}

function problemsOf(environment: Record<string, string>, text?: string): readonly string[] {
  try {
    load(environment, text);
  } catch (error) {
    if (error instanceof MemberConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the environment', () => {
  test.each([
    { set: { HZ_CLUSTERNAME: 'prod' }, gives: { clusterName: 'prod' } },
    { set: { svc_clustername: 'prod' }, gives: { clusterName: 'prod' } },
    { set: { HZ_CLUSTERNAME: '' }, gives: { clusterName: 'file' } },
    { set: { HZ_INSTANCENAME: '5' }, gives: { instanceName: '5' } },
    {
      set: { HZ_NETWORK_PORT_PORT: '6000', HZ_NETWORK_PORT_AUTOINCREMENT: 'FALSE' },
      gives: { port: { port: 6000, autoIncrement: false } },
    },
    { set: { HZ_NETWORK_RESTAPI_ENABLED: 'true' }, gives: { rest: { enabled: true } } },
    {
      set: { HZ_NETWORK_RESTAPI_ENDPOINTGROUPS_DATA_ENABLED: 'true' },
      gives: { rest: { groups: ['CLUSTER_READ', 'HEALTH_CHECK', 'DATA'] } },
    },
    {
      set: { HZ_NETWORK_RESTAPI_ENDPOINTGROUPS_CLUSTER_READ_ENABLED: 'false' },
      gives: { rest: { groups: ['HEALTH_CHECK'] } },
    },
    {
      set: { HZ_NETWORK_RESTAPI_ENDPOINTGROUPS_CLUSTERREAD_ENABLED: 'false' },
      gives: { rest: { groups: ['HEALTH_CHECK'] } },
    },
    { set: { HZ_NETWORK_JOIN_TCPIP_MEMBERLIST: 'a, b:1' }, gives: { join: { memberList: ['a', 'b:1'] } } },
    { set: { SVC_PERSISTENCE_BASEDIR: '/d' }, gives: { persistence: { baseDir: '/d' } } },
    { set: { HZ_CPSUBSYSTEM_CPMEMBERCOUNT: '1' }, gives: { cp: { memberCount: 1 } } },
  ])('$set is put over the file', ({ set, gives }) => {
    expect(load(set)).toMatchObject(gives);
  });

  test('means maps, queues and publishers by their names, and makes those that are not there', () => {
    const { maps, queues, wanReplications } = load({
      HZ_MAP_DEFAULT_TIMETOLIVESECONDS: '7',
      HZ_MAP_BIGORDERS_MAXIDLESECONDS: '8',
      HZ_MAP_UNDER_SCORE_TIMETOLIVESECONDS: '9',
      HZ_MAP_NEW_EVICTION_SIZE: '10',
      HZ_QUEUE_JOBS_MAXSIZE: '11',
      HZ_WANREPLICATION_W_BATCHPUBLISHER_LONDON_BATCHSIZE: '12',
    });
    expect([...maps.keys()]).toEqual(['default', 'Big-Orders', 'under_score', 'new']);
    expect(maps.get('default')).toMatchObject({ timeToLiveSeconds: 7 });
    expect(maps.get('Big-Orders')).toMatchObject({ maxIdleSeconds: 8 });
    expect(maps.get('under_score')).toMatchObject({ timeToLiveSeconds: 9, maxIdleSeconds: 1 });
    expect(maps.get('new')).toMatchObject({ eviction: { size: 10 } });
    // The file has no queues, so the built-in one stays.
    expect([...queues]).toEqual([
      ['default', { maxSize: 0 }],
      ['jobs', { maxSize: 11 }],
    ]);
    expect(wanReplications.get('w')?.publishers.get('london')).toMatchObject({ batchSize: 12 });
  });

  test('needs no file', () => {
    const { rest, source } = loadMemberConfig(undefined, {
      file: 'built-in configuration',
      environment: { HZ_NETWORK_RESTAPI_ENABLED: 'true' },
    });
    expect(rest.enabled).toBe(true);
    expect(source).toBeUndefined();
  });

  test.each([
    { set: { HZ_CLUSTER_NAME: 'a' }, says: 'HZ_CLUSTER_NAME: no such key; the nearest is HZ_CLUSTERNAME' },
    {
      set: { SVC_NETWORK_RESTAPI_ENABLE: 'true' },
      says: 'SVC_NETWORK_RESTAPI_ENABLE: no such key; the nearest is SVC_NETWORK_RESTAPI_ENABLED',
    },
    {
      set: { HZ_MAP_DEFAULT_TTL: '1' },
      says: expect.stringMatching(/^HZ_MAP_DEFAULT_TTL: no such key; the nearest is HZ_MAP_DEFAULT_/),
    },
    { set: { HZ_NETWORK: 'on' }, says: expect.stringMatching(/^HZ_NETWORK: no such key/) },
    { set: { HZ_NETWORK_PORT_PORT: 'x' }, says: 'HZ_NETWORK_PORT_PORT: expected number, received string' },
    {
      set: { HZ_CLUSTERNAME: 'a', SVC_CLUSTERNAME: 'b' },
      says: 'SVC_CLUSTERNAME: means the same key as HZ_CLUSTERNAME: keep one',
    },
    {
      set: { HZ_SECURITY_REALM: 'r' },
      says: expect.stringMatching(/^HZ_SECURITY_REALM: no such key/),
    },
    ...[
      'HZ_SECURITY_REALMS',
      'HZ_SECURITY_REALMS_R_NAME',
      'HZ_SECURITY_REALMS_0_AUTHENTICATION_SIMPLE_USERS_0_PASSWORD',
      'SVC_SECURITY_REALMS_MEMBERS_AUTHENTICATION_SIMPLE_USERS_ANN_PASSWORD',
    ].map((name) => ({
      set: { [name]: 's3cret' },
      says: `${name}: security.realms is a list of sections, which only a file can give`,
    })),
  ])('$set is refused', ({ set, says }) => {
    expect(problemsOf(set)).toEqual([says]);
  });

  test('is told of along with the file, and a broken file is no hindrance', () => {
    expect(problemsOf({ HZ_X: '1', HZ_NETWORK_PORT_PORT: '1' }, 'svc:\n  network: off\n  nam: a\n')).toEqual([
      'member.yaml:2: svc.network: expected object, received string',
      'member.yaml:3: svc.nam: unknown key',
      expect.stringMatching(/^HZ_X: no such key/),
    ]);
  });
});

describe('a process that starts a member', () => {
  const xml =
    '<hazelcast><network><rest-api enabled="true"/></network><instance-name>file</instance-name></hazelcast>';

  test('alone reads XML and puts the environment over it', async () => {
    const { ready, stop } = await startProcess({
      MEMBER_PORT: '0',
      MEMBER_CONFIG: writeConfig(xml),
      HZ_INSTANCENAME: 'environment',
      HZ_NETWORK_RESTAPI_ENDPOINTGROUPS_DATA_ENABLED: 'true',
    });
    expect(ready).toContain(': groups CLUSTER_READ, HEALTH_CHECK, DATA');
    const { body } = await call(`${addressIn(ready)}/svc/rest/instance`, 'GET');
    expect(body).toBe('{"name":"environment"}');
    expect(await stop('SIGTERM')).toBe(0);
  });

  test('alone ends with 78 and every problem, of the XML and of the environment', async () => {
    const file = writeConfig('<svc>\n<map name="a"><ttl>1</ttl></map>\n<queue name="q" max-size="x"/></svc>');
    const { code, errors } = await endOf({ MEMBER_PORT: '0', MEMBER_CONFIG: file, HZ_CLUSTER_NAME: 'x' });
    expect(code).toBe(78);
    expect(errors.trim().split('\n')).toEqual([
      `${file}:2: svc.map.a.ttl: unknown key`,
      `${file}:3: svc.queue.q.max-size: expected number, received string`,
      'HZ_CLUSTER_NAME: no such key; the nearest is HZ_CLUSTERNAME',
    ]);
  });

  test('with the console puts the environment over what is built in', async () => {
    const console = await startConsole({ env: { HZ_INSTANCENAME: 'environment', MEMBER_PORT: '0' } });
    onTestFinished(async () => void (await console.stop()));
    const headers = { Authorization: `Bearer ${await machineToken(console)}` };
    const instance = await fetch(`${console.url}/svc/rest/instance`, { headers });
    expect(await instance.text()).toBe('{"name":"environment"}');
    const stored = await fetch(`${console.url}/svc/rest/maps/m/k`, { method: 'POST', headers, body: 'v' });
    expect(stored.status).toBe(200);
  });

  test('with the console is refused with 78 for a name that means nothing', async () => {
    await expect(startConsole({ env: { SVC_CLUSTER_NAME: 'x', MEMBER_PORT: '0' } })).rejects.toThrow(
      /exited with 78\n[\s\S]*SVC_CLUSTER_NAME: no such key; the nearest is SVC_CLUSTERNAME/,
    );
  });
});
