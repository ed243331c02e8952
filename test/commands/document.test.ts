import { readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../../console/commands/table.ts';
import { storedEntries } from '../helpers/audit.ts';
import { clientSecret, machineToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { type Outcome, program, root, run, signIn, temporaryDirectory } from './support.ts';

const document = readFileSync(join(root, 'docs/cli.md'), 'utf8');
const blocks = [...document.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!);
const calls = document.match(/^npx console [^)|\n]*|(?<=[ (])npx console [^)|\n]*/gm) ?? [];

const exampleDecision = 'kts6TRZMz.0.0';
const exampleEntry = 'w7k2abcd-184467';

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
    if (block.includes('audit verify')) await copyAudit(folder);
    const lines = block
      .replaceAll('/var/backups', folder)
      .replaceAll('/backup/', `${folder}/`)
      .replace(exampleEntry, tokenEntry);
    const { code, stdout, stderr } = await paste(
      lines.includes(exampleDecision) ? lines.replace(exampleDecision, await deniedCall()) : lines,
      folder,
    );
    expect(code, `${block}${stdout}${stderr}`).toBe(0);
    expect(stderr).toBe('');
  }
}, 360_000);

/** As somebody who checks it elsewhere has it. */
async function copyAudit(folder: string): Promise<void> {
  const audit = join(console.dataDir, 'audit');
  await cp(audit, join(folder, 'audit'), { recursive: true });
  await cp(join(audit, 'checkpoint-key.pem'), join(folder, 'checkpoint-key.pem'));
  writeFileSync(join(folder, 'collected.log'), console.stderr());
}

/** @returns the id of an entry that nobody needs any more */
function tokenEntry(): string {
  const { writer, seq } = storedEntries(console.dataDir).find(({ event }) => event === 'token.issued')!;
  return `${writer}-${seq}`;
}

/** @returns the id of the decision, as the caller is told it */
async function deniedCall(): Promise<string> {
  const headers = { Authorization: `Bearer ${await machineToken(console, 'app:MetricsViewer')}` };
  const response = await fetch(`${console.url}/svc/rest/maps/orders/1`, { headers });
  return ((await response.json()) as { decision_id: string }).decision_id;
}

/** Stops at the first line that fails, inside a pipe too. */
function paste(lines: string, folder: string): Promise<Outcome> {
  const call = `"${process.execPath}" "${program}" "$@"`;
  // What goes on until it is ended is ended.
  const follow = `if [ "$1 $2" = "audit follow" ]; then timeout 3 ${call} || [ $? = 124 ]; else ${call}; fi`;
  const preamble = `set -eo pipefail\nnpx() { shift; ${follow}; }\n`;
  return run('bash', ['-c', preamble + lines], {
    dataDir: console.dataDir,
    env: { CONSOLE_URL: console.url },
    cwd: folder,
  });
}
