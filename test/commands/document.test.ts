import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../console/commands/table.ts';
import { clientSecret, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type Outcome, program, root, run, signIn, temporaryDirectory } from './support.ts';

const document = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const blocks = [...document.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
const calls = document.match(/^npx console [^)|\n]*|(?<=[ (])npx console [^)|\n]*/gm) ?? [];

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

test('every command and every flag of its own stands in docs/cli.md', () => {
  for (const { name, flags = {} } of commands) {
    expect(
      calls.some((call) => call.startsWith(`npx console ${name}`)),
      name,
    ).toBe(true);
    for (const flag of Object.keys(flags)) expect(document, `${name} --${flag}`).toContain(`--${flag}`);
  }
});

test('every line of docs/cli.md works when pasted, one after the other', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'client.secret'), `${clientSecret}\n`);
  for (const block of blocks) {
    const isRestore = block.includes('console restore');
    if (isRestore) await console.stop();
    if (block.includes('session list')) {
      const password = readFileSync(join(folder, 'grace.password'), 'utf8').trim();
      expect(await signIn(console.url, 'grace', password)).toBeDefined();
    }
    const { code, stdout, stderr } = await paste(block.replaceAll('/var/backups', folder), folder);
    expect(code, `${block}${stdout}${stderr}`).toBe(0);
    expect(stderr).toBe('');
  }
}, 360_000);

/** Stops at the first line that fails, inside a pipe too. */
function paste(lines: string, folder: string): Promise<Outcome> {
  const preamble = `set -eo pipefail\nnpx() { shift; "${process.execPath}" "${program}" "$@"; }\n`;
  return run('bash', ['-c', preamble + lines], {
    dataDir: console.dataDir,
    env: { CONSOLE_URL: console.url },
    cwd: folder,
  });
}
