import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../console/commands/table.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type Outcome, program, run, temporaryDirectory } from './support.ts';

const password = 'correct-staple-battery-9';

describe('help', () => {
  let help: Outcome;
  beforeAll(async () => {
    help = await runTool(['help']);
  });

  test('lists every command with a sentence, and exits 0', () => {
    expect(help.code).toBe(0);
    expect(help.stderr).toBe('');
    const listed = help.stdout
      .split('\n')
      .flatMap((line) => /^ {2}([a-z-]+(?: [a-z-]+)?) {2,}\S/.exec(line)?.[1] ?? []);
    expect(listed).toEqual(commands.map(({ name }) => name));
  });

  test.each([[[]], [['--help']], [['-h']]])('is what %j gets', async (args) => {
    expect((await toolDone(args)).stdout).toBe(help.stdout);
  });

  test('says how to use one command, the same in both ways of asking', async () => {
    const asked = await toolDone(['help', 'user', 'add']);
    expect(asked.stdout).toContain(
      'npx console user add <name> [--role R…] [--eligible-role R…] [--name "N"] [--email E] [--password-file F] [--invite]',
    );
    for (const args of [
      ['user', 'add', '--help'],
      ['-h', 'user', 'add', 'bob', '--role'],
    ]) {
      expect((await toolDone(args)).stdout).toBe(asked.stdout);
    }
    expect((await toolDone(['user', '--help'])).stdout).toMatch(/user add[\s\S]*user remove/);
    expect((await toolDone(['help', 'keys'])).stdout).toMatch(/keys list[\s\S]*keys rotate/);
  });

  test('opens no store and reads no settings', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    await toolDone(['help'], { dataDir, env: { CONSOLE_PORT: 'none' } });
    expect(existsSync(dataDir)).toBe(false);
  });

  test('may be cut off by its reader', async () => {
    const line = `"${process.execPath}" "${program}" help | head -c 1`;
    const { code, stderr } = await run('bash', ['-o', 'pipefail', '-c', line], {});
    expect([code, stderr]).toEqual([0, '']);
  });

  test('prints the version', async () => {
    expect((await toolDone(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('wrong usage exits 2, says what is wrong, and creates nothing', () => {
  test.each([
    { args: ['usr', 'list'], says: 'did you mean user?' },
    { args: ['user', 'lst'], says: 'did you mean user list?' },
    {
      args: ['user'],
      says: 'add, list, show, update, passwd, invite, reset-password, roles, disable, enable',
    },
    { args: ['settings', 'chek'], says: 'did you mean settings check?' },
    { args: ['user', 'add'], says: 'user add needs <name>' },
    { args: ['user', 'add', 'bob'], says: '--password-file F is missing' },
    { args: ['user', 'add', 'bob', '--rol', 'Admin', '--password-file', '-'], says: 'did you mean --role?' },
    { args: ['user', 'add', 'bob', '--role', 'Boss', '--password-file', '-'], says: 'Admin, Viewer' },
    { args: ['user', 'add', 'bob', '--role', '--json'], says: '--role needs a value' },
    { args: ['user', 'add', 'bob', '--email', 'a@b', '--email', 'c@d'], says: '--email is given twice' },
    { args: ['client', 'add', 'c', '--public=yes'], says: '--public takes no value' },
    { args: ['user', 'list', 'bob'], says: 'takes fewer arguments' },
    { args: ['keys', 'rotate', '--port', '9000'], says: 'no flag --port' },
    { args: ['token', '--client', 'c'], says: '--secret-file F is missing' },
    { args: ['help', 'nothing'], says: 'no such command' },
    { args: ['surgeon'], says: 'no command surgeon' },
    { args: ['constructor', '__proto__'], says: 'no command constructor' },
  ])('$args', async ({ args, says }) => {
    const dataDir = join(temporaryDirectory(), 'data');
    const outcome = await runTool(args, { dataDir, stdin: password });
    expect(outcome.code).toBe(2);
    expect(outcome.stdout + outcome.stderr).toContain(says);
    expect(existsSync(dataDir)).toBe(false);
  });

  test.each([
    { args: ['user', 'add', 'bob', '--password', password], file: '--password-file' },
    { args: ['user', 'add', 'bob', `--password=${password}`], file: '--password-file' },
    { args: ['user', '--password', password, 'add', 'bob'], file: '--password-file' },
    { args: ['client', 'add', 'c', '--secret', password], file: '--secret-file' },
    { args: ['token', '--client', 'c', '--secret', password], file: '--secret-file' },
    { args: ['settings', '--admin-password', password], file: '--admin-password-file' },
    { args: ['user', 'add', 'bob', password, '--password-file', '-'] },
    { args: ['user', 'passwd', 'bob', password] },
  ])('a secret as an argument is refused and not repeated: $args (S56)', async ({ args, file }) => {
    const dataDir = join(temporaryDirectory(), 'data');
    const outcome = await runTool(args, { dataDir, stdin: password });
    expect(outcome.code).toBe(2);
    expect(outcome.stdout + outcome.stderr).not.toContain(password);
    if (file) expect(outcome.stderr).toMatch(new RegExp(`never an argument.*${file} -`));
    expect(existsSync(dataDir)).toBe(false);
  });

  test('no command takes a secret but from a file', () => {
    // `--no-passwords` takes no value.
    const flags = commands
      .flatMap((command) => Object.keys(command.flags ?? {}))
      .filter((flag) => !/^no-/.test(flag));
    expect(flags.filter((flag) => /pass|secret|token$/.test(flag) && !/-file$/.test(flag))).toEqual([]);
  });
});

describe('--json', () => {
  test('is one JSON value for an answer and for each kind of error', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const usage = await runTool(['user', 'lst', '--json'], { dataDir });
    expect([usage.code, usage.json(), usage.stderr]).toEqual([
      2,
      { error: 'wrong_usage', message: expect.stringContaining('user list') },
      '',
    ]);
    const rejected = await runTool(['user', 'list', '--json'], { dataDir });
    expect([rejected.code, rejected.json(), rejected.stderr]).toEqual([
      1,
      { error: 'not_found', message: expect.stringContaining(dataDir) },
      '',
    ]);
    const settings = await runTool(['settings', 'check', '--json'], {
      dataDir,
      env: { CONSOLE_PORT: 'none' },
    });
    expect(settings.code).toBe(78);
    expect(settings.json()).toMatchObject({
      error: 'bad_settings',
      problems: [expect.stringContaining('CONSOLE_PORT')],
    });
    const good = await toolDone(['settings', 'check', '--json'], { dataDir });
    expect(good.json()).toMatchObject({
      problems: [],
      warnings: [expect.stringContaining('ENCRYPTION_KEY')],
    });
    const help = await toolDone(['help', '--json']);
    expect(help.json<unknown[]>()).toHaveLength(commands.length);
  });
});

describe('settings', () => {
  test('bad ones are told all at once, by every command that needs them, with exit 78', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const env = { CONSOLE_PORT: 'none', CONSOLE_URL: 'ftp://x', CONSOLE_PROT: '1' };
    for (const args of [['settings', 'check'], ['settings'], ['user', 'list'], ['keys', 'rotate']]) {
      const { code, stderr } = await runTool(args, { dataDir, env });
      expect(code).toBe(78);
      for (const name of Object.keys(env)) expect(stderr).toContain(name);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  test('are printed with their origin, flags first, secrets redacted', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const env = {
      CONSOLE_ACCESS_TOKEN_TTL: '600',
      CONSOLE_APPLICATION_CLIENT_SECRET: `${password}${password}`,
    };
    const { stdout } = await toolDone(['settings', '--json', '--access-token-ttl', '700'], { dataDir, env });
    expect(stdout).not.toContain(password);
    const rows = JSON.parse(stdout) as { name: string; value: string; origin: string }[];
    const row = (name: string) => rows.find((candidate) => candidate.name === name);
    expect(row('CONSOLE_ACCESS_TOKEN_TTL')).toMatchObject({ value: '700', origin: '--access-token-ttl' });
    expect(row('CONSOLE_DATA_DIR')).toMatchObject({ value: dataDir, origin: 'CONSOLE_DATA_DIR' });
    expect(row('CONSOLE_APPLICATION_CLIENT_SECRET')).toMatchObject({ value: '[redacted]' });
    expect((await toolDone(['settings'], { dataDir, env })).stdout).toMatch(
      /ACCESS_TOKEN_TTL +600 +CONSOLE_ACC/,
    );
  });

  test('--data-dir counts before the environment, for every command', async () => {
    const directory = temporaryDirectory();
    const [dataDir, other] = [join(directory, 'one'), join(directory, 'two')];
    await toolDone(['user', 'add', 'ada', '--password-file', '-', '--data-dir', dataDir], {
      dataDir: other,
      stdin: password,
    });
    expect([existsSync(dataDir), existsSync(other)]).toEqual([true, false]);
    expect((await toolDone(['user', 'list', '--data-dir', dataDir])).stdout).toContain('ada');
  });
});
