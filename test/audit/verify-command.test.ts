import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../commands/support.ts';
import { runTool } from '../helpers/commands.ts';
import { machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';

let console: RunningConsole;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'console-audit-'));
  console = await startConsole({ dataDir, isFirstStart: true });
  for (let i = 0; i < 5; i++) await machineToken(console);
  await console.stop();
});
afterAll(() => rm(dataDir, { recursive: true }));

/** Somewhere else: no data directory, no settings. */
async function verify(...args: string[]) {
  const { code, stdout, stderr } = await runTool(['audit', 'verify', ...args, '--json'], {
    dataDir: join(temporaryDirectory(), 'none'),
  });
  return { code, found: JSON.parse(stdout || stderr) };
}

test('a copy of what a console wrote is verified elsewhere, by its key and the log that was collected', async () => {
  const away = temporaryDirectory();
  cpSync(join(dataDir, 'audit'), join(away, 'audit'), { recursive: true });
  writeFileSync(join(away, 'log'), console.stderr());
  const key = join(away, 'audit', 'checkpoint-key.pem');
  const given = [join(away, 'audit'), '--key', key, '--anchor', join(away, 'log')];
  const whole = await verify(...given);
  expect(whole).toMatchObject({ code: 0, found: { isGood: true, writers: [{ verdict: 'ok' }] } });
  expect(whole.found.anchors).toBeGreaterThan(0);

  const [writer] = readdirSync(join(away, 'audit')).filter((name) => /^[a-z0-9]{8}$/.test(name));
  const file = join(away, 'audit', writer!, '00000001.log');
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('"token.issued"'));
  writeFileSync(file, lines.with(at, lines[at]!.replace('application-client', 'another-client')).join('\n'));
  expect(await verify(...given)).toMatchObject({
    code: 1,
    found: { isGood: false, writers: [{ verdict: 'changed', seq: at }] },
  });
  writeFileSync(file, lines.slice(0, at).join('\n').concat('\n'));
  expect(await verify(...given)).toMatchObject({
    code: 1,
    found: { writers: [{ verdict: 'cut', seq: at }] },
  });
});

test.each([
  ['a directory that is not there', ['/nowhere/audit'], 'not_found'],
  ['a key that is none', ['.', '--key', 'package.json'], 'invalid_request'],
  ['check-points in which there are none', ['.', '--anchor', 'package.json'], 'invalid_request'],
  ['a file that is not there', ['.', '--anchor', '/nowhere/log'], 'invalid_request'],
])('%s is refused', async (_name, args, error) => {
  expect(await verify(...args)).toMatchObject({ code: 1, found: { error } });
});
