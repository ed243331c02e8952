import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProgress } from '../../console/bulk/progress.ts';
import { apiCaller } from '../admin-api/support.ts';
import { auditOf, isSignedIn, signIn, temporaryDirectory } from '../commands/support.ts';
import { toolDone } from '../helpers/commands.ts';
import { admin, apiToken, type RunningConsole, startConsole } from '../helpers/console.ts';
import { bcrypt, fileOf, importHere, importUsers, linesOf, manyUsers, password, sample } from './support.ts';

let console: RunningConsole;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console?.stop());

interface Shown {
  readonly id: string;
  readonly subject: string;
  readonly roles: readonly string[];
  readonly email: string | null;
  readonly status: string;
  readonly createdAt: string;
}
const show = async (name: string) =>
  (await toolDone(['user', 'show', name, '--json'], { dataDir: console.dataDir })).json<Shown>();
const names = async () =>
  (await toolDone(['user', 'list', '--json'], { dataDir: console.dataDir }))
    .json<Shown[]>()
    .map(({ id }) => id)
    .sort();

test('a terminal gets a bar, and anything else a line now and then', () => {
  const said = (isTerminal: boolean) => {
    let [now, text] = [0, ''];
    const write = (part: string) => {
      text += part;
    };
    const progress = createProgress({ write, isTerminal, steady: () => now });
    for (let done = 0; done <= 12_000; done += 1000) {
      progress.report('storing', done, 12_000, `, up to line ${done + 1}`);
      now += 1000;
    }
    progress.close();
    return text;
  };
  expect(said(false)).toBe(
    'storing: 5,000 of 12,000, up to line 5001\nstoring: 10,000 of 12,000, up to line 10001\n',
  );
  expect(said(true)).toContain(
    '\r\u001b[2K[############............] storing: 6,000 of 12,000, up to line 6001',
  );
});

describe('files of others, each with people who sign in with the password that they had', () => {
  test('a table', async () => {
    const { code, stdout, stderr } = await importUsers(console, sample('people.csv'));
    expect([code, stdout, stderr]).toEqual([0, 'Added 2 users.\n', '']);
    expect(await show('csv-mina')).toMatchObject({
      email: 'mina@example.org',
      roles: ['Viewer', 'MetricsViewer'],
      status: 'active',
    });
    expect(await show('csv-otto')).toMatchObject({ email: null, roles: [], status: 'disabled' });
    expect(await signIn(console.url, 'csv-mina', password)).toBeDefined();
    // By the hash that was made at that sign-in.
    expect(await isSignedIn(console.url, (await signIn(console.url, 'csv-mina', password))!)).toBe(true);
    expect(auditOf(console.dataDir).at(-1)).toMatchObject({
      event: 'users.imported',
      outcome: 'success',
      target: '2 from people.csv',
    });
  });

  test('JSON Lines, with the id and the time that applications know', async () => {
    expect((await importUsers(console, sample('people.jsonl'), '--role', 'MetricsViewer')).code).toBe(0);
    expect(await show('json-mina')).toMatchObject({
      subject: '5f0c6d1e-8f4b-4d5a-9b7e-0d3a1c2b4e5f',
      roles: ['Viewer'],
      createdAt: '2021-03-04T05:06:07.000Z',
    });
    expect(await show('json-otto')).toMatchObject({ roles: ['MetricsViewer'] });
    expect(await signIn(console.url, 'json-mina', password)).toBeDefined();
    expect(await signIn(console.url, 'json-otto', password)).toBeUndefined();
  });

  test.each([
    ['keycloak-argon2.json', 'grace'],
    ['keycloak-pbkdf2.json', 'ada.lovelace'],
  ])('a realm of Keycloak: %s', async (file, name) => {
    const imported = await importUsers(console, sample(file), '--from', 'keycloak', '--role', 'Viewer');
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('1 entry is nobody’s') });
    expect(await show(name)).toMatchObject({ roles: ['Viewer'], status: 'active' });
    expect(await signIn(console.url, name, password)).toBeDefined();
  });

  test('users of Auth0, by name or by e-mail address', async () => {
    const imported = await importUsers(console, sample('auth0.ndjson'), '--from', 'auth0');
    expect(imported).toMatchObject({ code: 0, stdout: 'Added 2 users.\n' });
    expect(await signIn(console.url, 'mina@auth0.example', password)).toBeDefined();
    expect(await signIn(console.url, 'auth0-otto', password)).toBeDefined();
  });

  test('the people of a directory', async () => {
    const imported = await importUsers(console, sample('people.ldif'), '--from', 'ldif');
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('2 entries are nobody’s') });
    expect(await show('ldif-mina')).toMatchObject({
      subject: '0f7b1c2e-2c3d-103e-8f4a-5b6c7d8e9f01',
      email: 'mina@example.org',
      createdAt: '2021-03-04T05:06:07.000Z',
    });
    expect(await signIn(console.url, 'ldif-mina', password)).toBeDefined();
    expect(await signIn(console.url, 'ldif-otto', password)).toBeDefined();
  });

  test('with a mark of UTF-8, line ends of Windows and no line end at the end', async () => {
    const file = fileOf('windows.csv', `\ufeffusername,name\r\nwin-mina,"Mina\r\nHolm"\r\nwin-otto,Otto`);
    expect((await importUsers(console, file)).stderr).toContain('Line 2: the name has');
    const right = fileOf('windows.csv', `\ufeffusername,name\r\nwin-mina,Mina\r\nwin-otto,Otto`);
    expect(await importUsers(console, right)).toMatchObject({ code: 0, stdout: 'Added 2 users.\n' });
  });

  test('from standard input', async () => {
    const { stdout } = await toolDone(['import', 'users', '-', '--format', 'csv'], {
      dataDir: console.dataDir,
      stdin: 'username\nstdin-mina\n',
    });
    expect(stdout).toBe('Added 1 user.\n');
  });
});

describe('a line that is wrong is named, and nothing is written', () => {
  const jsonl = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  test.each([
    [
      'a name twice',
      'a.csv',
      'username\nfault-a\nfault-b\nFAULT-A\n',
      'Line 4: its name stands in line 2 already',
    ],
    [
      'names that look alike',
      'a.csv',
      'username\nfault-1\nfault-l\n',
      'Line 3: its name stands in line 2 already, or looks like',
    ],
    ['a name that is taken', 'a.csv', 'username\nfault-a\nAda\n', 'Line 3: there is a user "Ada" already'],
    [
      'a name that looks like one that is taken',
      'a.csv',
      'username\n\u0430\u0501\u0430\n',
      'Line 2: the name "\u0430\u0501\u0430" looks like',
    ],
    ['a reserved name', 'a.csv', 'username\napplication-client\n', 'is reserved'],
    ['a name that is none', 'a.csv', 'username\nfault a\n', 'Line 2: the username "fault a" cannot be taken'],
    [
      'an e-mail address that is none',
      'a.csv',
      'username,email\nfault-a,nowhere\n',
      'Line 2: "nowhere" is not an e-mail',
    ],
    [
      'a role that there is not',
      'a.csv',
      'username,roles\nfault-a,Viewer Boss\n',
      'Line 2: there is no role "Boss"',
    ],
    [
      'a provider that there is not',
      'a.csv',
      'username,provider,subject\nfault-a,corp,7\n',
      'Line 2: there is no identity provider "corp"',
    ],
    [
      'a hash that is too weak',
      'a.csv',
      'username,passwordHash\nfault-a,{SSHA}DkMTwBl+a/3DQTxCYEApdUtNXGgdUac3\n',
      'Line 2: its password hash is too weak',
    ],
    [
      'a hash that takes minutes',
      'a.csv',
      `username,passwordHash\nfault-a,${bcrypt.replace('$10$', '$31$')}\n`,
      'Line 2: its password hash costs too much',
    ],
    [
      'an id that is somebody’s',
      'a.jsonl',
      jsonl({ username: 'fault-a', id: '5f0c6d1e-8f4b-4d5a-9b7e-0d3a1c2b4e5f' }),
      'Line 1: somebody or some client has the id',
    ],
    [
      'an id twice',
      'a.jsonl',
      jsonl(
        { username: 'fault-a', id: '6f0c6d1e-8f4b-4d5a-9b7e-0d3a1c2b4e5f' },
        { username: 'fault-b', id: '6f0c6d1e-8f4b-4d5a-9b7e-0d3a1c2b4e5f' },
      ),
      'Line 2: its id stands in line 1',
    ],
    [
      'a time to come',
      'a.jsonl',
      jsonl({ username: 'fault-a', createdAt: '2999-01-01T00:00:00Z' }),
      'Line 1: createdAt is no time of the past',
    ],
    [
      'a field that there is not',
      'a.jsonl',
      jsonl({ username: 'fault-a', passwort: 'x' }),
      'Line 1: there is no field "passwort"',
    ],
    ['a value of another kind', 'a.jsonl', jsonl({ username: 7 }), 'Line 1: username is no text'],
    ['no name', 'a.jsonl', jsonl({ email: 'a@b.c' }), 'Line 1: it has no username'],
    [
      'a torn last line',
      'a.jsonl',
      `${jsonl({ username: 'fault-a' })}{"username":"fau`,
      'Line 2: it is torn',
    ],
    [
      'a line that is no JSON',
      'a.jsonl',
      `nothing\n${jsonl({ username: 'fault-a' })}`,
      'Line 1: it is not JSON',
    ],
    [
      'a line without end',
      'a.jsonl',
      `{"username":"${'x'.repeat(2_000_000)}"}\n`,
      'Line 1: it is longer than 1 MiB',
    ],
    ['a torn table', 'a.csv', 'username,name\nfault-a,A\nfault-b,"B', 'it is torn'],
    [
      'a quotation mark within a value',
      'a.csv',
      'username,name\nfault-a,"A "or" B"\n',
      'a quotation mark is in the wrong place',
    ],
    ['a missing value', 'a.csv', 'username,name\nfault-a\n', 'Line 2: it has 1 columns, and line 1 names 2'],
    ['an unknown column', 'a.csv', 'username,shoe\nfault-a,43\n', 'Line 1: there is no column "shoe"'],
    ['a missing column', 'a.csv', 'email\na@b.c\n', 'Line 1: the column username is missing'],
    ['other separators', 'a.csv', 'username;email\nfault-a;a@b.c\n', 'separated by commas'],
    [
      'bytes that are not UTF-8',
      'a.csv',
      Buffer.from('username,name\nfault-a,M\xfcller\n', 'latin1'),
      'Line 2: it is not UTF-8',
    ],
    ['UTF-16', 'a.csv', Buffer.from('\ufeffusername\nfault-a\n', 'utf16le'), 'UTF-16'],
    ['a compressed file', 'a.csv', gzipSync('username\nfault-a\n'), 'compressed'],
  ])('%s', async (_name, name, content, why) => {
    const before = await names();
    const { code, stderr } = await importHere(console, fileOf(name, content));
    expect(stderr).toContain(why);
    expect(stderr).toContain('Nothing was written.');
    expect(code).toBe(1);
    expect(await names()).toEqual(before);
  });

  test.each([
    [
      'half a realm',
      'keycloak',
      '{"realm":"corp","users":[\n{"username":"fault-a"},\n{"username":"fault',
      'Line 3: it is torn',
    ],
    ['a realm without users', 'keycloak', '{"realm":"corp"}', 'There is no array users'],
    ['all realms', 'keycloak', '[{"realm":"corp"}]', 'several realms'],
    [
      'a directory’s change',
      'ldif',
      'dn: uid=fault-a\nchangetype: delete\n',
      'Line 1: it is a change (delete)',
    ],
    ['a person without a name', 'ldif', 'dn: cn=x\nobjectClass: person\ncn: x\n', 'Line 1: it has no uid'],
    ['what is no LDIF', 'ldif', 'username,email\n', 'not LDIF'],
    [
      'a digest of a directory',
      'ldif',
      'dn: uid=fault-a\nuid: fault-a\nuserPassword: {SSHA}x\n',
      'Line 1: its password hash is too weak',
    ],
  ])('%s', async (_name, from, content, why) => {
    const { code, stderr } = await importHere(console, fileOf('export', content), '--from', from);
    expect(stderr).toContain(why);
    expect(code).toBe(1);
  });

  test('without the hashes, a digest of a directory keeps nobody out', async () => {
    const file = fileOf('export', 'dn: uid=digest-a\nuid: digest-a\nuserPassword: {SSHA}x\n');
    expect((await importHere(console, file, '--from', 'ldif', '--no-passwords')).stdout).toBe(
      'Added 1 user.\n',
    );
  });

  test('a file that is not there, and one of which nobody says what it is', async () => {
    expect(await importHere(console, '/nowhere/a.csv')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ENOENT'),
    });
    const unknown = await importHere(console, fileOf('a.json', '{}'));
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Say what is in the file') });
  });
});

test('who comes without a password is invited, and can be given a link', async () => {
  const file = fileOf('people.csv', 'username,roles\ninvited-ida,Viewer\n');
  expect((await importUsers(console, file)).code).toBe(0);
  const users = apiCaller(console, '/users', await apiToken(console));
  expect((await users('GET', '/invited-ida')).body.status).toBe('invited');
  const { body } = await users('POST', '/invited-ida/invite', {});
  expect(body.link).toContain(`${console.url}/invitation?token=`);
});

test('a dry run says what would be added, and adds nothing', async () => {
  const before = await names();
  const file = fileOf('a.csv', manyUsers(3, 'dry-'));
  const { stdout } = await importHere(console, file, '--dry-run');
  expect(stdout).toBe('Nothing was written: 3 users would be added.\n');
  expect(await names()).toEqual(before);
});

test('with --continue, what is wrong goes to a file with its reason, and the rest is added', async () => {
  const file = fileOf(
    'a.csv',
    `username,email,roles\ngo-a,,\ngo b,,\ngo-c,nowhere,\nGO-A,,\n${admin.username},,\ngo-d,,Boss\ngo-e,,\n`,
  );
  const { code, stdout } = await importHere(console, file, '--continue');
  expect([code, stdout]).toEqual([0, expect.stringContaining('Added 2 users.\n5 lines were left out')]);
  const rejected = linesOf(`${file}.rejected.jsonl`);
  expect(rejected.map(({ line }) => line).sort()).toEqual([3, 4, 5, 6, 7]);
  expect(rejected).toContainEqual({
    line: 4,
    reason: '"nowhere" is not an e-mail address',
    record: { username: 'go-c', email: 'nowhere' },
  });
  expect(await names()).toEqual(expect.arrayContaining(['go-a', 'go-e']));
  // What was rejected once is not written over.
  expect(await importHere(console, file, '--continue')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists already'),
  });
});

test('who is there already may stay, and lines may be passed over', async () => {
  const file = fileOf('a.csv', manyUsers(4, 'again-'));
  expect((await importHere(console, file, '--from-line', '4')).stdout).toBe('Added 2 users.\n');
  expect((await importHere(console, file)).stderr).toContain('Line 4: there is a user "again-2" already');
  const { stdout } = await importHere(console, file, '--skip-existing');
  expect(stdout).toBe('Added 2 users.\n2 were there already, and stay as they are.\n');
});

test('into a store where nobody could administer the console, only together with an administrator', async () => {
  const dataDir = temporaryDirectory();
  const alone = await importUsers({ dataDir }, fileOf('a.csv', manyUsers(2, 'first-')));
  expect(alone).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nobody could administer the console'),
  });
  const together = `${manyUsers(2, 'first-')}boss,,Admin,${bcrypt}\n`;
  expect((await importUsers({ dataDir }, fileOf('a.csv', together))).stdout).toBe('Added 3 users.\n');
  expect(readFileSync(`${dataDir}/audit.log`, 'utf8')).not.toContain(bcrypt);
});
