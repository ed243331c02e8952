import { describe, expect, test } from 'vitest';
import { empty, memberFile, startTestMember } from './support.ts';

const off = 'svc: { cluster-name: dev }';
const on = (groups: string) =>
  `svc: { network: { rest-api: { enabled: true, endpoint-groups: { ${groups} } } } }`;

describe('what is off refuses with 403 and an empty body (S71)', () => {
  test.each([
    ['GET', '/svc/health/ready'],
    ['GET', '/svc/rest/cluster'],
    ['POST', '/svc/rest/maps/m/k'],
    ['DELETE', '/svc/rest/queues/q/1'],
    ['GET', '/svc/rest/unknown'],
    ['GET', '/elsewhere'],
  ])('REST as a whole, as it is without configuration: %s %s', async (method, path) => {
    const { call } = await startTestMember(off);
    const body = method === 'POST' ? { body: 'v' } : {};
    expect(await call(method, path, body)).toMatchObject(empty(403));
  });

  test.each([
    ['GET', '/svc/rest/maps/m/k'],
    ['POST', '/svc/rest/maps/m/k'],
    ['PUT', '/hazelcast/rest/maps/m/k'],
    ['DELETE', '/svc/rest/maps/m/k'],
    ['DELETE', '/svc/rest/maps/m'],
    ['POST', '/svc/rest/queues/q'],
    ['GET', '/svc/rest/queues/q/size'],
    ['DELETE', '/svc/rest/queues/q/60'],
    ['GET', '/svc/rest/maps/m/%zz'],
    ['PATCH', '/svc/rest/maps/m/k'],
    ['POST', '/svc/rest/wan/sync/map'],
    ['GET', '/svc/rest/wan/sync/progress/u'],
    ['GET', '/svc/rest/cp-subsystem/groups'],
    ['POST', '/svc/rest/management/cluster/forceStart'],
    ['POST', '/svc/rest/management/cluster/hotBackup/'],
    ['POST', '/svc/rest/management/cluster/changeState'],
    ['POST', '/svc/rest/management/cluster/version'],
    ['POST', '/svc/rest/log-level'],
    ['DELETE', '/svc/rest/log-level'],
    ['POST', '/svc/rest/config/reload'],
    ['GET', '/svc/'],
  ])('each group that is off by default: %s %s', async (method, path) => {
    const { call } = await startTestMember(on(''));
    const init = method === 'POST' || method === 'PUT' || method === 'PATCH' ? { body: 'v' } : {};
    expect(await call(method, path, init)).toMatchObject(empty(403));
    expect(await call('GET', '/svc/health/ready')).toMatchObject(empty(200));
    expect(await call('GET', '/svc/rest/cluster')).toMatchObject({ status: 200 });
  });

  test.each([
    { groups: 'HEALTH_CHECK: { enabled: false }', path: '/svc/health' },
    { groups: 'health_check: { enabled: false }', path: '/svc/health/ready' },
    { groups: 'ClusterRead: { enabled: false }', path: '/svc/rest/instance' },
  ])('a default group switched off by $groups', async ({ groups, path }) => {
    const { call } = await startTestMember(on(groups));
    expect(await call('GET', path)).toMatchObject(empty(403));
  });

  test('and so changes nothing: the same calls on the same member before and after, one group apart', async () => {
    const { call } = await startTestMember(on('DATA: { enabled: true }'));
    expect(await call('POST', '/svc/rest/maps/m/k', { body: 'v' })).toMatchObject(empty(200));
    expect(await call('POST', '/svc/rest/wan/clearWanQueues', { body: 'dev&&a&b' })).toMatchObject(
      empty(403),
    );
    expect(await call('GET', '/svc/rest/maps/m/k')).toMatchObject({ body: 'v' });
  });
});

describe('what no route answers is 404 with an empty body', () => {
  const file = memberFile().replace('DATA: {', 'CLUSTER_WRITE: { enabled: true }, DATA: {');

  test.each([
    ['GET', '/'],
    ['GET', '/svc'],
    ['GET', '/svc/rest/unknown'],
    ['GET', '/SVC/rest/cluster'],
    ['GET', '/svc/rest/Cluster'],
    ['GET', '/svc/%72est/cluster'],
    ['GET', '/svc//rest/cluster'],
    ['POST', '/svc/health/ready'],
    ['DELETE', '/svc/rest/cluster'],
    ['GET', '/svc/rest/management/cluster/state'],
    ['HEAD', '/svc/health/ready'],
    ['PATCH', '/svc/rest/maps/m/k'],
    ['OPTIONS', '/svc/rest/maps/m/k'],
  ])('%s %s', async (method, path) => {
    const { call } = await startTestMember(file);
    expect(await call(method, path)).toMatchObject(empty(404));
  });
});
