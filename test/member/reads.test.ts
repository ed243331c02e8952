import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { empty, startTestMember } from './support.ts';

/** Every read that is no data call: its group, what it answers, and whether there is a HEAD of it. */
const endpoints = [
  { path: 'rest/cluster', group: 'CLUSTER_READ', body: /^{"members":\[{"address":/, head: 200 },
  { path: 'rest/instance', group: 'CLUSTER_READ', body: /^{"name":"dev-\d+"}$/, head: 200 },
  {
    path: 'rest/management/cluster/version',
    group: 'CLUSTER_READ',
    body: /^{"status":"success","version":"5\.5"}$/,
    head: 200,
  },
  { path: 'rest/log-level', group: 'CLUSTER_READ', body: /^{"logLevel":null}$/, head: 200 },
  { path: 'rest/license', group: 'CLUSTER_READ', body: /^{"licenseInfo":{"expiryDate":null,/, head: 404 },
  { path: 'health', group: 'HEALTH_CHECK', body: /^{"nodeState":"ACTIVE",/, head: 200 },
  { path: 'health/ready', group: 'HEALTH_CHECK', body: /^$/, head: 404 },
  { path: 'health/cluster-safe', group: 'HEALTH_CHECK', body: /^$/, head: 404 },
  { path: 'health/node-state', group: 'HEALTH_CHECK', body: /^"ACTIVE"$/, head: 404 },
  { path: 'health/cluster-state', group: 'HEALTH_CHECK', body: /^"ACTIVE"$/, head: 404 },
  { path: 'health/migration-queue-size', group: 'HEALTH_CHECK', body: /^0$/, head: 404 },
  { path: 'health/cluster-size', group: 'HEALTH_CHECK', body: /^1$/, head: 404 },
  { path: 'rest/cp-subsystem/members/local', group: 'CP', body: /^{"uuid":/, head: 404 },
  { path: 'rest/cp-subsystem/members', group: 'CP', body: /^\[{"uuid":/, head: 404 },
  { path: 'rest/cp-subsystem/groups', group: 'CP', body: /^\[{"name":"METADATA","id":0},/, head: 404 },
  { path: 'rest/cp-subsystem/groups/METADATA', group: 'CP', body: /^{"id":{"name":"METADATA"/, head: 404 },
  { path: 'rest/cp-subsystem/groups/default/sessions', group: 'CP', body: /^\[\]$/, head: 404 },
] as const;

type Group = (typeof endpoints)[number]['group'];

/** A member with this one group on, and with all else that a read can show. */
function startWith(on: Group) {
  const groups = ['CLUSTER_READ', 'HEALTH_CHECK', 'CP'].map((name) => `${name}: { enabled: ${name === on} }`);
  const file = `svc:
  license-key: Dev#4Nodes#${'a1B2'.repeat(4)}
  cp-subsystem: { cp-member-count: 1 }
  network: { rest-api: { enabled: true, endpoint-groups: { ${groups.join(', ')} } } }
`;
  return startTestMember(file, { log: pino({ level: 'silent' }) });
}

describe.each(endpoints)('GET $path', ({ path, group, body, head }) => {
  const extended = [`/svc/${path}/`, `/svc/${path}?a=b`];
  // The engine compares the whole target of these (D12).
  const isExact = group === 'HEALTH_CHECK' && path !== 'health/ready';

  test.each([`/svc/${path}`, `/hazelcast/${path}`, ...(isExact ? [] : extended)])(
    'answers at %s',
    async (url) => {
      const { call } = await startWith(group);
      const type = body.source === '^$' ? null : 'application/json';
      expect(await call('GET', url)).toMatchObject({ status: 200, type, body: expect.stringMatching(body) });
    },
  );

  if (isExact) {
    test('knows nothing with something behind it', async () => {
      const { call } = await startWith(group);
      for (const url of extended) expect(await call('GET', url), url).toMatchObject(empty(400));
    });
  }

  test('asks for no credentials, and heeds none', async () => {
    const { address } = await startWith(group);
    const reply = await fetch(`${address}/svc/${path}`, { headers: { Authorization: 'Basic eDp5' } });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toMatch(body);
  });

  test('has a HEAD without a body, or none', async () => {
    const { call } = await startWith(group);
    expect(await call('HEAD', `/svc/${path}`)).toMatchObject(empty(head));
  });

  test('is 403 with an empty body while its group is off (S71)', async () => {
    for (const other of new Set(endpoints.map((each) => each.group))) {
      if (other === group) continue;
      const { call } = await startWith(other);
      expect(await call('GET', `/svc/${path}`), `${other} on`).toMatchObject(empty(403));
      expect(await call('HEAD', `/svc/${path}`), `${other} on`).toMatchObject(empty(403));
    }
  });

  test('another method, case, or path is no such call', async () => {
    const { call } = await startWith(group);
    for (const method of ['PATCH', 'OPTIONS', 'DELETE']) {
      const { status, body: text } = await call(method, `/svc/${path}`);
      expect([403, 404], `${method}: 403 where it is CLUSTER_WRITE's`).toContain(status);
      expect(text).toBe('');
    }
    for (const url of [`/SVC/${path}`, `/svc//${path}`, `/svc/${path.toUpperCase()}`, `/svc/%${path}`]) {
      const { status, body: text } = await call('GET', url);
      expect([403, 404], url).toContain(status);
      expect(text).toBe('');
    }
    const { status } = await call('GET', `/svc/${path}x`);
    expect([400, 403, 404]).toContain(status); // a probe that is none is 400
  });
});
