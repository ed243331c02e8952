/** docs/surface.md, what is promised to stay, beside the code and a running console. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../console/commands/table.ts';
import { entriesOfTable } from '../../console/settings/names.ts';
import { english } from '../../views/texts/english.ts';
import { sampleElevation, waitingApproval } from '../admin-api/bad-input-objects.ts';
import { writeMemberConfig } from '../admin-api/member-config.ts';
import { missingOpenssl } from '../federation/saml-provider.ts';
import { type SamlServer, startSamlServer } from '../federation/saml-server.ts';
import { runTool } from '../helpers/commands.ts';
import {
  apiToken,
  freePort,
  machineToken,
  type RunningConsole,
  startConsole,
  waitFor,
} from '../helpers/console.ts';
import { oidcProvider, storeWithProviders } from '../helpers/providers.ts';
import { until, withStore } from '../helpers/store.ts';
import { createUserAgent } from '../helpers/user-agent.ts';
import { exists, productFolders, read, sources } from './sources.ts';

const page = read('docs/surface.md');
const codesOf = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);

describe('settings', () => {
  const table = entriesOfTable().map(([, setting]) => setting);
  const named = (heading: string) => codesOf(section(heading)).filter((code) => /^[A-Z][A-Z_]+$/.test(code));
  const [ofConsole, ofProxy, ofMember, ofDashboard] = [
    named('Settings of the console'),
    named('Settings of the proxy alone'),
    named('Settings of the member'),
    named('Dashboard settings'),
  ];

  test('are exactly those of the table, each once', () => {
    const all = [...ofConsole, ...ofProxy, ...ofMember, ...ofDashboard];
    expect(all.sort()).toEqual(table.flatMap(({ env }) => env).sort());
  });

  test('of the proxy alone, of the member and of the dashboard are where they belong', () => {
    const alone = table.filter(({ meaning }) => /^`npm run proxy`|^secret of that client/.test(meaning));
    expect(ofProxy.sort()).toEqual(alone.flatMap(({ env }) => env).sort());
    expect(ofMember.every((name) => name.startsWith('MEMBER_'))).toBe(true);
    expect(ofDashboard.every((name) => name.startsWith('APP_SECURITY_'))).toBe(true);
  });

  test('of the dashboard, as properties, are exactly those that it reads', () => {
    const properties = codesOf(section('Dashboard settings')).filter((code) =>
      /^(?:app|svc)\.[\w.-]+$/.test(code),
    );
    const internal = 'svc.mc.app.internalAddress'; // which the console reads
    const code = [...read('dashboard/settings.ts').matchAll(/'((?:app|svc)\.[\w.-]+)'/g)].map(
      ([, name]) => name,
    );
    expect(properties.filter((name) => name !== internal).sort()).toEqual([...new Set(code)].sort());
  });
});

test('commands are exactly those of the command line', () => {
  const rows = section('The command line')
    .split('\n')
    .filter((line) => /^\| [a-z]/.test(line));
  expect(rows.flatMap(codesOf).sort()).toEqual(commands.map(({ name }) => name).sort());
});

test('every npm script that is promised is there', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
  const promised = [...section('Commands of the project').matchAll(/npm (?:run )?(\w+)/g)].map(
    ([, name]) => name!,
  );
  const own = promised.filter((name) => !['ci', 'pack', 'run'].includes(name));
  expect(own.length).toBeGreaterThan(8);
  expect(own.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

describe('events of the audit trail', () => {
  const rows = section('Log fields')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const promised = rows.slice(rows.findIndex((line) => line.includes('Events')) + 1).flatMap(codesOf);
  const code = sources.filter(({ path }) => productFolders.some((folder) => path.startsWith(`${folder}/`)));

  test('are all told somewhere', () => {
    expect(promised.length).toBeGreaterThan(40);
    const silent = promised.filter((event) => !code.some(({ text }) => text.includes(`'${event}'`)));
    expect(silent).toEqual([]);
  });

  test('are all called something on pages, in English and so in every language', () => {
    const named = Object.keys(english).filter((key) => key.startsWith('event.'));
    expect(named.map((key) => key.slice('event.'.length)).sort()).toEqual(promised.sort());
  });

  test('are all on the page', () => {
    const reported = code
      .filter(({ path }) => path.startsWith('console/') && !path.startsWith('console/federation/ldap/'))
      .flatMap(({ text }) => [
        ...text.matchAll(/(?:\baudit\(|\bevent: |\breport\(ctx, |onChange\(ctx, |change\()'([a-z._]+)'/g),
      ])
      .map(([, event]) => event!);
    expect(reported.length).toBeGreaterThan(40);
    expect([...new Set(reported)].filter((event) => !promised.includes(event))).toEqual([]);
  });
});

describe('a running console', () => {
  const withSaml = missingOpenssl() === undefined;
  const addresses = codesOf(section('Addresses')).flatMap((code) => {
    const [, method, path] = /^(GET|POST|PATCH|PUT|DELETE) (\/\S*)$/.exec(code) ?? [];
    return method && (withSaml || !path!.includes('saml')) ? [{ method, path: path! }] : [];
  });

  let console: RunningConsole;
  let saml: SamlServer | undefined;
  let dataDir: string;
  let known: Readonly<Record<string, string>>;
  let tokens: Readonly<Record<'api' | 'svc', string>>;
  beforeAll(async () => {
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const corp = oidcProvider('corp', 'Corp', 'https://idp.example');
    saml = withSaml ? await startSamlServer(url, 'staff', 'Staff', 'redirect') : undefined;
    dataDir = await storeWithProviders(corp, ...(saml ? [saml.provider] : []));
    console = await startConsole({ port, dataDir, env: { MEMBER_CONFIG: writeMemberConfig() } });
    tokens = { api: await apiToken(console), svc: await machineToken(console) };
    const cluster = await call('GET', '/svc/rest/cluster');
    const { members } = (await cluster.json()) as { members: readonly { uuid: string }[] };
    const role = { id: 'reader', permissions: ['svc:map:m:read'] };
    expect((await call('POST', '/api/v1/roles', JSON.stringify(role))).status).toBe(201);
    const licence = { id: 'lic-1', holder: 'Orders Ltd', edition: 'team' };
    expect((await call('PUT', '/api/v1/licence', JSON.stringify(licence))).status).toBe(200);
    const { items } = (await (await call('GET', '/api/v1/keys')).json()) as { items: { id: string }[] };
    const described = { document: { version: 1, source: 'team', roles: {} } };
    const planned = await call('POST', '/api/v1/configuration/plans', JSON.stringify(described));
    const { id: plan } = (await planned.json()) as { id: string };
    const entry = JSON.stringify({ value: '' });
    expect((await call('PUT', '/api/v1/maps/orders/entries/1', entry)).status).toBe(201);
    await createUserAgent(url).signIn();
    const sessions = (await (await call('GET', '/api/v1/sessions')).json()) as { items: { id: string }[] };
    const job = (await (await call('POST', '/api/v1/backups')).json()) as { id: string };
    const many = JSON.stringify({ operation: 'enableUser', ids: ['nobody'] });
    const bulkAct = (await (await call('POST', '/api/v1/jobs/bulk-acts', many)).json()) as { id: string };
    const offered = JSON.stringify({ value: '' });
    expect((await call('POST', '/api/v1/queues/jobs/offer', offered)).status).toBe(200);
    const drained = await call('POST', '/api/v1/queues/jobs/drains', JSON.stringify({ most: 1 }));
    const { id: drain } = (await drained.json()) as { id: string };
    const read = await call('POST', '/api/v1/maps/orders/readings', JSON.stringify({ keys: ['1'] }));
    const { id: reading } = (await read.json()) as { id: string };
    await waitFor(() => existsSync(join(dataDir, 'queue-items', drain)), 'the items');
    await waitFor(() => existsSync(join(dataDir, 'backups', job.id.replace('job', 'bak'))), 'the backup');
    await withStore(dataDir, async ({ artifacts }) => {
      await artifacts.put('Approval', waitingApproval.id, { payload: waitingApproval });
      await artifacts.put('Elevation', sampleElevation.id, { payload: sampleElevation });
    });
    const audited = (await (await call('GET', '/api/v1/audit')).json()) as {
      items: { id: string; requestId: string | null }[];
    };
    known = {
      approval: waitingApproval.id,
      elevation: sampleElevation.id,
      auditEntry: audited.items[0]!.id,
      id: audited.items.find(({ requestId }) => requestId !== null)!.requestId!,
      job: job.id,
      bulkAct: bulkAct.id,
      backup: job.id.replace('job', 'bak'),
      plan,
      role: 'reader',
      client: 'application-client',
      application: 'application-dashboard',
      secret: 'a',
      // The last administrator, whom nothing here ends.
      user: 'ada',
      session: sessions.items[0]!.id,
      member: members[0]!.uuid,
      map: 'orders',
      ...(await clusterParams()),
      entry: '1',
      queue: 'jobs',
      drain,
      reading,
      kind: 'queues',
      name: 'jobs',
      key: items[0]!.id,
      setting: 'CONSOLE_URL',
      call: await waitingCall(),
      denials: await mutedDenials(),
    };
  });
  afterAll(async () => {
    await console?.stop();
    await saml?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function clusterParams() {
    const cp = (await (await call('GET', '/api/v1/cp')).json()) as { members: [{ id: string }] };
    const started = await call('POST', '/api/v1/wan/atlantic/publishers/london/sync', '{}');
    const { lastSync } = (await started.json()) as { lastSync: { sync: string } };
    const wan = { replication: 'atlantic', publisher: 'london', sync: lastSync.sync };
    return { ...wan, group: 'default', cpSession: '7', cpMember: cp.members[0].id };
  }

  async function mutedDenials(): Promise<string> {
    const asked = { client: 'application-client', method: 'GET', path: '/svc/rest/cluster' };
    const muted = await call('POST', '/api/v1/access/muted-denials', JSON.stringify(asked));
    return ((await muted.json()) as { id: string }).id;
  }

  /** A poll of a queue to which nobody offers. */
  async function waitingCall(): Promise<string> {
    void call('GET', '/svc/rest/queues/nothing/300').catch(() => {});
    let id: string | undefined;
    await until(async () => {
      const { items } = (await (await call('GET', '/api/v1/traffic/open')).json()) as {
        items: { id: string }[];
      };
      id = items[0]?.id;
      return id !== undefined;
    }, 'the poll that waits');
    return id!;
  }

  function call(method: string, path: string, body?: string): Promise<Response> {
    const token = path.startsWith('/api/') ? tokens.api : tokens.svc;
    const type = path.startsWith('/api/') ? 'application/json' : 'application/x-www-form-urlencoded';
    return fetch(console.url + path, {
      method,
      redirect: 'manual',
      headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { 'Content-Type': type }) },
      ...(body !== undefined && { body }),
    });
  }
  const filledIn = (path: string) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) =>
      name === 'idp' ? (path.includes('saml') ? 'staff' : 'corp') : known[name]!,
    );

  test('answers every address that is promised, with an id', async () => {
    expect(addresses.length).toBeGreaterThan(40);
    for (const { method, path } of addresses) {
      const response = await call(method, filledIn(path), method === 'GET' ? undefined : '');
      expect([404, 405, 500, 501], `${method} ${path}`).not.toContain(response.status);
      expect(response.headers.get('x-request-id'), `${method} ${path}`).toMatch(/\S/);
      await response.body?.cancel();
    }
  });

  test.each([
    '/nothing',
    '/oauth2/nothing',
    '/api/v1/nothing',
    '/svc/nothing',
    '/hazelcast/nothing',
    '/login/callback/nobody',
  ])('and says 404 to the same caller at %s', async (path) => {
    expect((await call('GET', path)).status).toBe(404);
  });

  test('challenges at 401, and names what is taken at 405', async () => {
    const bare = await fetch(`${console.url}/svc/rest/cluster`);
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const wrong = await fetch(`${console.url}/oauth2/token`, { method: 'GET' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test.each([
    { scope: undefined, more: [] },
    { scope: 'openid email profile app:Viewer', more: ['preferred_username', 'email'] },
  ])('puts the promised claims and no others into a token for $scope', async ({ scope, more }) => {
    const rows = section('Access tokens')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const always = rows
      .filter((row) => row.includes('every token'))
      .flatMap((row) => codesOf(row.split('|')[1]!));
    const payload = (await machineToken(console, scope)).split('.')[1]!;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(Object.keys(claims).sort()).toEqual([...always, ...more].sort());
    expect(claims.realm_access).toEqual({ roles: claims.roles });
  });

  test('gives the role that stands in the table', async () => {
    const rolesOf = async (scope?: string) =>
      JSON.parse(Buffer.from((await machineToken(console, scope)).split('.')[1]!, 'base64url').toString())
        .roles;
    const rows = section('Roles')
      .split('\n')
      .flatMap((line) => /^\| `(\w+)`/.exec(line)?.[1] ?? []);
    expect(rows).toEqual(['Admin', 'Viewer', 'MetricsViewer']);
    expect([await rolesOf(), await rolesOf('app:Viewer'), await rolesOf('app:MetricsViewer')]).toEqual([
      ['Admin'],
      ['Viewer'],
      ['MetricsViewer'],
    ]);
  });

  test('registers machines for every scope that is promised, and for none that is not', async () => {
    const groups = ['cluster', 'health', 'data', 'wan', 'cp', 'persistence'];
    const promised = section('Scopes')
      .split('\n')
      .filter((line) => /^\| `(?:app|svc|api):/.test(line))
      .flatMap((line) => codesOf(line.split('|')[1]!))
      .flatMap((scope) =>
        scope.includes('<group>') ? groups.map((group) => scope.replace('<group>', group)) : [scope],
      )
      .map((scope) => scope.replace('<name>', 'orders-*'));
    expect(promised.length).toBeGreaterThan(20);
    const add = (id: string, scope: string) =>
      runTool(['client', 'add', id, '--scope', scope], { dataDir: console.dataDir });
    expect(await add('tool', promised.join(' '))).toMatchObject({ code: 0, stderr: '' });
    expect(await add('other', 'svc:everything:read')).toMatchObject({ code: 1 });
  });

  test('logs lines with the promised fields', async () => {
    await console.waitFor(() => console.log().some(({ event }) => event === 'role.added'), 'an audit line');
    const lines = console.log();
    expect(lines.filter((line) => !['level', 'time', 'msg'].every((field) => field in line))).toEqual([]);
    const trail = lines.filter(({ audit }) => audit === true);
    expect(trail.length).toBeGreaterThan(5);
    const events = codesOf(section('Log fields'));
    expect(trail.filter(({ event }) => !events.includes(event as string))).toEqual([]);
    const outcomes = ['success', 'partial', 'failure', 'denied'];
    expect(trail.filter(({ outcome }) => !outcomes.includes(outcome as string))).toEqual([]);
    expect(trail.filter(({ time }) => !/^\d{4}-\d\d-\d\dT.*Z$/.test(String(time)))).toEqual([]);
  });
});

test('the page leads to what it does not repeat', () => {
  for (const other of ['settings', 'errors', 'operations', 'cli', 'admin-api', 'applications']) {
    expect(exists(`docs/${other}.md`)).toBe(true);
    expect(page).toContain(`](${other}.md`);
  }
});

/** What stands below a heading, up to the next one of the same or a higher level. */
function section(heading: string): string {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start < 0) throw new Error(`docs/surface.md has no heading "${heading}"`);
  const level = lines[start]!.indexOf(' ');
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level);
  return (end < 0 ? rest : rest.slice(0, end)).join('\n');
}
