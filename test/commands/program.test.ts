import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program, root, run, temporaryDirectory } from './support.ts';

test('npx console runs the tool in the project folder, without a network', async () => {
  const env = { npm_config_cache: temporaryDirectory(), npm_config_offline: 'true' };
  const outcome = await run('npx', ['console', 'help', '--json'], { env });
  expect(outcome.code, outcome.stderr).toBe(0);
  expect(JSON.parse(outcome.stdout)).toContainEqual(expect.objectContaining({ name: 'user add' }));
});

test('a fresh clone is built by the first command, whose output stays its own', async () => {
  const clone = temporaryDirectory();
  for (const name of [
    'package.json',
    'tsconfig.json',
    'build.js',
    'access-tokens',
    'bin',
    'console',
    'dashboard',
    'http',
    'member',
    'member-proxy',
    'packaging',
    'platform',
    'views',
  ]) {
    cpSync(join(root, name), join(clone, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const outcome = await run(process.execPath, [join(clone, 'bin/console.js'), '--version'], { cwd: clone });
  expect(outcome.code, outcome.stderr).toBe(0);
  expect(outcome.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(existsSync(join(clone, 'dist/console/cli.js'))).toBe(true);
});

test('what cannot be built says how', async () => {
  const clone = temporaryDirectory();
  for (const name of ['package.json', 'bin'])
    cpSync(join(root, name), join(clone, name), { recursive: true });
  const outcome = await run(process.execPath, [join(clone, 'bin/console.js'), 'help'], { cwd: clone });
  expect([outcome.code, outcome.stdout]).toEqual([1, '']);
  expect(outcome.stderr).toContain('npm ci && npm run build');
});

/** util-linux's `script` gives a program a terminal. */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasTerminal)(
  'a person at a terminal is asked for the password, which is not shown (needs the program script) (S56)',
  async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const password = 'correct-staple-battery-9';
    const line = `"${process.execPath}" "${program}" user add ada --role Admin --password-file - --data-dir "${dataDir}"`;
    const child = spawn('script', ['-qec', line, '/dev/null']);
    onTestFinished(() => void child.kill());
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const wasAsked = shown.includes('Enter');
      shown += text;
      if (!wasAsked && shown.includes('Enter')) child.stdin.write(`${password}\r`);
    });
    const [code] = await once(child, 'close');
    expect([code, shown]).toEqual([0, expect.stringContaining('Added ada (Admin).')]);
    expect(shown).not.toContain(password);
  },
);
