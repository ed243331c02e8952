/** What a shell completes, asked of the shells that are here. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../console/commands/table.ts';
import { runTool, temporaryDirectory, toolDone } from './support.ts';

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

async function scriptFor(shell: string): Promise<string> {
  const file = join(temporaryDirectory(), 'completion');
  writeFileSync(file, (await toolDone(['completion', shell])).stdout);
  return file;
}

test('bash completes objects, verbs and the flags of one command', async () => {
  const file = await scriptFor('bash');
  const complete = (...words: string[]) => {
    const quoted = ['console', ...words].map((word) => `'${word}'`).join(' ');
    const script = `source ${file}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _console; echo "\${COMPREPLY[*]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim().split(' ');
  };
  expect(complete('ro')).toEqual(['role']);
  expect(complete('')).toEqual([...new Set(commands.map(({ name }) => name.split(' ')[0]))]);
  expect(complete('role', '').sort()).toEqual(['add', 'list', 'remove', 'show', 'update']);
  expect(complete('role', 'update', 'Name', '--add')).toEqual(['--add-scope']);
  expect(complete('role', '--json', 'sh')).toEqual(['show']);
  expect(complete('settings', 'show', '--tok')).toEqual(['--token-file']);
});

test.each([
  { shell: 'zsh', check: ['-n'] },
  { shell: 'fish', check: ['--no-execute'] },
])('$shell takes its script, where it is installed, and it names every command', async ({ shell, check }) => {
  const file = await scriptFor(shell);
  const { stdout } = await toolDone(['completion', shell]);
  for (const { name } of commands) for (const word of name.split(' ')) expect(stdout).toContain(word);
  if (has(shell)) expect(spawnSync(shell, [...check, file]).status).toBe(0);
});

test('another shell is wrong usage', async () => {
  expect((await runTool(['completion', 'tcsh'])).code).toBe(2);
});
