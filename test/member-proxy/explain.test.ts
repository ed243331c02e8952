import { describe, expect, test } from 'vitest';
import { createExplain } from '../../member-proxy/authorization/explain.ts';

const explain = createExplain();

const nobody = { roles: [], scopes: [] };

describe('what would open a call, the least first', () => {
  test.each([
    ['GET', '/svc/rest/maps/orders/1', ['svc:map:orders:read', 'svc:data:read'], ['Viewer', 'Admin']],
    ['POST', '/svc/rest/maps/orders/1', ['svc:map:orders:write', 'svc:data:write'], ['Admin']],
    ['DELETE', '/svc/rest/queues/jobs/5', ['svc:queue:jobs:poll', 'svc:data:write'], ['Admin']],
    ['GET', '/svc/rest/queues/jobs/5', ['svc:queue:jobs:poll', 'svc:data:write'], ['Admin']],
    ['GET', '/svc/health/ready', ['svc:health:read'], ['MetricsViewer', 'Viewer', 'Admin']],
    ['POST', '/svc/rest/wan/pausePublisher?members=all', ['svc:wan:write'], ['Admin']],
    ['POST', '/members/127.0.0.1:5701/svc/rest/log-level', ['svc:cluster:write'], ['Admin']],
  ])('%s %s', (method, path, scopes, roles) => {
    const rejected = explain(method, path, nobody);
    expect(rejected).toMatchObject({ isAllowed: false, decision: 'insufficient_scope' });
    expect(rejected.wouldDo).toEqual({ scopes, roles });
    for (const scope of scopes)
      expect(explain(method, path, { roles: [], scopes: [scope] }).isAllowed).toBe(true);
    for (const role of roles)
      expect(explain(method, path, { roles: [role], scopes: [] }).isAllowed).toBe(true);
  });

  test('a name that members read differently has no scope of its own', () => {
    expect(explain('GET', '/svc/rest/maps/a+b/1', nobody).wouldDo?.scopes).toEqual(['svc:data:read']);
    expect(explain('GET', '/svc/rest/maps/a%22b/1', nobody).wouldDo?.scopes).toEqual(['svc:data:read']);
  });

  test('nor has one that no scope can be given for', () => {
    expect(explain('GET', '/svc/rest/maps/a*b/1', nobody).wouldDo?.scopes).toEqual(['svc:data:read']);
  });
});

test('what has opened a call is named, and nothing else', () => {
  const holder = {
    roles: ['MetricsViewer', 'Viewer'],
    scopes: ['openid', 'svc:map:o*:read', 'svc:map:x:read'],
  };
  expect(explain('GET', '/svc/rest/maps/orders/1', holder)).toMatchObject({
    isAllowed: true,
    decision: 'forwarded',
    rule: { template: '/svc/rest/maps/{mapName}/{key...}', group: 'DATA', permission: 'svc:data:read' },
    opened: { roles: ['Viewer'], scopes: ['svc:map:o*:read'] },
  });
});

test.each([
  ['GET', '/svc/rest/nothing', 'not_found', /No rule names/],
  ['PATCH', '/svc/rest/maps/m/k', 'method_not_allowed', /GET, HEAD/],
  ['GET', '/svc/rest/../x', 'invalid_request', /dot segment.*No token/],
  ['GET', '/members/x y/svc/rest/cluster', 'not_found', /No token/],
  ['GET', '/svc/rest/cluster?members=all', 'invalid_request', /for the whole cluster.*No token/],
  ['GET', '/members/127.0.0.1:5701/svc/rest/log-level?members=all', 'invalid_request', /asks for one member/],
])('%s %s is open to nobody: %s', (method, path, decision, because) => {
  const rejected = explain(method, path, { roles: ['Admin'], scopes: [] });
  expect(rejected).toMatchObject({ isAllowed: false, decision });
  expect(rejected.because).toMatch(because);
  expect(rejected.wouldDo).toBeUndefined();
});
