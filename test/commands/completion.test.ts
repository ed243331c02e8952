/** What a shell completes, typed at shells that run: bash, and zsh and fish where they are installed. */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../../console/commands/table.ts';
import * as atConsole from '../helpers/commands.ts';
import { apiToken, type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';
import { program, runTool, temporaryDirectory, toolDone } from './support.ts';

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;
const hasTerminals = spawnSync('script', ['--version']).status === 0;

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
  const { dataDir } = console;
  const done = (args: string[], stdin = '') => atConsole.toolDone(args, { dataDir, stdin });
  await done(['role', 'add', 'CompletedReader', '--scope', 'svc:map:told-by-show:read']);
  await done(['role', 'add', 'Other', '--scope', 'svc:health:read']);
  await done(['user', 'add', 'grace', '--invite', '--role', 'Viewer', '--email', 'x@example.com']);
  await done(['user', 'add', 'greta', '--invite', '--role', 'Viewer']);
});
afterAll(() => console?.stop());

/** What stands before `console`, on the path. */
function folder(): { readonly path: string; readonly scripts: string } {
  const scripts = temporaryDirectory();
  const own = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
  writeFileSync(join(scripts, 'console'), own, { mode: 0o755 });
  return { scripts, path: `${scripts}:${process.env.PATH}` };
}

const shells = [
  {
    shell: 'bash',
    begin: (file: string) => ['bash --norc -i', `PS1='REA''DY>'; source ${file}`],
  },
  {
    shell: 'zsh',
    begin: (file: string) => [
      'zsh -f -i',
      `PS1='REA''DY>'; autoload -U compinit; compinit -u -D; source ${file}`,
    ],
  },
  {
    shell: 'fish',
    begin: (file: string) => [
      'fish --no-config -i',
      `function fish_prompt; echo -n REA''DY'>'; end; source ${file}`,
    ],
  },
];

describe('at a terminal', () => {
  test.each(shells.filter(({ shell }) => hasTerminals && has(shell)))(
    '$shell completes a verb and the name of a role, and runs what came of it',
    async ({ shell, begin }) => {
      const { scripts, path } = folder();
      const file = join(scripts, 'completion');
      writeFileSync(file, (await toolDone(['completion', shell])).stdout);
      const [run = '', first] = begin(file);
      const child = spawn('script', ['-qfec', run, '/dev/null'], {
        env: { PATH: path, HOME: scripts, TERM: 'xterm', CONSOLE_DATA_DIR: console.dataDir },
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      const type = (text: string) => child.stdin.write(text);
      type(`${first}\n`);
      await waitFor(() => said.includes('READY>'), `a prompt of ${shell}`);
      type('console role sh\tCompl\t\r');
      await waitFor(() => said.includes('told-by-show'), `the role, in ${JSON.stringify(said)}`);
      expect(said).toContain('CompletedReader');
    },
    60_000,
  );
});

test('bash completes objects, verbs, flags, and the values of those that name something', async () => {
  const { scripts, path } = folder();
  const file = join(scripts, 'completion');
  writeFileSync(file, (await toolDone(['completion', 'bash'])).stdout);
  const complete = (line: string) => {
    const script = `source ${file}; COMP_LINE=$1 COMP_POINT=\${#1}; _console; echo "\${COMPREPLY[*]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', `console ${line}`], {
      encoding: 'utf8',
      env: { PATH: path, HOME: scripts, CONSOLE_DATA_DIR: console.dataDir },
    });
    expect(stderr).toBe('');
    return stdout.trim().split(' ').filter(Boolean);
  };
  expect(complete('ro')).toEqual(['role']);
  expect(complete('')).toEqual([...new Set(commands.map(({ name }) => name.split(' ')[0]))]);
  expect(complete('role ').sort()).toEqual(['add', 'list', 'remove', 'show', 'update']);
  expect(complete('role update Name --add')).toEqual(['--add-scope']);
  expect(complete('role --json sh')).toEqual(['show']);
  expect(complete('settings show --tok')).toEqual(['--token-file']);
  expect(complete('role update --description Text Co')).toEqual(['CompletedReader']);
  expect(complete('user list --role Com')).toEqual(['CompletedReader']);
  expect(complete('user show g').sort()).toEqual(['grace', 'greta']);
  expect(complete('session list gra')).toEqual(['grace']);
  expect(complete('user add gra')).toEqual([]);
  // The colons of the address end no word.
  expect(complete('--url http://127.0.0.1:1 role sh')).toEqual(['show']);
}, 60_000);

test.each(['zsh', 'fish'])('the script for %s names every command', async (shell) => {
  const { stdout } = await toolDone(['completion', shell]);
  for (const { name } of commands) for (const word of name.split(' ')) expect(stdout).toContain(word);
});

test.skipIf(!has('fish'))(
  'fish completes flags, and the values of those that name something',
  async () => {
    const { scripts, path } = folder();
    const file = join(scripts, 'completion');
    writeFileSync(file, (await toolDone(['completion', 'fish'])).stdout);
    const complete = (line: string) => {
      const { stdout, stderr } = spawnSync(
        'fish',
        ['--no-config', '-c', `source ${file}; complete -C '${line}'`],
        {
          encoding: 'utf8',
          env: { PATH: path, HOME: scripts, CONSOLE_DATA_DIR: console.dataDir },
        },
      );
      expect(stderr).toBe('');
      return stdout.split('\n').flatMap((row) => row.split('\t')[0] || []);
    };
    expect(complete('console role ').sort()).toEqual(['add', 'list', 'remove', 'show', 'update']);
    expect(complete('console role update Name --add')).toEqual(['--add-scope']);
    expect(complete('console user list --role Com')).toEqual(['CompletedReader']);
    expect(complete('console user show g').sort()).toEqual(['grace', 'greta']);
  },
  60_000,
);

describe('names for a shell', () => {
  const names = (...args: string[]) => runTool(['complete', ...args], { dataDir: console.dataDir });

  test('are of what there is, by its beginning, here and elsewhere', async () => {
    expect((await names('role', 'Comp')).stdout.trim()).toBe('CompletedReader');
    expect((await names('user', 'gr')).stdout.trim().split('\n')).toEqual(['grace', 'greta']);
    expect((await names('client')).stdout).toContain('application-client');
    const tokenFile = join(temporaryDirectory(), 'token');
    writeFileSync(tokenFile, await apiToken(console));
    const there = await runTool(['complete', 'role', 'Oth', '--url', console.url, '--token-file', tokenFile]);
    expect(there.stdout.trim()).toBe('Other');
    expect((await names('nothing')).code).toBe(2);
  });

  test('open no store where no console runs', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    await toolDone(['role', 'add', 'Alone', '--scope', 'svc:health:read'], { dataDir });
    expect((await runTool(['complete', 'role', 'Al'], { dataDir })).stdout.trim()).toBe('');
  });

  test('that a shell could run are not among them', async () => {
    // Names of maps are known from what roles open.
    await atConsole.toolDone(
      ['role', 'add', 'Odd', '--scope', 'svc:map:$(touch):read svc:map:plain-map:read'],
      {
        dataDir: console.dataDir,
      },
    );
    expect((await toolDone(['map', 'list'], { dataDir: console.dataDir })).stdout).toContain('$(touch');
    expect((await names('map')).stdout.trim().split('\n')).toContain('plain-map');
    expect((await names('map')).stdout).not.toContain('$');
  });
});

test('another shell is wrong usage', async () => {
  expect((await runTool(['completion', 'tcsh'])).code).toBe(2);
});
