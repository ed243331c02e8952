import { describe, expect, test } from 'vitest';
import { empty, memberFile, startTestMember } from './support.ts';

const json = { status: 200, type: 'application/json' };
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('cluster information', () => {
  test('names this member as the specification does', async () => {
    const { call, port, uuid } = await startTestMember();
    const reply = await call('GET', '/svc/rest/cluster');
    expect(reply).toMatchObject(json);
    expect(uuid).toMatch(uuidForm);
    expect(JSON.parse(reply.body)).toEqual({
      members: [
        {
          address: `127.0.0.1:${port}`,
          liteMember: false,
          localMember: true,
          uuid,
          memberVersion: expect.stringMatching(/^5\.\d+\.\d+$/),
        },
      ],
      connectionCount: 1,
      allConnectionCount: 1,
    });
  });

  test('has the instance name of the configuration, or one of its own', async () => {
    const named = await startTestMember(memberFile('instance-name: "münchen \\"1\\""'));
    expect(JSON.parse((await named.call('GET', '/svc/rest/instance/')).body)).toEqual({
      name: 'münchen "1"',
    });
    const own = await startTestMember(memberFile('cluster-name: prod'));
    expect(await own.call('GET', '/svc/rest/instance')).toMatchObject({
      ...json,
      body: `{"name":"prod-${own.port}"}`,
    });
  });

  test('has the cluster version', async () => {
    const { call } = await startTestMember();
    expect(await call('GET', '/svc/rest/management/cluster/version?x')).toMatchObject({
      ...json,
      body: '{"status":"success","version":"5.5"}',
    });
  });

  test('answers the state and the nodes to a caller that names the cluster', async () => {
    const { call, port, uuid } = await startTestMember(memberFile('cluster-name: "a & b"'));
    const state = '/svc/rest/management/cluster/state';
    expect(await call('POST', state, { body: 'a+%26+b&' })).toMatchObject({
      ...json,
      body: '{"status":"success","state":"active"}',
    });
    const nodes = JSON.parse(
      (await call('POST', '/svc/rest/management/cluster/nodes', { body: 'a+%26+b&x&y' })).body,
    );
    expect(nodes.status).toBe('success');
    expect(nodes.response.split('\n')).toEqual([
      `[Member [127.0.0.1]:${port} - ${uuid} this]`,
      '5.5.0',
      process.versions.node,
    ]);

    expect(await call('POST', state, { body: 'dev&' })).toMatchObject({
      status: 403,
      body: '{"status":"fail","message":"unauthenticated"}',
    });
    for (const body of ['', 'dev']) {
      expect(await call('POST', state, { body }), body).toMatchObject(empty(400));
    }
    expect(await call('POST', state, { body: '%zz&' })).toMatchObject(empty(500));
  });

  test.each(['/svc/rest/cluster', '/svc/rest/instance', '/svc/rest/management/cluster/version'])(
    'HEAD %s is 200 without a body',
    async (path) => {
      const { call } = await startTestMember();
      expect(await call('HEAD', path)).toMatchObject(empty(200));
    },
  );
});

describe('health', () => {
  test.each([
    {
      probe: '',
      body: '{"nodeState":"ACTIVE","clusterState":"ACTIVE","clusterSafe":true,"migrationQueueSize":0,"clusterSize":1}',
    },
    { probe: '/node-state', body: '"ACTIVE"' },
    { probe: '/cluster-state', body: '"ACTIVE"' },
    { probe: '/migration-queue-size', body: '0' },
    { probe: '/cluster-size', body: '1' },
  ])('$probe', async ({ probe, body }) => {
    const { call } = await startTestMember();
    expect(await call('GET', `/svc/health${probe}`)).toMatchObject({ ...json, body });
    expect(await call('GET', `/hazelcast/health${probe}`)).toMatchObject({ ...json, body });
  });

  test('ready and cluster-safe are bare statuses', async () => {
    const { call } = await startTestMember();
    expect(await call('GET', '/svc/health/ready')).toMatchObject(empty(200));
    expect(await call('GET', '/svc/health/cluster-safe')).toMatchObject(empty(200));
  });

  test('a probe that does not exist is 400, as in the real engine', async () => {
    const { call } = await startTestMember();
    expect(await call('GET', '/svc/health/garbage')).toMatchObject(empty(400));
  });

  test('HEAD has the overview as header fields', async () => {
    const { call } = await startTestMember();
    const reply = await call('HEAD', '/svc/health');
    expect(reply).toMatchObject(empty(200));
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'hazelcast-nodestate': 'ACTIVE',
      'hazelcast-clusterstate': 'ACTIVE',
      'hazelcast-migrationqueuesize': '0',
      'hazelcast-clustersize': '1',
    });
  });
});
