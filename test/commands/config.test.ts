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
    expect([planned.code, planned.stdout]).toEqual([3, expect.stringContaining(`create  roles/${source}-a`)]);
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
    { what: 'another version', text: 'version: 9\nsource: bad\n', said: 'document/version' },
  ])('for $what says where, and changes nothing', async ({ text, said }) => {
    const refused = await runTool(['config', 'apply', file('bad.yaml', text)], tool());
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(said.replace('/', '.'))]);
    expect(refused.stderr).not.toContain('hush');
  });
});
