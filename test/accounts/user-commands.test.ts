import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { auditOf, runTool, storedIn, temporaryDirectory, toolDone } from '../commands/support.ts';
import { runTool as runAtConsole } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';

const password = 'correct-staple-battery-9';
const other = 'unrelated-walnut-ferry-17';

let dataDir: string;
const tool = (args: string[], stdin = '') => runTool(args, { dataDir, stdin });
const done = (args: string[], stdin = '') => toolDone(args, { dataDir, stdin });
const add = (name: string, ...flags: string[]) =>
  done(['user', 'add', name, '--password-file', '-', ...flags], password);

interface UserView {
  readonly id: string;
  readonly roles: string[];
  readonly disabled: boolean;
}

beforeEach(() => {
  dataDir = join(temporaryDirectory(), 'data');
});

test('a user is added, listed, shown, changed and removed, without a console', async () => {
  const added = (
    await add('ada', '--role', 'Admin', '--role', 'Viewer', '--email', 'ada@example.com', '--json')
  ).json();
  expect(added).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    username: 'ada',
    email: 'ada@example.com',
    roles: ['Admin', 'Viewer'],
    disabled: false,
    provider: null,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  await add('bob');
  expect((await done(['user', 'show', 'ADA', '--json'])).json()).toEqual(added);
  expect((await done(['user', 'list'])).stdout).toMatch(
    /ada +Admin, Viewer +active +here +ada@example.com\nbob +no role +active +here/,
  );

  expect((await done(['user', 'roles', 'bob', '--role', 'Viewer', '--json'])).json().roles).toEqual([
    'Viewer',
  ]);
  expect((await done(['user', 'disable', 'bob', '--json'])).json().disabled).toBe(true);
  expect((await done(['user', 'show', 'bob'])).stdout).toMatch(/state +disabled/);
  expect((await done(['user', 'enable', 'bob', '--json'])).json().disabled).toBe(false);
  const hashOfBob = async () =>
    (await storedIn(dataDir)).users.find(({ username }) => username === 'bob')?.passwordHash;
  const before = await hashOfBob();
  await done(['user', 'passwd', 'bob', '--password-file', '-'], other);
  expect(await hashOfBob()).not.toBe(before);
  await done(['user', 'remove', 'bob']);
  expect((await done(['user', 'list', '--json'])).json<UserView[]>()).toEqual([added]);
});

test('the password may stand in a file, with or without a line end', async () => {
  const file = join(temporaryDirectory(), 'password');
  writeFileSync(file, `${password}\r\n`);
  await done(['user', 'add', 'ada', '--role', 'Admin', '--password-file', file]);
  const [{ passwordHash } = { passwordHash: '' }] = (await storedIn(dataDir)).users;
  const argon2 = (await import('argon2')).default;
  expect(await argon2.verify(passwordHash, password)).toBe(true);
});

test('no answer and no audit line holds a password or its hash (S54)', async () => {
  const said = [
    await add('ada', '--role', 'Admin'),
    await add('bob', '--json'),
    await done(['user', 'passwd', 'bob', '--password-file', '-', '--json'], other),
    await done(['user', 'list', '--json']),
    await done(['user', 'show', 'bob', '--json']),
    await done(['user', 'show', 'bob']),
    await tool(['user', 'add', 'bob', '--password-file', '-'], password),
  ];
  const everything =
    said.map(({ stdout, stderr }) => stdout + stderr).join('') + JSON.stringify(auditOf(dataDir));
  for (const secret of [password, other, '$argon2']) expect(everything).not.toContain(secret);
});

describe('the command line refuses what the pages refuse, with exit 1, and changes nothing (S56)', () => {
  // What is refused changes nothing, so one console serves all; its administrator is ada.
  let console: RunningConsole;
  const tool = (args: string[], stdin: string) => runAtConsole(args, { dataDir, stdin });
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());
  beforeEach(() => {
    dataDir = console.dataDir;
  });

  test.each([
    {
      name: 'a short password',
      args: ['user', 'add', 'bob', '--password-file', '-'],
      stdin: 'Tr0ub4dor&3',
      error: 'weak_password',
    },
    {
      name: 'a well-known password',
      args: ['user', 'add', 'bob', '--password-file', '-'],
      stdin: 'password1234',
      error: 'weak_password',
    },
    {
      name: 'a password of 2 KiB',
      args: ['user', 'add', 'bob', '--password-file', '-'],
      stdin: 'a9!'.repeat(700),
      error: 'weak_password',
    },
    {
      name: 'no password',
      args: ['user', 'add', 'bob', '--password-file', '-'],
      stdin: '\n',
      error: 'invalid_request',
    },
    {
      name: 'more than 64 KiB',
      args: ['user', 'add', 'bob', '--password-file', '-'],
      stdin: 'ab9'.repeat(60_000),
      error: 'invalid_request',
    },
    {
      name: 'a file that is not there',
      args: ['user', 'add', 'bob', '--password-file', '/nowhere/p'],
      error: 'invalid_request',
    },
    {
      name: 'a name with a control',
      args: ['user', 'add', 'b\u001b[31mob', '--password-file', '-'],
      stdin: password,
      error: 'invalid_request',
    },
    {
      name: 'a name with markup',
      args: ['user', 'add', '<b>', '--password-file', '-'],
      stdin: password,
      error: 'invalid_request',
    },
    {
      name: 'a name that is taken',
      args: ['user', 'add', 'ADA', '--password-file', '-'],
      stdin: password,
      error: 'already_exists',
    },
    {
      name: 'no e-mail address',
      args: ['user', 'add', 'bob', '--email', 'x', '--password-file', '-'],
      stdin: password,
      error: 'invalid_request',
    },
    {
      name: 'a weak new password',
      args: ['user', 'passwd', 'ada', '--password-file', '-'],
      stdin: 'short',
      error: 'weak_password',
    },
    { name: 'an unknown user', args: ['user', 'disable', 'eve'], error: 'not_found' },
    {
      name: 'disabling the last administrator',
      args: ['user', 'disable', 'ada'],
      error: 'last_administrator',
    },
    {
      name: 'demoting the last administrator',
      args: ['user', 'roles', 'ada', '--role', 'Viewer'],
      error: 'last_administrator',
    },
    { name: 'removing the last administrator', args: ['user', 'remove', 'ada'], error: 'last_administrator' },
  ])('$name', async ({ args, stdin = '', error }) => {
    const before = await storedIn(dataDir);
    const rejected = await tool([...args, '--json'], stdin);
    expect([rejected.code, rejected.json().error]).toEqual([1, error]);
    expect(await storedIn(dataDir)).toEqual(before);
    expect(auditOf(dataDir).at(-1)).toMatchObject({ outcome: 'denied', reason: error });
  });
});

test('each change leaves one JSON line that says who, what, when and how it ended (S84)', async () => {
  const { id } = (await add('ada', '--role', 'Admin', '--json')).json<UserView>();
  await done(['user', 'list']);
  await tool(['user', 'remove', 'ada']);
  const common = {
    audit: true,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    actor: expect.stringMatching(/^os:./),
    source: 'command line',
    requestId: expect.any(String),
  };
  expect(auditOf(dataDir)).toEqual([
    expect.objectContaining({ ...common, event: 'user.added', outcome: 'success', target: id }),
    expect.objectContaining({
      ...common,
      event: 'user.removed',
      outcome: 'denied',
      reason: 'last_administrator',
    }),
  ]);
});

test('a change whose audit line cannot be written is told as made (S84)', async () => {
  await add('ada', '--role', 'Admin');
  rmSync(join(dataDir, 'audit.log'));
  mkdirSync(join(dataDir, 'audit.log'));
  const failed = await tool(['user', 'roles', 'ada', '--role', 'Admin', '--role', 'Viewer', '--json']);
  expect([failed.code, failed.json().error]).toEqual([1, 'audit_failed']);
  expect(failed.json().message).toMatch(/^The change was made, but .* \(EISDIR\)\.$/);
  expect((await done(['user', 'show', 'ada', '--json'])).json().roles).toEqual(['Admin', 'Viewer']);
});

test('a store whose users are no administrators can still change them', async () => {
  await add('vera', '--role', 'Viewer');
  await done(['user', 'passwd', 'vera', '--password-file', '-'], other);
  await done(['user', 'roles', 'vera', '--role', 'Admin']);
  const rejected = await tool(['user', 'roles', 'vera', '--role', 'Viewer', '--json']);
  expect(rejected.json().error).toBe('last_administrator');
});
