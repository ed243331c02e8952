/** What cannot be taken back wants its name typed at a terminal, and `--yes` of a script. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commands } from '../../console/commands/table.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { program, run, temporaryDirectory } from './support.ts';

const hasTerminals = spawnSync('script', ['--version']).status === 0;

/** As somebody types it at a terminal; `script` makes one. */
function atTerminal(dataDir: string, args: readonly string[], answer: string) {
  const words = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const typed = `sleep 1; printf '${answer}\\n'; sleep 3`;
  return run('bash', ['-c', `( ${typed} ) | script -qec "${words}" /dev/null`], { dataDir });
}

async function directoryWith(...ids: readonly string[]): Promise<string> {
  const dataDir = temporaryDirectory();
  for (const id of ids) await toolDone(['client', 'add', id, '--scope', 'svc:health:read'], { dataDir });
  return dataDir;
}

const idsIn = async (dataDir: string) =>
  (await toolDone(['client', 'list', '--json'], { dataDir })).json<{ id: string }[]>().map(({ id }) => id);

test('every remove and keys rotate --now have a question (D24)', () => {
  const input = { positionals: ['x', 'x'], has: () => true, text: () => undefined, texts: () => undefined };
  const asked = commands.filter(({ name }) => / remove$/.test(name) || name === 'keys rotate');
  expect(asked.length).toBeGreaterThanOrEqual(6);
  for (const { name, asks } of asked) {
    expect(asks?.(input), name).toEqual({
      says: expect.stringMatching(/^This /),
      name: expect.stringMatching(/^(x|keys|licence)$/),
    });
  }
  const rotate = commands.find(({ name }) => name === 'keys rotate')!;
  expect(rotate.asks!({ ...input, has: () => false })).toBeUndefined();
});

test.skipIf(!hasTerminals)(
  'at a terminal the name goes on, and nothing else does (D24)',
  async () => {
    const dataDir = await directoryWith('kept', 'gone', 'unasked');
    const no = await atTerminal(dataDir, ['client', 'remove', 'kept'], 'y');
    expect([no.code, no.stdout]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
    const yes = await atTerminal(dataDir, ['client', 'remove', 'gone'], 'gone');
    expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining('Type gone to go on')]);
    expect(yes.stdout).toContain('This removes the client gone');
    const unasked = await atTerminal(dataDir, ['client', 'remove', 'unasked', '--yes'], '');
    expect([unasked.code, unasked.stdout]).toEqual([0, expect.not.stringContaining('to go on')]);
    const left = await idsIn(dataDir);
    expect(['kept', 'gone', 'unasked'].map((id) => left.includes(id))).toEqual([true, false, false]);
  },
  60_000,
);

test('a script is not asked: it says --yes, or changes nothing and ends with 2 (D24)', async () => {
  const dataDir = await directoryWith('one', 'two');
  const unsaid = await runTool(['client', 'remove', 'one', '--json'], { dataDir, stdin: 'one\n' });
  expect([unsaid.code, unsaid.json()]).toEqual([
    2,
    { error: 'not_confirmed', message: expect.stringContaining('--yes') },
  ]);
  expect((await runTool(['client', 'remove', 'one', '--dry-run'], { dataDir })).code).toBe(0);
  expect((await runTool(['client', 'remove', 'two', '--yes'], { dataDir })).code).toBe(0);
  const left = await idsIn(dataDir);
  expect(['one', 'two'].map((id) => left.includes(id))).toEqual([true, false]);
});

test('who adds an identity provider is told how to try it (D24)', async () => {
  const oidc = [
    '--kind',
    'oidc',
    '--issuer',
    'https://login.corp.example',
    '--client-id',
    'c',
    '--client-auth',
    'none',
  ];
  const added = await toolDone(['idp', 'add', 'corp', ...oidc, '--default-role', 'Viewer'], {
    dataDir: temporaryDirectory(),
  });
  expect(added.stdout).toContain('npx console idp test corp');
});
