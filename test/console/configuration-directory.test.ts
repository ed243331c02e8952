/** `CONSOLE_CONFIG_DIR`: files that a console keeps to, from its start on. */
import { cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type ApiCaller, apiCaller } from '../admin-api/support.ts';
import { runTool } from '../helpers/commands.ts';
import {
  apiToken,
  type ConsoleOptions,
  type RunningConsole,
  startConsole,
  untilReady,
} from '../helpers/console.ts';
import { until } from '../helpers/store.ts';

const running: RunningConsole[] = [];
const directories: string[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((console) => console.stop()));
  await Promise.all(directories.splice(0).map((path) => rm(path, { recursive: true, force: true })));
});

async function newDirectory(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'console-configuration-'));
  directories.push(directory);
  for (const [name, text] of Object.entries(files)) await put(directory, name, text);
  return directory;
}

async function put(directory: string, name: string, text: string): Promise<void> {
  await mkdir(join(directory, name, '..'), { recursive: true });
  await writeFile(join(directory, name), text);
}

async function started(directory: string, options: ConsoleOptions = {}) {
  const env = {
    CONSOLE_CONFIG_DIR: directory,
    METRICS_SECRET: 'metrics-0123456789-abcdefghijklmn',
    ...options.env,
  };
  const console = await startConsole({ ...options, env });
  running.push(console);
  return { console, call: apiCaller(console, '', await apiToken(console)) };
}

const manyLines = '# so that it is read in a process of its own\n'.repeat(2000);
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => `  many-${i}: { permissions: [svc:health:read] }\n`).join('');
const roles = (names: readonly string[], source = 'platform-team') =>
  `version: 1\nsource: ${source}\nroles:\n${names.map((name) => `  ${name}: { permissions: [svc:health:read] }\n`).join('')}`;
const statusOf = async (call: ApiCaller, path: string) => (await call('GET', path)).status;
const becomes = (call: ApiCaller, path: string, status: number) =>
  until(async () => (await statusOf(call, path)) === status, `${path} is ${status}`, 15_000);
const auditOf = (console: RunningConsole, event: string) =>
  console.log().filter((line) => line.audit === true && line.event === event);

async function tokenOf({ url }: RunningConsole, id: string, secret: string): Promise<number> {
  const response = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  await response.arrayBuffer();
  return response.status;
}

const machines = `version: 1
source: platform-team
roles:
  orders-reader: { permissions: ["svc:map:orders-*:read"] }
clients:
  billing:
    scopes: ["svc:map:orders-*:read"]
    secrets: [{ id: a, from: { file: secrets/billing-a } }]
  metrics:
    scopes: ["app:MetricsViewer"]
    secrets: [{ id: main, from: { env: METRICS_SECRET } }]
`;

describe('files of a directory', () => {
  test('are in force when the console answers for the first time, of several sources, with secrets beside them', async () => {
    const secret = 'billing-0123456789-abcdefghijklmn';
    const directory = await newDirectory({
      'a.yaml': manyLines + machines,
      'secrets/billing-a': `${secret}\n`,
      'b.yml': roles(['more'], 'another-team'),
      'c.json': JSON.stringify({
        version: 1,
        source: 'another-team',
        clients: { third: { scopes: ['svc:health:read'] } },
      }),
      // Uses a role that a later file describes.
      '0.yaml': 'version: 1\nsource: people\nusers:\n  vera: { roles: [more] }\n',
      'notes.txt': 'not read',
    });
    const { console, call } = await started(directory);
    expect(await tokenOf(console, 'billing', secret)).toBe(200);
    expect(await tokenOf(console, 'metrics', 'metrics-0123456789-abcdefghijklmn')).toBe(200);
    const owners = await Promise.all(
      ['/roles/orders-reader', '/clients/billing', '/roles/more', '/clients/third'].map(
        async (path) => (await call('GET', path)).body.owner,
      ),
    );
    expect(owners.map(({ source }) => source)).toEqual([
      'platform-team',
      'platform-team',
      'another-team',
      'another-team',
    ]);
    expect((await call('GET', '/configuration/directory')).body).toMatchObject({
      path: directory,
      state: 'applied',
      problem: null,
      sources: [
        { source: 'people', state: 'applied', counts: { create: 1 } },
        { source: 'platform-team', state: 'applied', counts: { create: 3 } },
        { source: 'another-team', state: 'applied', counts: { create: 2 } },
      ],
    });
    expect(auditOf(console, 'configuration.applied')).toMatchObject([
      { target: 'platform-team', via: 'code', actor: 'CONSOLE_CONFIG_DIR', outcome: 'success' },
      { target: 'another-team' },
      { target: 'people' },
    ]);
    expect(console.stderr()).not.toContain(secret);
    const changed = await call('PATCH', '/clients/billing', { displayName: 'By hand' });
    expect([changed.status, changed.body.code]).toEqual([409, 'owned_by_code']);
  });

  test('change nothing at the second start, and what was held stays so', async () => {
    const directory = await newDirectory({ 'a.yaml': roles(['kept']) });
    await put(
      directory,
      'b.yaml',
      'version: 1\nsource: platform-team\nclients:\n  c1: {scopes: [svc:health:read]}\n',
    );
    const dataDir = await mkdtemp(join(tmpdir(), 'console-test-'));
    directories.push(dataDir);
    const first = await started(directory, { dataDir, isFirstStart: true });
    expect((await first.call('POST', '/clients/c1/disable')).status).toBe(200);
    await first.console.stop();
    const second = await started(directory, { dataDir });
    expect((await second.call('GET', '/configuration/directory')).body.sources).toEqual([
      { source: 'platform-team', state: 'applied', problem: null, counts: { unchanged: 1, held: 1 } },
    ]);
    expect((await second.call('GET', '/clients/c1')).body).toMatchObject({
      status: 'disabled',
      hold: { reason: 'client.disabled' },
    });
    expect(auditOf(second.console, 'configuration.applied')).toEqual([]);
  });

  test('are followed: what is added is made, what is taken out is removed, a secret that is exchanged counts', async () => {
    const [former, next] = ['former', 'latter'].map((word) => `${word}-0123456789-abcdefghijklmnop`);
    const directory = await newDirectory({
      'a.yaml': roles(['one', 'two']),
      'b.yaml':
        'version: 1\nsource: other\nclients:\n  rotated: { scopes: [svc:health:read], secrets: [{ id: a, from: { file: secrets/a } }] }\n',
      'secrets/a': former!,
    });
    const { console, call } = await started(directory);
    expect([await statusOf(call, '/roles/two'), await tokenOf(console, 'rotated', former!)]).toEqual([
      200, 200,
    ]);
    await put(directory, 'a.yaml', roles(['one', 'three']));
    await put(directory, 'secrets/a', next!);
    await until(async () => (await tokenOf(console, 'rotated', next!)) === 200, 'the next secret', 15_000);
    expect(await tokenOf(console, 'rotated', former!)).toBe(401);
    expect(await statusOf(call, '/roles/three')).toBe(200);
    expect(await statusOf(call, '/roles/two')).toBe(404);
  }, 30_000);

  test('are followed by several processes, and where a volume is exchanged as a whole, by links', async () => {
    const directory = await newDirectory({
      '..v1/a.yaml': roles(['first']),
      '..v2/a.yaml': roles(['second']),
    });
    await symlink('..v1', join(directory, '..data'));
    await symlink('..data/a.yaml', join(directory, 'a.yaml'));
    const { call } = await started(directory, { env: { CONSOLE_WORKERS: '2' } });
    const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(call, '/roles/first')));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await symlink('..v2', join(directory, '..new'));
    await rename(join(directory, '..new'), join(directory, '..data'));
    await becomes(call, '/roles/second', 200);
  }, 30_000);
});

describe('files that are wrong', () => {
  const names = Array.from({ length: 12 }, (_, n) => `kept-${n}`);
  let former: string | undefined;

  /** @returns a data directory of a console that has kept to other files */
  async function inForce(): Promise<string> {
    const dataDir = await mkdtemp(join(tmpdir(), 'console-test-'));
    directories.push(dataDir);
    if (former === undefined) {
      former = await mkdtemp(join(tmpdir(), 'console-test-'));
      const { console } = await started(await newDirectory({ 'a.yaml': roles(names) }), {
        dataDir: former,
        isFirstStart: true,
      });
      await console.stop();
    }
    await cp(former, dataDir, { recursive: true });
    return dataDir;
  }
  afterAll(async () => {
    if (former !== undefined) await rm(former, { recursive: true, force: true });
  });

  const wrong = [
    { what: 'no YAML', file: 'roles: [', says: /a\.yaml is not YAML at line 1/ },
    { what: 'much that is no YAML', file: `${manyLines}roles: [`, says: /a\.yaml is not YAML at line 2001/ },
    {
      what: 'a key twice in much',
      file: `version: 1\nsource: platform-team\nroles:\n${many(2000)}  many-7: {}\n`,
      says: /a\.yaml is not YAML at line 2004 \(DUPLICATE_KEY\)/,
    },
    { what: 'a kind that there is not', file: 'version: 1\nsource: s1\nrules: {}\n', says: /not known/ },
    { what: 'no source', file: 'version: 1\nroles: {}\n', says: /source/ },
    {
      what: 'a permission that there is not',
      file: 'version: 1\nsource: platform-team\nroles:\n  fine: { permissions: [svc:health:read] }\n  bad: { permissions: [svc:nothing] }\n',
      says: /roles\/bad/,
    },
    {
      what: 'a secret outside the directory',
      file: 'version: 1\nsource: platform-team\nclients:\n  c: { secrets: [{ id: a, from: { file: /etc/hostname } }] }\n',
      says: /outside the directory/,
    },
    {
      what: 'a setting of the console for a secret',
      file: 'version: 1\nsource: platform-team\nclients:\n  c: { secrets: [{ id: a, from: { env: CONSOLE_ADMIN_PASSWORD } }] }\n',
      says: /CONSOLE_ADMIN_PASSWORD, which is not set/,
    },
    {
      what: 'more removals than are few',
      file: 'version: 1\nsource: platform-team\nroles: {}\n',
      says: /--prune-count 12/,
    },
  ];

  test.each(wrong)('at a start leave what was in force: $what', async ({ file, says }) => {
    const directory = await newDirectory({ 'a.yaml': file });
    const { console, call } = await started(directory, { dataDir: await inForce() });
    const { body } = await call('GET', '/configuration/directory');
    expect(body).toMatchObject({ state: 'refused', appliedAt: expect.stringMatching(/Z$/) });
    expect(body.problem).toMatch(says);
    const told = await runTool(['config', 'status'], { dataDir: console.dataDir });
    expect([told.code, told.stdout]).toEqual([1, expect.stringMatching(/^state +refused$/m)]);
    const statuses = await Promise.all(names.map((name) => statusOf(call, `/roles/${name}`)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await statusOf(call, '/roles/fine')).toBe(404);
    const [line] = auditOf(console, 'configuration.refused');
    expect(line).toMatchObject({ outcome: 'denied', via: 'code', reason: expect.stringMatching(says) });
    expect(
      console.log().filter(({ level, directory: of }) => level === 'error' && of === directory),
    ).toHaveLength(1);
  });

  test('leave what was in force while they are followed, until they are mended', async () => {
    const directory = await newDirectory({ 'a.yaml': roles(['kept']) });
    const { console, call } = await started(directory);
    const metric = async () => {
      const token = await apiToken(console, 'app:MetricsViewer');
      const response = await fetch(`${console.url}/metrics`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      return /^console_configuration_refused (\d)$/m.exec(await response.text())?.[1];
    };
    const becomesOf = (state: string) =>
      until(async () => (await call('GET', '/configuration/directory')).body.state === state, state, 15_000);
    expect(await metric()).toBe('0');
    await put(directory, 'a.yaml', wrong[3]!.file);
    await becomesOf('refused');
    expect(await statusOf(call, '/roles/kept')).toBe(200);
    expect(await metric()).toBe('1');
    const finding = async () =>
      (await call('POST', '/health/run')).body.findings.find(
        ({ check }: { readonly check: string }) => check === 'configuration',
      );
    expect(await finding()).toMatchObject({
      state: 'problem',
      reason: expect.not.stringContaining('roles/bad'),
      fix: 'Correct the files.',
      command: 'npx console config status',
    });
    await untilReady(console.url);
    await console.waitFor(() => auditOf(console, 'configuration.refused')[0], 'the line');
    await put(directory, 'a.yaml', roles(['kept', 'mended']));
    await becomesOf('applied');
    expect(await metric()).toBe('0');
    expect(await finding()).toMatchObject({ state: 'ok' });
    expect(await statusOf(call, '/roles/mended')).toBe(200);
  }, 30_000);

  test('do not keep the console from starting, nor does a directory that is not there', async () => {
    const directory = await newDirectory({ 'a.yaml': 'roles: [' });
    const { console, call } = await started(directory);
    await untilReady(console.url);
    expect((await call('GET', '/configuration/directory')).body).toMatchObject({
      state: 'refused',
      appliedAt: null,
      sources: [],
    });
    await rm(directory, { recursive: true });
    const other = await started(join(directory, 'nowhere'));
    const state = (await other.call('GET', '/configuration/directory')).body;
    expect(state).toMatchObject({ state: 'refused', problem: expect.stringMatching(/ENOENT/) });
    await put(join(directory, 'nowhere'), 'a.yaml', roles(['late']));
    await becomes(other.call, '/roles/late', 200);
  }, 30_000);
});

test('without the setting there is none', async () => {
  const { call } = await started('');
  expect((await call('GET', '/configuration/directory')).body).toEqual({
    path: null,
    state: null,
    at: null,
    appliedAt: null,
    problem: null,
    sources: [],
    console: null,
    consoles: [],
  });
});
