/** Roles that administrators make: what a token opens hangs on what its roles are now. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRoleBook } from '../../member-proxy/authorization/role-permissions.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { until } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { startProxy, startRecorder, type TestProxy } from './servers.ts';
import { signToken, tokenFor } from './tokens.ts';

describe('at the proxy, denied by default (S60)', () => {
  const defined = new Map<string, readonly string[]>();
  const listeners = new Set<() => void>();
  let member: Awaited<ReturnType<typeof startRecorder>>;
  let proxy: TestProxy;
  beforeAll(async () => {
    member = await startRecorder();
    const roles = createRoleBook({
      customPermissions: (role) => defined.get(role),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    proxy = await startProxy({ members: [member.address], roles });
    define('Orders', 'svc:map:orders-*:read', 'svc:queue:jobs:offer', 'svc:health:read');
    // Who could write the registry by hand gains nothing by it.
    for (const name of ['Viewer', 'Admin', 'MetricsViewer']) define(name, 'svc:persistence:write');
    define('Wild', '*', 'all', 'svc:*:write', 'svc:data', 'app:Admin', 'Admin', '');
  });
  afterAll(async () => {
    await proxy.close();
    await member.close();
  });

  function define(name: string, ...permissions: string[]): void {
    defined.set(name, permissions);
    for (const listener of listeners) listener();
  }
  const statusOf = async (method: string, path: string, token: string) => {
    const post = method === 'POST' ? { body: 'x' } : {};
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(proxy.address + path, { method, headers, ...post })).status;
  };

  test.each([
    ['Orders', 'GET', '/svc/rest/maps/orders-1/k', 200],
    ['Orders', 'GET', '/svc/health', 200],
    ['Orders', 'POST', '/svc/rest/queues/jobs', 200],
    ['Orders', 'GET', '/svc/rest/maps/customers/k', 403],
    ['Orders', 'GET', '/svc/rest/maps/orders/k', 403],
    ['Orders', 'POST', '/svc/rest/maps/orders-1/k', 403],
    ['Orders', 'DELETE', '/svc/rest/maps/orders-1', 403],
    ['Orders', 'GET', '/svc/rest/queues/jobs/0', 403],
    ['Orders', 'GET', '/svc/rest/maps/orders-1%2F..x/k', 200],
    ['Orders', 'GET', '/svc/rest/maps/x%2Forders-1/k', 403],
    ['Orders', 'GET', '/svc/rest/cluster', 403],
    ['orders', 'GET', '/svc/rest/maps/orders-1/k', 403],
    ['Orders ', 'GET', '/svc/rest/maps/orders-1/k', 403],
    ['Unknown', 'GET', '/svc/health', 403],
    ['toString', 'GET', '/svc/health', 403],
    ['__proto__', 'GET', '/svc/health', 403],
    ['svc:health:read', 'GET', '/svc/health', 403],
    ['Viewer', 'POST', '/svc/rest/management/cluster/forceStart', 403],
    ['MetricsViewer', 'GET', '/svc/rest/maps/m/k', 403],
    ['Wild', 'GET', '/svc/health', 403],
    ['Wild', 'POST', '/svc/rest/maps/m/k', 403],
  ])('role %j, %s %s is %i', async (role, method, path, status) => {
    member.seen.length = 0;
    expect(await statusOf(method, path, await tokenFor(proxy.key, role))).toBe(status);
    expect(member.seen).toHaveLength(status === 200 ? 1 : 0);
  });

  test('several roles and scopes add up, and a change counts for a token that was used before', async () => {
    define('Changing', 'svc:health:read');
    const claims = { roles: ['Changing', 'Orders'], scope: 'svc:cp:read' };
    const token = await signToken(proxy.key, { claims });
    for (const path of ['/svc/health', '/svc/rest/maps/orders-1/k', '/svc/rest/cp-subsystem/groups']) {
      expect(await statusOf('GET', path, token)).toBe(200);
    }
    expect(await statusOf('GET', '/svc/rest/cluster', token)).toBe(403);
    define('Changing', 'svc:cluster:read');
    expect(await statusOf('GET', '/svc/rest/cluster', token)).toBe(200);
    defined.delete('Changing');
    for (const listener of listeners) listener();
    expect(await statusOf('GET', '/svc/rest/cluster', token)).toBe(403);
  });
});

describe('in a running console', () => {
  const password = 'seven-grey-herons-4';
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());

  const tool = (args: readonly string[], stdin?: string) =>
    toolDone(args, { dataDir: console.dataDir, ...(stdin !== undefined && { stdin }) });

  async function personWith(username: string, ...roles: string[]) {
    const flags = roles.flatMap((role) => ['--role', role]);
    await tool(['user', 'add', username, ...flags, '--password-file', '-'], password);
    const agent = () => createUserAgent(console.url);
    await until(
      async () => (await agent().signIn({ username, password })).status === 200,
      `${username} to sign in`,
      15_000,
    );
    return tokenOf(username);
  }

  /** @param parameters  of the authorization request */
  async function tokenOf(username: string, parameters: Record<string, string> = {}) {
    const agent = createUserAgent(console.url);
    return (await signInForTokens(console, agent, parameters, { username, password })).access_token;
  }

  function call(method: string, path: string, token: string, body?: string): Promise<Response> {
    const headers = { authorization: `Bearer ${token}` };
    return fetch(console.url + path, { method, headers, ...(body !== undefined && { body }) });
  }

  test('a person with a role opens what it says, also after it is changed, and nothing once it is removed', async () => {
    await tool(['role', 'add', 'Jobs', '--scope', 'svc:queue:jobs:poll svc:queue:jobs:size']);
    const token = await personWith('jo', 'Jobs');
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    expect([claims.roles, claims.realm_access.roles]).toEqual([['Jobs'], ['Jobs']]);
    expect((await call('GET', '/svc/rest/queues/jobs/size', token)).status).toBe(200);
    expect((await call('GET', '/svc/rest/queues/other/size', token)).status).toBe(403);
    expect((await call('POST', '/svc/rest/queues/jobs', token, 'x')).status).toBe(403);

    // A poll that waits ends when the role does not open it any more.
    const waiting = call('DELETE', '/svc/rest/queues/jobs/300', token);
    await pause(200);
    await tool(['role', 'update', 'Jobs', '--scope', 'svc:queue:jobs:offer']);
    const poll = await waiting;
    expect([poll.status, ((await poll.json()) as { code: string }).code]).toEqual([
      403,
      'insufficient_scope',
    ]);
    expect((await call('GET', '/svc/rest/queues/jobs/size', token)).status).toBe(403);
    expect((await call('POST', '/svc/rest/queues/jobs', token, 'x')).status).toBe(200);

    const { stdout } = await tool(['role', 'remove', '--yes', 'Jobs']);
    expect(stdout).toContain('Taken from jo.');
    await until(
      async () => (await call('POST', '/svc/rest/queues/jobs', token, 'x')).status === 401,
      'the end of the token',
      15_000,
    );
    expect((await tool(['user', 'show', 'jo', '--json'])).json().roles).toEqual([]);
    // Another role of this name is not jo's.
    await tool(['role', 'add', 'Jobs', '--scope', 'svc:queue:jobs:offer']);
    expect((await tool(['role', 'show', 'Jobs', '--json'])).json().users).toEqual([]);
    expect((await call('POST', '/svc/rest/queues/jobs', token, 'x')).status).toBe(401);
  });

  test('it opens nothing of the admin API and no numbers, and its meaning stands on the page of who has it (S49)', async () => {
    await tool(['role', 'add', 'Everything', '--scope', 'svc:cluster:read svc:cluster:write svc:data:write']);
    const token = await personWith('ed', 'Everything');
    expect((await call('GET', '/svc/rest/cluster', token)).status).toBe(200);
    const atApi = await tokenOf('ed', { resource: `${console.url}/api` });
    for (const path of ['/api/v1/roles', '/api/v1/identity-providers', '/api/v1/access/matrix']) {
      expect((await call('GET', path, atApi)).status).toBe(403);
    }
    const fromElsewhere = { authorization: `Bearer ${token}`, via: '1.1 proxy' };
    expect((await fetch(`${console.url}/metrics`, { headers: fromElsewhere })).status).toBe(403);
    const agent = createUserAgent(console.url);
    await agent.signIn({ username: 'ed', password });
    expect((await agent.get('/account')).body).toContain(
      'At the members: svc:cluster:read, svc:cluster:write',
    );
  });

  test('rules of a provider give it, and it is not removed while they do', async () => {
    await tool(['role', 'add', 'FromOutside', '--scope', 'svc:health:read']);
    const add = (role: string) => {
      const rule = ['--role-rule', `groups=ops -> ${role}`];
      const oidc = ['--issuer', 'https://idp.example', '--client-id', 'c', '--client-auth', 'none'];
      return runTool(['idp', 'add', 'corp', '--kind', 'oidc', ...oidc, ...rule, '--json'], {
        dataDir: console.dataDir,
      });
    };
    const unknown = await add('Nobody');
    expect([unknown.code, unknown.json().error]).toEqual([1, 'invalid_request']);
    expect((await add('FromOutside')).code).toBe(0);
    const rejected = await runTool(['role', 'remove', '--yes', 'FromOutside', '--json'], {
      dataDir: console.dataDir,
    });
    expect([rejected.code, rejected.json().error]).toEqual([1, 'conflict']);
    await tool(['idp', 'remove', '--yes', 'corp']);
    await tool(['role', 'remove', '--yes', 'FromOutside']);
  });

  test.each([
    [['user', 'roles', 'ada', '--role', 'Boss'], 2],
    [['role', 'add', 'Admin', '--scope', 'svc:health:read'], 1],
    [['role', 'add', 'x', '--scope', 'app:Viewer'], 1],
    [['role', 'add', 'x'], 2],
    [['role', 'update', 'Nobody', '--scope', 'svc:health:read'], 1],
    [['role', 'update', 'Nobody'], 2],
    [['role', 'show', 'Nobody'], 1],
    [['role', 'remove', '--yes', 'Viewer'], 1],
  ])('%j is refused', async (args, code) => {
    expect((await runTool(args, { dataDir: console.dataDir })).code).toBe(code);
  });
});
