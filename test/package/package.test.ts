/** `npm pack`: what is in the package, and what people do with it first. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { clientSecret, followed, freePort, waitFor } from '../helpers/console.ts';
import { askShared } from '../once/ask.ts';
import { copyProject, pack } from './packing.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const project = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const native = ['argon2', 'bcrypt', 'lmdb'];
const programs = [
  'cluster-console',
  'cluster-console-dashboard',
  'cluster-console-demo',
  'cluster-console-member',
  'cluster-console-proxy',
];

let file: string;
let folder: string;
const read = (path: string) => readFile(join(folder, path), 'utf8');

beforeAll(async () => {
  ({ file, folder } = await askShared('package'));
});

test('the package has programs, papers and licences, and neither sources, tests nor tools', async () => {
  const names = await filesIn(file);
  for (const wanted of [
    'bin/cluster-console.js',
    'dist/console/main.js',
    'dist/console/main.js.map',
    'dist/member/persistence/former/import-former.js',
    'dist/libraries/ldapts.cjs',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/sbom.json',
    'views/static/style.css',
    'dashboard/static/style.css',
    'packaging/cluster-console.service',
    'packaging/Containerfile',
    'docs/install.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
  ]) {
    expect(names).toContain(wanted);
  }
  const strange = names.filter(
    (name) =>
      /\.tsx?$|(^|\/)(test|bench|node_modules|data)\/|\.secret$|^build\.js|inputs\.json|manifest\.js$/.test(
        name,
      ) || name.startsWith('docs/decisions/'),
  );
  expect(strange).toEqual([]);
});

test('its manifest asks for the libraries with compiled parts alone, runs no script when it is installed, and cannot be published', async () => {
  const manifest = JSON.parse(await read('package.json'));
  const { version, dependencies } = project;
  expect(manifest).toMatchObject({ name: 'cluster-console', version, private: true, license: 'Apache-2.0' });
  expect(manifest.dependencies).toEqual(Object.fromEntries(native.map((name) => [name, dependencies[name]])));
  expect(Object.keys(manifest)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(devDependencies|optionalDependencies)$/)]),
  );
  const { start, member, proxy, dashboard, demo } = project.scripts;
  expect(manifest.scripts).toEqual({ start, member, proxy, dashboard, demo });
  expect(Object.keys(manifest.bin).sort()).toEqual([...programs, 'console']);
  for (const path of Object.values<string>(manifest.bin)) expect(existsSync(join(folder, path))).toBe(true);
});

test('it names the versions of the project’s lock file, each with its digest (S88)', async () => {
  const { packages } = JSON.parse(await read('npm-shrinkwrap.json'));
  const { packages: locked } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const { '': _, ...needed } = packages as Record<string, { integrity: string }>;
  expect(Object.keys(needed)).toEqual(expect.arrayContaining(['node_modules/lmdb', 'node_modules/msgpackr']));
  for (const [path, one] of Object.entries(needed)) expect([path, one]).toEqual([path, locked[path]]);
  expect(Object.keys(needed)).not.toContain('node_modules/vitest');
});

test('every library whose code is inside is named with its licence', async () => {
  const [, ...parts] = (await read('dist/THIRD-PARTY-NOTICES.txt')).split(/\n\n-{80}\n\n/);
  const inside = parts.map((part) => part.slice(0, part.indexOf(' ')));
  expect(
    Object.keys(project.dependencies).filter((name) => !native.includes(name) && !inside.includes(name)),
  ).toEqual([]);
  expect(parts.filter((part) => part.length < 400).map((part) => part.split('\n')[0])).toEqual([]);
  const { components } = JSON.parse(await read('dist/sbom.json'));
  const listed = (components as { name: string; version: string }[]).map(
    ({ name, version }) => `${name} ${version}`,
  );
  expect(parts.map((part) => part.split(' (')[0]!).filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed.filter((name) => /^(vitest|esbuild|typescript) /.test(name))).toEqual([]);
});

test('source maps name files and lines, and hold no text of them', async () => {
  const map = JSON.parse(await read('dist/console/main.js.map'));
  expect(map.sources).toContainEqual(expect.stringMatching(/console\/main\.ts$/));
  expect(map.sourcesContent).toBeUndefined();
  const maps = (await readdir(join(folder, 'dist'), { recursive: true })).filter((name) =>
    name.endsWith('.map'),
  );
  expect(maps.length).toBeGreaterThan(50);
});

test('a link of its papers leads to what is in it, or to papers for those who work on the code', async () => {
  const names = await filesIn(file);
  const papers = names.filter((name) => name.endsWith('.md'));
  const links = await Promise.all(
    papers.map(async (paper) =>
      [...(await read(paper)).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)[^)\s]*\)/g)].map(([, link]) =>
        normalize(join(dirname(paper), link!)),
      ),
    ),
  );
  const leading = new Set(links.flat().filter((link) => !names.some((name) => name.startsWith(link))));
  const outside = [...leading].filter((link) => !link.startsWith('docs/decisions/'));
  expect(outside.sort()).toEqual(['ARCHITECTURE.md', 'CONTRIBUTING.md']);
});

test('two packs of one commit are equal, byte for byte, and leave the project as it was', async () => {
  const copy = await copyProject();
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  const second = await pack(copy);
  expect(await digestOf(second)).toBe(await digestOf(file));
  expect(JSON.parse(await readFile(join(copy, 'package.json'), 'utf8'))).toEqual(project);
  expect(existsSync(join(copy, 'npm-shrinkwrap.json'))).toBe(false);

  // What a pack leaves that is killed in the moment in which the manifest is the package's.
  await rename(join(copy, 'package.json'), join(copy, '.package.json.of-project'));
  await writeFile(join(copy, 'package.json'), '{"type": "module"}');
  await writeFile(join(copy, 'npm-shrinkwrap.json'), '{}');
  await run(process.execPath, ['packaging/manifest.js', 'for-project'], { cwd: copy });
  expect(JSON.parse(await readFile(join(copy, 'package.json'), 'utf8'))).toEqual(project);
  expect(existsSync(join(copy, 'npm-shrinkwrap.json'))).toBe(false);
  // It builds all programs once more, beside whatever else runs.
}, 180_000);

test.each([...programs, 'console'])('%s --version and --help answer, and start nothing', async (name) => {
  const bin = join(folder, 'bin', `${name}.js`);
  const cwd = await mkdtemp(join(tmpdir(), 'package-words-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  expect((await run(bin, ['--version'], { cwd })).stdout).toBe(`${project.version}\n`);
  expect((await run(bin, ['--help'], { cwd })).stdout.split('\n')[0]).toMatch(
    new RegExp(`^${name} |npx console`),
  );
  expect(await readdir(cwd)).toEqual([]);
});

test('a clone that is built starts without the builder, and says so when its sources have changed since (C7)', async () => {
  const copy = await copyProject();
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  await run(process.execPath, ['build.js'], { cwd: copy });
  // As `npm ci --omit=dev` leaves it, as far as programs can see.
  await rm(join(copy, 'node_modules'));
  await cp(join(folder, 'node_modules'), join(copy, 'node_modules'), { recursive: true });
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    HOME: copy,
    MEMBER_PORT: '0',
    CONSOLE_URL: `http://localhost:${port}`,
  };
  // The two steps of `npm start`.
  const built = await run(process.execPath, ['build.js'], { cwd: copy });
  expect(built).toMatchObject({ stdout: '', stderr: '' });
  const started = followed(
    spawn(process.execPath, ['dist/console/main.js'], { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  onTestFinished(() => void started.child.kill('SIGKILL'));
  await waitFor(() => started.stdout().includes('console ready at'), 'console ready', 60_000);
  started.child.kill('SIGTERM');
  expect(await started.exited, started.stderr()).toBe(0);

  await appendFile(join(copy, 'console/main.ts'), '\n');
  const changed = await run(process.execPath, ['build.js'], { cwd: copy }).catch((error) => error);
  expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining('npm ci && npm run build')]);
});

describe('in an empty folder', () => {
  let home: string;
  let refused: string | undefined;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'package-home-'));
    refused = await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', file], {
      cwd: home,
    }).then(
      () => undefined,
      ({ stderr }) => stderr,
    );
    // Nothing but a registry that cannot be reached keeps the test from running.
    if (refused !== undefined && !/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/.test(refused)) {
      throw new Error(refused);
    }
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  test('it is installed, started and called as the README says, takes a command, and ends by SIGTERM', async (context) => {
    if (refused !== undefined) context.skip('no package registry can be reached');
    const port = await freePort();
    await writeFile(join(home, 'client.secret'), `${clientSecret}\n`, { mode: 0o600 });
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      MEMBER_PORT: '0',
      CONSOLE_LOG_FORMAT: 'pretty',
      CONSOLE_URL: `http://localhost:${port}`,
      CONSOLE_APPLICATION_CLIENT_SECRET_FILE: 'client.secret',
    };
    const started = followed(
      spawn('node_modules/.bin/cluster-console', [], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    onTestFinished(() => void started.child.kill('SIGKILL'));
    await waitFor(() => started.stdout().includes('console ready at'), 'console ready', 60_000);

    const printed = started.stdout().match(/^ {4}(?:TOKEN=|curl ).*$/gm) ?? [];
    const readme = await readFile(join(home, 'node_modules/cluster-console/README.md'), 'utf8');
    const block = [...readme.matchAll(/```sh\n(.*?)```/gs)]
      .map(([, text]) => text!)
      .find((text) => text.includes('/maps/'))!;
    const calls = block
      .replaceAll('http://localhost:8080', `http://localhost:${port}`)
      .replaceAll('curl', 'curl -sS');
    const answered = await run('bash', ['-c', `${printed.join('\n')}\n${calls}`], { cwd: home });
    expect(answered.stdout).toMatch(/^\{"members":.*hello.*a job/s);

    const console = (...args: string[]) => run('node_modules/.bin/console', args, { cwd: home, env });
    await console('role', 'add', 'reader', '--scope', 'svc:map:orders:read');
    expect((await console('role', 'list')).stdout).toContain('svc:map:orders:read');
    // What is loaded late: the reader of filters, and that of lines for a person.
    const directory = [
      '--ldap-url',
      'ldaps://ldap.example.com',
      '--bind-dn',
      'cn=console',
      '--bind-password-file',
      'client.secret',
    ];
    await console(
      'idp',
      'add',
      'staff',
      '--kind',
      'ldap',
      ...directory,
      '--base-dn',
      'ou=people',
      '--default-role',
      'Viewer',
    );
    expect((await console('health')).stdout).toBe('The console is ready.\n');

    started.child.kill('SIGTERM');
    expect(await started.exited, started.stderr()).toBe(0);
    expect(started.stderr()).toMatch(/^\[[^\]]+\] INFO: stopped$/m);
    const after = await console('health').catch((error) => error);
    expect([after.code, after.stderr]).toEqual([1, expect.stringContaining('No console runs')]);
  });
});

async function filesIn(tarball: string): Promise<string[]> {
  const { stdout } = await run('tar', ['tzf', tarball]);
  return stdout
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));
}

async function digestOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
