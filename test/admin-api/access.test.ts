/** `/api/v1/access`: why a call was refused, and who may call what, at a running console. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import {
  apiToken,
  machineToken,
  type RunningConsole,
  startConsole,
  usedDataDir,
} from '../helpers/console.ts';
import { signInForTokens } from '../helpers/sign-in.ts';
import { until, withStore } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { startRecorder } from '../member-proxy/servers.ts';

const vera = { username: 'vera', password: 'seven-grey-herons-4' };
let console: RunningConsole;
/** At the admin API. */
let admin: string;
let apiViewer: string;
/** At the members. */
let viewer: string;
beforeAll(async () => {
  console = await startConsole();
  await toolDone(['user', 'add', vera.username, '--role', 'Viewer', '--password-file', '-'], {
    dataDir: console.dataDir,
    stdin: vera.password,
  });
  await until(
    async () => (await createUserAgent(console.url).signIn(vera)).status === 200,
    'vera to sign in',
    15_000,
  );
  [admin, apiViewer, viewer] = await Promise.all([
    apiToken(console),
    apiToken(console, 'app:Viewer'),
    machineToken(console, 'app:Viewer'),
  ]);
});
afterAll(() => console?.stop());

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(path: string, token: string | undefined, method = 'GET'): Promise<Answer> {
  const response = await fetch(console.url + path, {
    method,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), traceparent },
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const explain = (query: Record<string, string>, token = admin) =>
  call(`/api/v1/access/explain?${new URLSearchParams(query)}`, token);
const denied = async (path: string, token: string | undefined, method?: string) =>
  String((await call(path, token, method)).body.decision_id);

describe('a denial is explained by its decision id', () => {
  test('too little: who, which token, which rule, what was missing, the smallest change', async () => {
    const decision = await denied('/svc/rest/maps/orders/1?secret=x', viewer, 'DELETE');
    const { status, body } = await explain({ decision });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      decisionId: decision,
      method: 'DELETE',
      path: '/svc/rest/maps/orders/1',
      status: 403,
      code: 'insufficient_scope',
      traceId,
      missing: 'svc:data:write',
      rule: { template: '/svc/rest/maps/{mapName}/{key...}', group: 'DATA', permission: 'svc:data:write' },
      caller: {
        subject: 'application-client',
        clientId: 'application-client',
        roles: ['Viewer'],
        scopes: ['app:Viewer'],
      },
      change: expect.stringContaining('svc:map:orders:write'),
      now: {
        isAllowed: false,
        wouldDo: { scopes: ['svc:map:orders:write', 'svc:data:write'], roles: ['Admin'] },
      },
    });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(JSON.stringify(body)).not.toContain(viewer);
    expect(Date.parse(String(body.at))).toBeGreaterThan(0);
    const jti = JSON.parse(Buffer.from(viewer.split('.')[1]!, 'base64url').toString()).jti;
    expect((body.caller as { jti: string }).jti).toBe(jti);
  });

  test.each<[string, string, string | undefined, string, number]>([
    ['no token', '/svc/rest/cluster', undefined, 'unauthorized', 401],
    ['a forged one', '/svc/rest/cluster', 'eyJhbGciOiJub25lIn0.e30.', 'invalid_token', 401],
    ['no rule', '/svc/rest/nothing', 'viewer', 'not_found', 404],
    ['no such member', '/members/10.0.0.9:5701/svc/rest/cluster', 'viewer', 'not_found', 404],
  ])('%s', async (_what, path, token, code, status) => {
    const decision = await denied(path, token === 'viewer' ? viewer : token);
    const { body } = await explain({ decision });
    expect(body).toMatchObject({
      code,
      status,
      path,
      caller: status === 401 ? null : { clientId: 'application-client' },
    });
    expect(String(body.change).length).toBeGreaterThan(10);
  });

  test('a member that is not there: no role or scope is asked for, and none is said to be enough', async () => {
    const decision = await denied('/members/10.0.0.9:5701/svc/rest/cluster', viewer);
    expect((await explain({ decision })).body).toMatchObject({
      now: null,
      change: expect.stringContaining('GET /svc/rest/cluster lists them'),
    });
  });

  test('a machine is told to ask for what it may, and never for what would make it an administrator', async () => {
    const { secret } = (
      await toolDone(
        ['client', 'add', 'feeder', '--scope', 'svc:health:read svc:map:orders:write', '--json'],
        {
          dataDir: console.dataDir,
        },
      )
    ).json<{ secret: string }>();
    const tokenWith = async (scope: string) => {
      const reply = await fetch(`${console.url}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`feeder:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
      });
      return ((await reply.json()) as { access_token?: string }).access_token ?? '';
    };
    await until(async () => (await tokenWith('svc:health:read')) !== '', 'the client', 15_000);
    const explained = async (token: string, path: string) =>
      (await explain({ decision: await denied(path, token, 'DELETE') })).body;
    const changeOf = async (token: string, path: string) => String((await explained(token, path)).change);
    const token = await tokenWith('svc:health:read');
    expect(await changeOf(token, '/svc/rest/maps/orders/1')).toBe(
      'Ask for the scope svc:map:orders:write with the token: the client feeder is registered for it.',
    );
    expect(await explained(token, '/svc/rest/maps/customers/1')).toMatchObject({
      change: 'Let the client ask for it too, and ask for the scope svc:map:customers:write with the token.',
      command:
        'npx console client update feeder --scope "svc:health:read svc:map:orders:write svc:map:customers:write"',
    });
    expect(await changeOf(viewer, '/svc/rest/maps/orders/1')).toMatch(
      /^Ask for the token without a scope: .*administrator/,
    );
  });

  test('a name that a shell would run is in no command to paste (S52)', async () => {
    const person = (await signInForTokens(console, createUserAgent(console.url), {}, vera)).access_token;
    const explained = async (name: string) => {
      const decision = await denied(`/svc/rest/maps/${name}/k`, person, 'DELETE');
      return (await explain({ decision })).body;
    };
    expect((await explained('orders')).command).toBe(
      'npx console role add <name> --scope "svc:map:orders:write"',
    );
    for (const name of ['$(id)', '%60id%60', 'a%3Bid', '!!']) {
      const { change, command } = await explained(name);
      expect(change).toContain(decodeURIComponent(name));
      expect(command).toBeNull();
    }
  });

  test('by the command line too', async () => {
    const decision = await denied('/svc/rest/maps/orders/1', viewer, 'DELETE');
    const ask = () => runTool(['explain', '--decision', decision, '--json'], { dataDir: console.dataDir });
    await until(async () => (await ask()).code === 0, 'the denial in the store', 20_000);
    expect((await ask()).json()).toMatchObject({ decisionId: decision, missing: 'svc:data:write' });
    const words = await toolDone(['explain', '--decision', decision], { dataDir: console.dataDir });
    expect(words.stdout).toMatch(/missing +svc:data:write/);
  });

  test.each(['', 'x', 'kstem.0.0', 'x'.repeat(5_000)])('%j is not known', async (decision) => {
    const { status, body } = await explain({ decision });
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});

describe('a call that has not happened', () => {
  test('is explained for a user, a client, roles and scopes', async () => {
    const asked = { method: 'get', path: '/svc/rest/maps/orders/1' };
    expect((await explain({ ...asked, user: 'ada' })).body).toMatchObject({
      isAllowed: true,
      roles: ['Admin'],
    });
    expect((await explain({ ...asked, client: 'application-client' })).body).toMatchObject({
      isAllowed: true,
    });
    expect((await explain({ ...asked, role: 'MetricsViewer' })).body).toMatchObject({ isAllowed: false });
    expect((await explain({ ...asked, scope: 'svc:map:orders:read openid' })).body).toMatchObject({
      isAllowed: true,
      opened: { scopes: ['svc:map:orders:read'] },
    });
  });

  test.each<[Record<string, string>, number]>([
    [{}, 400],
    [{ method: 'GET' }, 400],
    [{ method: 'G T', path: '/svc/health' }, 400],
    [{ method: 'GET', path: '/svc/health', role: 'Boss' }, 400],
    [{ method: 'GET', path: '/svc/health', role: 'Viewer', user: 'ada' }, 400],
    [{ method: 'GET', path: '/svc/health', user: 'nobody' }, 404],
    [{ method: 'GET', path: '/svc/health', user: 'ada', scope: 'svc:health:read' }, 400],
    [{ method: 'GET', path: '/svc/health', decision: 'x' }, 400],
    [{ method: 'GET', path: '/svc/health', other: 'x' }, 400],
  ])('%j is refused', async (query, status) => {
    expect((await explain(query)).status).toBe(status);
  });
});

test('explanations are for administrators, the matrix for readers too, and neither without a token (S49)', async () => {
  const metrics = await apiToken(console, 'app:MetricsViewer');
  expect((await explain({ method: 'GET', path: '/svc/health' }, apiViewer)).status).toBe(403);
  expect((await call('/api/v1/access/matrix', apiViewer)).status).toBe(200);
  // What one user or client may do tells their roles and scopes, and that there is such a one.
  for (const query of ['user=ada', 'client=application-client', '%75ser=nobody', 'role=Viewer&client=x']) {
    expect((await call(`/api/v1/access/matrix?${query}`, apiViewer)).status).toBe(403);
  }
  for (const path of ['/api/v1/access/explain?method=GET&path=/svc/health', '/api/v1/access/matrix']) {
    expect((await call(path, metrics)).status).toBe(403);
    expect((await call(path, undefined)).status).toBe(401);
    expect((await call(path, admin, 'POST')).status).toBe(405);
  }
  expect((await call('/api/v1/access', admin)).status).toBe(404);
  expect((await call('/api/v1/access/constructor', admin)).status).toBe(404);
});

interface Matrix {
  readonly members: readonly { name: string; isIn: boolean }[];
  readonly subjects: readonly { name: string }[];
  readonly endpoints: readonly {
    methods: string[];
    path: string;
    access: Record<string, { outcome: string; names?: string[]; missing?: string }>;
  }[];
}
const matrix = async (query = '') =>
  (await call(`/api/v1/access/matrix${query}`, apiViewer)).body as unknown as Matrix;
const cellOf = ({ endpoints }: Matrix, method: string, path: string, subject: string) =>
  endpoints.find((endpoint) => endpoint.path === path && endpoint.methods.includes(method))!.access[subject];

test('the matrix shows each role at each endpoint and the members, custom roles by the names they open', async () => {
  await toolDone(['role', 'add', 'Orders', '--scope', 'svc:map:orders-*:read svc:health:read'], {
    dataDir: console.dataDir,
  });
  await until(
    async () => (await matrix()).subjects.some(({ name }) => name === 'Orders'),
    'the role in the matrix',
    15_000,
  );
  const all = await matrix();
  expect(all.subjects.map(({ name }) => name)).toEqual(['Admin', 'Viewer', 'MetricsViewer', 'Orders']);
  expect(all.members).toMatchObject([{ isIn: true }]);
  const map = '/svc/rest/maps/{mapName}/{key...}';
  expect(cellOf(all, 'GET', map, 'Orders')).toEqual({ outcome: 'partly', names: ['orders-*'] });
  expect(cellOf(all, 'POST', map, 'Orders')).toEqual({ outcome: 'refused', missing: 'svc:data:write' });
  expect(cellOf(all, 'POST', map, 'Admin')).toEqual({ outcome: 'allowed' });
  expect(cellOf(all, 'GET', map, 'Viewer')).toEqual({ outcome: 'allowed' });

  const one = (await call('/api/v1/access/matrix?client=application-client', admin)).body;
  expect(one.subjects).toMatchObject([{ name: 'application-client', roles: ['Admin'] }]);
  expect((await call('/api/v1/access/matrix?role=Boss', apiViewer)).status).toBe(400);
});

test('a flood of denials does not make the store grow (S83, S90)', async () => {
  const stored = () =>
    withStore(
      console.dataDir,
      async ({ artifacts }) => (await artifacts.list('RefusedCalls', 10_000)).length,
    );
  for (let round = 0; round < 30; round++) {
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => call(`/svc/rest/maps/m/${'x'.repeat(4_000)}${i}`, undefined)),
    );
  }
  // One caller has at most 20 places a second: these thirty batches lie in a few.
  expect(await stored()).toBeLessThan(20);
  const decision = await denied('/svc/rest/maps/orders/1', viewer, 'DELETE');
  expect((await explain({ decision })).status).toBe(200);
});

test('at a member where a group is off, both say so; a stopped console has written down what it refused', async () => {
  const open = ['/hazelcast/health', '/hazelcast/rest/cluster'];
  const member = await startRecorder((req, res) => {
    if (!open.some((start) => req.url!.startsWith(start))) req.socket.destroy();
    else res.end('{}');
  });
  const dataDir = await usedDataDir();
  const other = await startConsole({ dataDir, env: { CONSOLE_MEMBERS: member.address } });
  try {
    const tokens = { api: await apiToken(other), svc: await machineToken(other) };
    const get = async (path: string) => {
      const token = tokens[path.startsWith('/api/') ? 'api' : 'svc'];
      const response = await fetch(other.url + path, { headers: { Authorization: `Bearer ${token}` } });
      return (await response.json()) as Record<string, unknown>;
    };
    const { host } = new URL(member.address);
    const offAt = async () => {
      const { endpoints } = (await get('/api/v1/access/matrix?role=Viewer')) as unknown as Matrix;
      return endpoints
        .filter(({ access }) => (access.Viewer as { groupOffAt?: string[] }).groupOffAt?.includes(host))
        .map(({ path }) => path);
    };
    await until(
      async () => (await offAt()).includes('/svc/rest/maps/{mapName}'),
      'the groups that are off',
      20_000,
    );
    expect(await offAt()).not.toContain('/svc/rest/cluster');
    const { code, decision_id: decision } = await get('/svc/rest/maps/m/k');
    expect(code).toBe('group_disabled');
    await other.stop();
    const explained = await toolDone(['explain', '--decision', String(decision), '--json'], { dataDir });
    expect(explained.json()).toMatchObject({
      code: 'group_disabled',
      rule: { group: 'DATA' },
      reason: expect.stringContaining(host),
      change: expect.stringContaining('configuration of the member'),
    });
  } finally {
    await other.stop();
    await member.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
