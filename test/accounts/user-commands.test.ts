import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storedIn, temporaryDirectory, trailOf } from '../commands/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole, waitFor } from '../helpers/console.ts';

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
  readonly status: string;
}

beforeEach(() => {
  dataDir = join(temporaryDirectory(), 'data');
});

test('a user is added, listed, shown, changed and removed, without a console', async () => {
  const added = (
    await add('ada', '--role', 'Admin', '--role', 'Viewer', '--email', 'ada@example.com', '--json')
  ).json();
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(added).toEqual({
    id: 'ada',
    subject: expect.stringMatching(/^[0-9a-f-]{36}$/),
    displayName: null,
    email: 'ada@example.com',
    roles: ['Admin', 'Viewer'],
    eligibleRoles: [],
    origin: { provider: null, subject: null },
    status: 'active',
    lastSignInAt: null,
    createdAt: time,
    updatedAt: time,
    owner: { kind: 'admin', source: null },
    hold: null,
  });
  await add('bob');
  expect((await done(['user', 'show', 'ADA', '--json'])).json()).toEqual(added);
  expect((await done(['user', 'list'])).stdout).toMatch(
    /ada +Admin, Viewer +active +here +ada@example.com\nbob +no role +active +here/,
  );

  expect((await done(['user', 'roles', 'bob', '--role', 'Viewer', '--json'])).json().roles).toEqual([
    'Viewer',
  ]);
  expect((await done(['user', 'disable', 'bob', '--json'])).json().status).toBe('disabled');
  expect((await done(['user', 'show', 'bob'])).stdout).toMatch(/state +disabled/);
  expect((await done(['user', 'enable', 'bob', '--json'])).json().status).toBe('active');
  const hashOfBob = async () =>
    (await storedIn(dataDir)).users.find(({ username }) => username === 'bob')?.passwordHash;
  const before = await hashOfBob();
  await done(['user', 'passwd', 'bob', '--password-file', '-'], other);
  expect(await hashOfBob()).not.toBe(before);
  await done(['user', 'remove', '--yes', 'bob']);
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
    said.map(({ stdout, stderr }) => stdout + stderr).join('') + JSON.stringify(trailOf(dataDir));
  expect(trailOf(dataDir).map(({ event }) => event)).toContain('user.password_reset');
  for (const secret of [password, other, '$argon2']) expect(everything).not.toContain(secret);
});

describe('the command line refuses what the pages refuse, with exit 1, and changes nothing (S56)', () => {
  // What is refused changes nothing, so one console serves all; its administrator is ada.
  let console: RunningConsole;
  beforeAll(async () => {
    console = await startConsole();
    // The first operation makes a key that all of them use.
    await runTool(['user', 'list'], { dataDir: console.dataDir });
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
      error: 'invalid_request',
    },
    {
      name: 'no password',
      args: ['user', 'add', 'bob', '--password-file', '-'],
      stdin: '\n',
      error: 'invalid_request',
      isAsked: false,
    },
    {
      name: 'more than 64 KiB',
      args: ['user', 'add', 'bob', '--password-file', '-'],
      stdin: 'ab9'.repeat(60_000),
      error: 'invalid_request',
      isAsked: false,
    },
    {
      name: 'a file that is not there',
      args: ['user', 'add', 'bob', '--password-file', '/nowhere/p'],
      error: 'invalid_request',
      isAsked: false,
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
    {
      name: 'removing the last administrator',
      args: ['user', 'remove', '--yes', 'ada'],
      error: 'last_administrator',
    },
  ])('$name', async ({ args, stdin = '', error, isAsked = true }) => {
    const lines = trailOf(dataDir).length;
    const before = await storedIn(dataDir);
    const rejected = await tool([...args, '--json'], stdin);
    expect([rejected.code, rejected.json().error]).toEqual([1, error]);
    expect(await storedIn(dataDir)).toEqual(before);
    // What cannot be read is not asked of the console.
    if (!isAsked) return expect(trailOf(dataDir)).toHaveLength(lines);
    await waitFor(() => trailOf(dataDir).length > lines, 'a line');
    expect(trailOf(dataDir).at(-1)).toMatchObject({ outcome: 'denied', reason: error });
  });
});

test('each change leaves one JSON line that says who, what, when and how it ended (S84)', async () => {
  await add('ada', '--role', 'Admin');
  await done(['user', 'list']);
  await tool(['user', 'remove', '--yes', 'ada']);
  const common = {
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    actor: expect.stringMatching(/^local:./),
    via: 'cli',
    source: 'command line',
    requestId: expect.any(String),
  };
  expect(trailOf(dataDir)).toEqual([
    expect.objectContaining({ ...common, event: 'user.added', outcome: 'success', target: 'ada' }),
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
  rmSync(join(dataDir, 'audit'), { recursive: true });
  writeFileSync(join(dataDir, 'audit'), '');
  const failed = await tool(['user', 'roles', 'ada', '--role', 'Admin', '--role', 'Viewer', '--json']);
  expect([failed.code, failed.json().error]).toEqual([1, 'audit_failed']);
  expect(failed.json().message).toMatch(/^The change was made, but .* \(ENOTDIR\)\.$/);
  expect((await done(['user', 'show', 'ada', '--json'])).json().roles).toEqual(['Admin', 'Viewer']);
});

test('a store whose users are no administrators can still change them', async () => {
  await add('vera', '--role', 'Viewer');
  await done(['user', 'passwd', 'vera', '--password-file', '-'], other);
  await done(['user', 'roles', 'vera', '--role', 'Admin']);
  const rejected = await tool(['user', 'roles', 'vera', '--role', 'Viewer', '--json']);
  expect(rejected.json().error).toBe('last_administrator');
});

test('a user is changed in parts, and only while nobody else has changed it', async () => {
  await add('vera', '--role', 'Viewer', '--name', 'Vera Rubin');
  const json = async (...args: string[]) => (await done(['user', ...args, '--json'])).json();
  const roles = { roles: ['Viewer', 'MetricsViewer'] };
  expect(await json('update', 'vera', '--add-role', 'MetricsViewer')).toMatchObject({
    ...roles,
    displayName: 'Vera Rubin',
  });
  const dry = await json('update', 'vera', '--name', 'none', '--email', 'v@example.com', '--dry-run');
  expect(dry).toMatchObject({ ...roles, displayName: null, email: 'v@example.com' });
  expect(await json('show', 'vera')).toMatchObject({ displayName: 'Vera Rubin', email: null });
  for (const change of [['disable'], ['remove', '--yes'], ['end-sessions'], ['roles', '--role', 'Viewer']]) {
    const [verb = '', ...flags] = change;
    expect(await tool(['user', verb, 'vera', ...flags, '--dry-run'])).toMatchObject({ code: 0 });
    const stale = await tool(['user', verb, 'vera', ...flags, '--if-match', '0123456789', '--json']);
    expect([stale.code, stale.json().error]).toEqual([1, 'precondition_failed']);
  }
  expect(await json('show', 'vera')).toMatchObject({ ...roles, status: 'active' });
  const nothing = await tool(['user', 'update', 'vera']);
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('--add-role')]);
});

test('who is invited gets a link once, and is active with the password chosen there', async () => {
  const both = await tool(['user', 'add', 'iris', '--invite', '--password-file', '-'], password);
  expect(both.code).toBe(2);
  const invited = await done(['user', 'add', 'iris', '--invite', '--role', 'Viewer']);
  expect(invited.stdout).toMatch(/^Added iris \(Viewer\)\.\nA link for iris, until \S+:\n\nhttp\S+\n$/);
  const once = ['user', 'add', 'iria', '--invite', '--idempotency-key', 'iria-joins-the-team', '--json'];
  const first = (await done(once)).json<{ link: string; expiresAt: string }>();
  expect(new URL(first.link).pathname).not.toBe('/');
  expect((await done(once)).json()).toMatchObject(first);
  await done(['user', 'remove', 'iria', '--yes']);
  const thought = await done(['user', 'add', 'thought', '--invite', '--dry-run']);
  expect(thought.stdout).toBe('Would add thought (no role).\n');
  expect((await done(['user', 'list', '--status', 'invited', '--json'])).json()).toMatchObject([
    { id: 'iris' },
  ]);
  const { link, user } = (await done(['user', 'invite', 'iris', '--ttl-seconds', '600', '--json'])).json<{
    link: string;
    user: UserView;
  }>();
  expect([new URL(link).pathname, user.status]).toEqual([expect.stringMatching(/^\/./), 'invited']);
  expect(JSON.stringify(trailOf(dataDir))).not.toContain(link.split(/[/=]/).at(-1));
  await done(['user', 'passwd', 'iris', '--password-file', '-'], password);
  expect((await done(['user', 'show', 'iris', '--json'])).json().status).toBe('active');
  const reset = (await done(['user', 'reset-password', 'iris', '--json'])).json<{ link: string }>();
  expect(reset.link).not.toBe(link);
  expect((await tool(['user', 'invite', 'iris', '--ttl-seconds', '1'])).stderr).toContain('--ttl-seconds');
});
