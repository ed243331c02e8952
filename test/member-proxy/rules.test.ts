import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rolePermissions } from '../../member-proxy/authorization/permissions.ts';
import { ruleTable } from '../../member-proxy/authorization/rule-table.ts';
import { sendRaw, startProxy, startRecorder, type TestProxy } from './servers.ts';
import { signToken, tokenFor } from './tokens.ts';

let member: Awaited<ReturnType<typeof startRecorder>>;
let proxy: TestProxy;

beforeAll(async () => {
  member = await startRecorder();
  proxy = await startProxy({ members: [member.address] });
});
afterAll(async () => {
  await proxy.close();
  await member.close();
});
afterEach(() => {
  member.seen.length = 0;
});

const call = (method: string, path: string, token: string, headers: Record<string, string> = {}) => {
  const body = ['POST', 'PUT'].includes(method) ? positionalFieldsFor(path) : undefined;
  return fetch(proxy.address + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body }),
  });
};

/** A body of the right number of fields, as the specification has them. */
function positionalFieldsFor(path: string): string | undefined {
  if (/wan\/(?:sync|consistencyCheck)\/map$/.test(path)) return '&&wan&target&map';
  if (/addWanConfig$/.test(path)) return '&&{}';
  if (/\/wan\//.test(path)) return '&&wan&target';
  if (/changeState$|cluster\/version$|log-level$|license$|config\/(?!reload)/.test(path)) return '&&value';
  return /maps|queues/.test(path) ? undefined : '&';
}

const base = '/svc/rest';
const management = `${base}/management/cluster`;
const cp = `${base}/cp-subsystem`;

/**
 * Every call, and who may make it: written down from docs/member-surface.md#endpoint-groups and docs/surface.md#roles,
 * not from the code.
 */
const calls: readonly (readonly [method: string, path: string, scope: string, roles: string])[] = [
  ...[
    '',
    '/ready',
    '/node-state',
    '/cluster-state',
    '/cluster-safe',
    '/migration-queue-size',
    '/cluster-size',
  ].map((probe) => ['GET', `/svc/health${probe}`, 'svc:health:read', 'Viewer MetricsViewer'] as const),
  ['HEAD', '/svc/health', 'svc:health:read', 'Viewer MetricsViewer'],
  ...[
    '/cluster',
    '/instance',
    '/license',
    '/log-level',
    '/management/cluster/version',
    '/config/tcp-ip/member-list',
  ].map((path) => ['GET', base + path, 'svc:cluster:read', 'Viewer MetricsViewer'] as const),
  ['POST', `${management}/state`, 'svc:cluster:read', 'Viewer MetricsViewer'],
  ['PUT', `${management}/nodes/`, 'svc:cluster:read', 'Viewer MetricsViewer'],
  ...['reload', 'upload', 'update', 'tcp-ip/member-list'].map(
    (path) => ['POST', `${base}/config/${path}`, 'svc:cluster:write', ''] as const,
  ),
  ...['changeState', 'version', 'clusterShutdown', 'memberShutdown'].map(
    (path) => ['POST', `${management}/${path}`, 'svc:cluster:write', ''] as const,
  ),
  ['POST', `${base}/license`, 'svc:cluster:write', ''],
  ['POST', `${base}/log-level`, 'svc:cluster:write', ''],
  ['PUT', `${base}/log-level`, 'svc:cluster:write', ''],
  ['DELETE', `${base}/log-level`, 'svc:cluster:write', ''],
  ['POST', `${base}/log-level/reset`, 'svc:cluster:write', ''],
  ...['forceStart/', 'partialStart/', 'backup', 'backupInterrupt', 'hotBackup', 'hotBackupInterrupt'].map(
    (path) => ['POST', `${management}/${path}`, 'svc:persistence:write', ''] as const,
  ),
  ['GET', `${base}/wan/sync/progress/6a3a`, 'svc:wan:read', 'Viewer'],
  ...[
    'sync/map',
    'sync/allmaps',
    'clearWanQueues',
    'addWanConfig',
    'pausePublisher',
    'stopPublisher',
    'resumePublisher',
    'consistencyCheck/map',
  ].map((path) => ['POST', `${base}/wan/${path}`, 'svc:wan:write', ''] as const),
  ...['members/local', 'members', 'groups', 'groups/', 'groups/g', 'groups/g/sessions'].map(
    (path) => ['GET', `${cp}/${path}`, 'svc:cp:read', 'Viewer'] as const,
  ),
  ...[
    'members',
    'members/6a3a/remove',
    'groups/g/remove',
    'groups/g/sessions/7/remove',
    'restart',
    'reset',
  ].map((path) => ['POST', `${cp}/${path}`, 'svc:cp:write', ''] as const),
  ['GET', `${base}/maps/m/k`, 'svc:data:read', 'Viewer'],
  ['HEAD', `${base}/maps/m/k`, 'svc:data:read', 'Viewer'],
  ['POST', `${base}/maps/m/k`, 'svc:data:write', ''],
  ['PUT', `${base}/maps/m/k`, 'svc:data:write', ''],
  ['DELETE', `${base}/maps/m/k`, 'svc:data:write', ''],
  ['DELETE', `${base}/maps/m`, 'svc:data:write', ''],
  ['DELETE', `${base}/maps/m/`, 'svc:data:write', ''],
  ['GET', `${base}/queues/q/size`, 'svc:data:read', 'Viewer'],
  ['POST', `${base}/queues/q`, 'svc:data:write', ''],
  ['POST', `${base}/queues/q/item`, 'svc:data:write', ''],
  ['GET', `${base}/queues/q/0`, 'svc:data:write', ''],
  ['GET', `${base}/queues/q/`, 'svc:data:write', ''],
  ['GET', `${base}/queues/q`, 'svc:data:write', ''],
  ['HEAD', `${base}/queues/q/0`, 'svc:data:write', ''],
  ['DELETE', `${base}/queues/q/0`, 'svc:data:write', ''],
];

describe.each(calls)('%s %s (S60)', (method, path, scope, roles) => {
  test.each(['Admin', 'Viewer', 'MetricsViewer', 'viewer', 'toString', 'none'])('as %s', async (role) => {
    const reply = await call(method, path, await tokenFor(proxy.key, role));
    if (role === 'Admin' || roles.split(' ').includes(role)) {
      expect(reply.status).toBe(200);
      expect(member.seen.map((seen) => `${seen.method} ${seen.url}`)).toEqual([`${method} ${path}`]);
      return;
    }
    expect(reply.status).toBe(403);
    expect(reply.headers.get('www-authenticate')).toMatch(
      new RegExp(`^Bearer error="insufficient_scope", error_description="[^"]+", scope="${scope}"$`),
    );
    expect(member.seen).toEqual([]);
  });

  test('with the scope that the denial names, and with no other', async () => {
    const other = scope.endsWith('read') ? scope.replace('read', 'write') : scope.replace('write', 'read');
    expect((await call(method, path, await scoped(`openid ${scope}`))).status).toBe(200);
    expect((await call(method, path, await scoped(`openid ${other} svc:other:read`))).status).toBe(403);
    expect(member.seen).toHaveLength(1);
  });
});

const scoped = (scope: string) => signToken(proxy.key, { claims: { scope } });

test.each([
  ['svc:map:m:read', 'GET', '/maps/m/k', 200],
  ['svc:map:m:read', 'POST', '/maps/m/k', 403],
  ['svc:map:m:write', 'DELETE', '/maps/m', 200],
  ['svc:map:m:read', 'GET', '/maps/mm/k', 403],
  ['svc:map:m*:read', 'GET', '/maps/mm/k', 200],
  ['svc:map:*:read', 'GET', '/maps/any/k', 200],
  ['svc:map::read', 'GET', '/maps/m/k', 403],
  ['svc:map:a b:read', 'GET', '/maps/a%20b/k', 403],
  ['svc:map:a/b:read', 'GET', '/maps/a%2Fb/k', 403],
  ['svc:map:a:read', 'GET', '/maps/a%2Fb/k', 403],
  ['svc:map:a:read svc:map:a/b:read', 'GET', '/maps/a%2Fb/k', 200],
  ['svc:map:a+b:read', 'GET', '/maps/a+b/k', 403],
  ['svc:map:m:write', 'DELETE', '/maps/m?x', 403],
  ['svc:queue:q:offer', 'POST', '/queues/q', 200],
  ['svc:queue:q:offer', 'DELETE', '/queues/q/0', 403],
  ['svc:queue:q:poll', 'DELETE', '/queues/q/0', 200],
  ['svc:queue:q:poll', 'GET', '/queues/q/size', 403],
  ['svc:queue:q:size', 'GET', '/queues/q/size', 200],
  ['svc:queue:q:size', 'GET', '/queues/q/0', 403],
  ['svc:map:q:poll', 'GET', '/queues/q/0', 403],
] as const)('the scope %s at %s %s is %i', async (scope, method, path, status) => {
  expect((await call(method, base + path, await scoped(scope))).status).toBe(status);
  expect(member.seen).toHaveLength(status === 200 ? 1 : 0);
});

test.each([
  '/svc/',
  '/svc/rest',
  '/svc/rest/',
  '/svc/rest/maps',
  '/svc/rest/maps/',
  '/svc/rest/queues/',
  '/svc/rest/queues/q/5/6',
  '/svc/rest/clusterX',
  '/svc/rest/cluster/x',
  '/svc/REST/cluster',
  '/svc/rest/Cluster',
  '/svc/%72est/cluster',
  '/svc/health/other',
  '/svc/rest/wan',
  '/svc/rest/wan/sync/progress/',
  '/svc/rest/cp-subsystem',
  '/svc/rest/management/cluster/changestate',
  '/svc/1',
])('%s is 404 not_found (S59)', async (path) => {
  const token = await tokenFor(proxy.key, 'Admin');
  for (const method of ['GET', 'POST', 'DELETE']) {
    const reply = await call(method, path, token);
    expect(reply.status).toBe(404);
    expect(await reply.json()).toMatchObject({ code: 'not_found' });
  }
  expect(member.seen).toEqual([]);
});

test.each([
  ['GET', `${management}/state`, 'POST, PUT'],
  ['DELETE', `${base}/cluster`, 'GET, HEAD'],
  ['POST', '/svc/health/ready', 'GET, HEAD'],
  ['GET', `${cp}/reset`, 'POST, PUT'],
  ['DELETE', `${base}/queues/q/size`, 'GET, HEAD'],
  ['DELETE', `${cp}/groups/g`, 'GET, HEAD'],
  ['PATCH', `${base}/maps/m/k`, 'GET, HEAD, POST, PUT, DELETE'],
  ['OPTIONS', `${base}/maps/m/k`, 'GET, HEAD, POST, PUT, DELETE'],
  ['TRACE', `${base}/cluster`, 'GET, HEAD'],
  ['PURGE', `${base}/cluster`, 'GET, HEAD'],
])('%s %s is 405 and says what is allowed (S59)', async (method, path, allow) => {
  const token = await tokenFor(proxy.key, 'Admin');
  const reply = await sendRaw(
    proxy.address,
    `${method} ${path} HTTP/1.1\r\nHost: p\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  expect(reply.status).toBe(405);
  expect(reply.head).toContain(`\r\nAllow: ${allow}\r\n`);
  expect(JSON.parse(reply.body)).toMatchObject({ code: 'method_not_allowed' });
  expect(member.seen).toEqual([]);
});

test('CONNECT is 405 (S59)', async () => {
  const reply = await sendRaw(proxy.address, 'CONNECT member:5701 HTTP/1.1\r\nHost: member:5701\r\n\r\n');
  expect(reply.status).toBe(405);
  expect(member.seen).toEqual([]);
});

test('Upgrade is ignored (S59)', async () => {
  const token = await tokenFor(proxy.key, 'Viewer');
  const reply = await sendRaw(
    proxy.address,
    `GET /svc/health HTTP/1.1\r\nHost: p\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  );
  expect(reply.status).toBe(200);
  expect(member.seen[0]!.headers).not.toHaveProperty('upgrade');
});

test.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
  '%s is ignored (S59)',
  async (name) => {
    const token = await tokenFor(proxy.key, 'Viewer');
    expect((await call('GET', `${base}/maps/m/k`, token, { [name]: 'DELETE' })).status).toBe(200);
    expect((await call('POST', `${base}/maps/m/k`, token, { [name]: 'GET' })).status).toBe(403);
    expect(member.seen.map(({ method }) => method)).toEqual(['GET']);
    expect(member.seen[0]!.headers).not.toHaveProperty(name);
  },
);

test('who is not known is not told which routes exist (S57)', async () => {
  for (const [method, path] of [
    ['GET', '/svc/none'],
    ['TRACE', '/svc/health'],
    ['DELETE', `${base}/maps/m`],
  ] as const) {
    const reply = await sendRaw(proxy.address, `${method} ${path} HTTP/1.1\r\nHost: p\r\n\r\n`);
    expect(reply.status).toBe(401);
  }
  expect(member.seen).toEqual([]);
});

test('docs/proxy.md shows the rules and roles that are in force', () => {
  const document = readFileSync(new URL('../../docs/proxy.md', import.meta.url), 'utf8');
  const rows = ruleTable.map(
    ({ methods, template, group, permission, structure }) =>
      `| ${methods.join(', ')} | \`${template}\` | ${group} | \`${permission}\`${
        structure === undefined ? '' : ` or \`svc:${structure.kind}:<name>:${structure.action}\``
      } |`,
  );
  expect(tableUnder(document, '| Methods | Path |')).toEqual(rows);
  const roles = Object.entries(rolePermissions).map(
    ([role, held]) =>
      `| \`${role}\` | ${held === 'all' ? 'everything' : held.map((one) => `\`${one}\``).join(', ')} |`,
  );
  expect(tableUnder(document, '| Role |')).toEqual(roles);
});

/** The rows of the table whose head starts so. */
function tableUnder(document: string, head: string): string[] {
  const lines = document.slice(document.indexOf(head)).split('\n').slice(2);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end);
}
