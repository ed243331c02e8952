/** `npx console config`: files of configuration against a console that runs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { temporaryDirectory } from '../storage/helpers/temporary-directory.ts';

let console: RunningConsole;
let directory: string;
let source: string;
let sources = 0;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());
beforeEach(() => {
  directory = temporaryDirectory();
  source = `files-${sources++}`;
});

const tool = () => ({ dataDir: console.dataDir });
function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}
const roles = (...names: readonly string[]) =>
  file(
    'roles.yaml',
    `version: 1\nsource: ${source}\nroles:\n${names
      .map((name) => `  ${name}:\n    permissions: ["svc:map:orders-*:read"] # which\n`)
      .join('')}`,
  );

describe('files', () => {
  test('are planned, applied, and the same twice changes nothing', async () => {
    const path = roles(`${source}-a`, `${source}-b`);
    const planned = await runTool(['config', 'plan', path, '--exit-code'], tool());
    expect(planned.code).toBe(3);
    // What is new has no value before; each field has a line of its own.
    expect(planned.stdout).toMatch(
      new RegExp(`^create {2}roles/${source}-a {2}\\w+ .+\n( {4,}\\w+ .+\n)*create {2}roles/${source}-b `),
    );
    expect(planned.stdout).not.toContain('null →');
    expect((await runTool(['role', 'show', `${source}-a`], tool())).code).toBe(1);
    const applied = await toolDone(['config', 'apply', path, '--json'], tool());
    expect(applied.json<{ counts: object }>().counts).toEqual({ unchanged: 0, create: 2 });
    const again = await runTool(['config', 'plan', path, '--exit-code'], tool());
    expect([again.code, again.stdout]).toEqual([0, '2 unchanged.\n']);
    expect((await runTool(['config', 'drift', '--source', source, '--exit-code'], tool())).code).toBe(0);
  });

  test('are exported as what can be applied', async () => {
    await toolDone(['config', 'apply', roles(`${source}-x`)], tool());
    const { stdout } = await toolDone(['config', 'export', '--source', source], tool());
    const path = file('exported.yaml', stdout);
    expect((await runTool(['config', 'plan', path, '--exit-code'], tool())).code).toBe(0);
  });

  test('of JSON are read too', async () => {
    const document = { version: 1, source, roles: { [`${source}-j`]: { permissions: ['svc:health:read'] } } };
    await toolDone(['config', 'apply', file('a.json', JSON.stringify(document, undefined, 2))], tool());
    expect((await runTool(['role', 'show', `${source}-j`], tool())).code).toBe(0);
  });

  test('of one source are one description', async () => {
    const first = roles(`${source}-one`);
    const second = file(
      'more.yaml',
      `version: 1\nsource: ${source}\nroles:\n  ${source}-two: { permissions: ["svc:health:read"] }\n`,
    );
    await toolDone(['config', 'apply', first, second], tool());
    const pruned = await toolDone(['config', 'apply', first, '--prune', '--yes', '--json'], tool());
    expect(pruned.json<{ steps: object[] }>().steps).toMatchObject([
      { id: `${source}-two`, action: 'remove' },
    ]);
    const twice = await runTool(['config', 'plan', first, first], tool());
    expect([twice.code, twice.stderr]).toEqual([
      1,
      expect.stringContaining(`Two files describe roles/${source}-one`),
    ]);
  });

  test('have secrets in files beside them, which no plan shows and which are sent once', async () => {
    const secret = 'a-secret-that-nobody-else-may-ever-read-0123456789';
    file('idp-secret', `${secret}\n`);
    const describe = (more = '') =>
      file(
        'idp.yaml',
        `version: 1\nsource: ${source}\nidentityProviders:\n  ${source}:\n    kind: oidc\n    issuer: https://id.example\n    clientId: console\n    defaultRole: Viewer\n    clientSecret: { file: idp-secret }\n${more}`,
      );
    const planned = await toolDone(['config', 'plan', describe(), '--json'], tool());
    expect(planned.stdout).not.toContain(secret);
    expect(planned.json<{ steps: object[] }>().steps).toMatchObject([
      { id: source, action: 'create', changes: { clientSecret: 'changed' } },
    ]);
    await toolDone(['config', 'apply', describe()], tool());
    expect((await runTool(['config', 'plan', describe(), '--exit-code'], tool())).code).toBe(0);
    file('idp-secret', `${secret}-another\n`);
    const changed = await toolDone(['config', 'plan', describe(), '--json'], tool());
    expect(changed.json<{ steps: object[] }>().steps).toMatchObject([
      { id: source, action: 'update', changes: { clientSecret: 'changed' } },
    ]);
    expect(console.stderr()).not.toContain(secret);
  });
});

/** Ten times ten times … the same. */
function aliasBomb(): string {
  const levels = Array.from({ length: 6 }, (_, i) => `&a${i} [${Array(10).fill(i ? `*a${i - 1}` : 'hush')}]`);
  return `{ ${levels.map((list, i) => `k${i}: ${list}`).join(', ')} }`;
}

describe('a file that cannot be read', () => {
  const head = 'version: 1\nsource: bad\n';
  test.each([
    { what: 'no YAML', text: `${head}roles: [\n`, said: 'is not YAML at line' },
    { what: 'a key twice', text: `${head}roles: {}\nroles: {}\n`, said: 'is not YAML at line 4' },
    { what: 'a list', text: '- 1\n', said: 'is not a description' },
    {
      what: 'a secret',
      text: `${head}identityProviders: { x: { clientSecret: { value: hush } } }\n`,
      said: 'has a secret in it',
    },
    {
      what: 'a name of the environment that is not set',
      text: `${head}identityProviders: { x: { clientSecret: { env: NOT_SET_HERE } } }\n`,
      said: 'NOT_SET_HERE',
    },
    {
      what: 'a secret that is not there',
      text: `${head}identityProviders: { x: { clientSecret: { file: none } } }\n`,
      said: 'ENOENT',
    },
    {
      what: 'no JSON',
      name: 'bad.json',
      text: '{\n "version": 1,\n "hush": hush\n}',
      said: 'is not JSON at line 3',
    },
    { what: 'JSON without an end', name: 'bad.json', text: '{\n "hush":\n', said: 'is not JSON at line 3' },
    { what: 'a comment in JSON', name: 'bad.json', text: '{ // hush\n}', said: 'is not JSON at line 1' },
    {
      what: 'a name twice in JSON',
      name: 'bad.json',
      text: `{"version": 1, "source": "bad", "roles": {\n"a": {"description": "{\\"a\\": []}"},\n"b": {},\n"\\u0061": {}}}`,
      said: 'is not JSON at line 4 (DUPLICATE_KEY)',
    },
    {
      what: 'a key twice further in',
      text: `${head}roles:\n  a: { permissions: [] }\n  b: {}\n  "a": {}\n`,
      said: 'is not YAML at line 6 (DUPLICATE_KEY)',
    },
    {
      what: 'a number and a text of one name',
      text: `${head}users:\n  1: {}\n  '1': {}\n`,
      said: 'at line 5',
    },
    { what: 'an alias of nothing', text: `${head}roles: *hush\n`, said: 'is not YAML' },
    { what: 'aliases of aliases', text: `${head}users: ${aliasBomb()}\n`, said: 'is not YAML (BAD_ALIAS)' },
    { what: 'a tag', text: `${head}roles: !!js/function hush\n`, said: 'TAG_RESOLVE_FAILED' },
    {
      what: 'JSON that is deep',
      name: 'bad.json',
      text: `{"roles": ${'['.repeat(9999)}${']'.repeat(9999)}}`,
      said: 'deeply',
    },
    { what: 'YAML that is deep', text: `${head}roles: ${'['.repeat(40)}${']'.repeat(40)}\n`, said: 'deeply' },
    {
      what: 'settings',
      text: `${head}settings:\n  audit.reads: hush\n`,
      said: 'has settings, which stand in console.yaml',
    },
    { what: 'another version', text: 'version: 9\nsource: bad\n', said: 'document/version' },
  ])('for $what says where, and changes nothing', async ({ name = 'bad.yaml', text, said }) => {
    const refused = await runTool(['config', 'apply', file(name, text)], tool());
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(said.replace('/', '.'))]);
    expect(refused.stderr).not.toContain('hush');
  });
});
