import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askToken, signIn, temporaryDirectory } from '../commands/support.ts';
import { runTool, toolDone } from '../helpers/commands.ts';
import { type RunningConsole, startConsole } from '../helpers/console.ts';
import { exportTo, fileOf, importUsers, linesOf, manyUsers, password, sample } from './support.ts';

const secret = 'a-secret-of-our-own-0123456789-abcdefghij';
let console: RunningConsole;
let keyDirectory: string;
beforeAll(async () => {
  console = await startConsole();
  const { dataDir } = console;
  await toolDone(['role', 'add', 'orders-reader', '--scope', 'svc:map:orders:read'], { dataDir });
  await importUsers(console, sample('people.csv'));
  const more = join(dataDir, 'more.csv');
  writeFileSync(more, manyUsers(1200, 'page-'));
  await importUsers(console, more);
  const add = (...args: string[]) =>
    toolDone(['client', 'add', ...args, '--secret-file', '-'], { dataDir, stdin: secret });
  keyDirectory = mkdtempSync(join(tmpdir(), 'client-keys-'));
  const keys = join(keyDirectory, 'keys.json');
  writeFileSync(keys, JSON.stringify(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })));
  const life = ['--token-ttl-seconds', '120', '--jwks-file', keys];
  await add('machine', '--scope', 'svc:map:orders:read app:Viewer', '--token-alg', 'ES256', ...life);
  const wiki = ['--redirect-uri', 'https://wiki.example.com/callback', '--max-role', 'orders-reader'];
  await add('wiki', '--name', 'Team wiki, "old"', ...wiki, '--post-logout-uri', 'https://wiki.example.com/');
  await toolDone(['client', 'add', 'page', '--public', '--redirect-uri', 'http://localhost:3000/callback'], {
    dataDir,
  });
  await toolDone(['client', 'disable', 'wiki'], { dataDir });
});
afterAll(async () => {
  await console?.stop();
  rmSync(keyDirectory, { recursive: true, force: true });
});

test.each(['jsonl', 'csv'])('an export with hashes is imported elsewhere as it is: %s', async (format) => {
  const directory = temporaryDirectory();
  const [users, clients] = ['users', 'clients'].map((name) => join(directory, `${name}.${format}`));
  expect(await exportTo(console, 'users', users!, '--with-hashes')).toMatchObject({
    code: 0,
    stdout: `Exported 1203 users, with hashes. They are in ${users}.\n`,
  });
  expect((await exportTo(console, 'clients', clients!, '--with-hashes', '--json')).json()).toEqual({
    exported: 3,
    file: clients,
    withHashes: true,
  });
  expect(statSync(users!).mode & 0o777).toBe(0o600);

  const other = await startConsole({
    isFirstStart: true,
    env: { CONSOLE_ADMIN_USERNAME: undefined, CONSOLE_ADMIN_PASSWORD: undefined },
  });
  try {
    const { dataDir } = other;
    await toolDone(['role', 'add', 'orders-reader', '--scope', 'svc:map:orders:read'], { dataDir });
    expect(await importUsers(other, users!)).toMatchObject({ code: 0, stdout: 'Added 1203 users.\n' });
    const imported = await runTool(['import', 'clients', clients!], { dataDir });
    expect(imported).toMatchObject({ code: 0, stdout: 'Added 3 clients.\n' });
    for (const [name, file] of [
      ['users', users],
      ['clients', clients],
    ] as const) {
      const again = join(directory, `again-${name}.${format}`);
      await exportTo(other, name, again, '--with-hashes');
      expect(readFileSync(again, 'utf8') === readFileSync(file!, 'utf8'), name).toBe(true);
    }
    expect(await signIn(other.url, 'csv-mina', password)).toBeDefined();
    expect((await askToken(other.url, 'machine', secret, 'app:Viewer')).status).toBe(200);
    expect((await askToken(other.url, 'wiki', secret)).status).toBe(401);
  } finally {
    await other.stop();
  }
});

test('an export without hashes holds none, to a file or to standard output', async () => {
  const [users, clients] = [await exportTo(console, 'users'), await exportTo(console, 'clients')];
  expect([users.code, clients.code]).toEqual([0, 0]);
  expect(users.stdout.trimEnd().split('\n')).toHaveLength(1203);
  for (const { stdout } of [users, clients]) expect(stdout).not.toMatch(/\$|sha256|secret|[Hh]ash/);
  expect(users.stderr).toContain('Exported 1203 users.');
  const table = await exportTo(console, 'users', '--format', 'csv');
  expect(table.stdout.split('\n')[0]).toBe(
    'id,username,email,emailVerified,name,roles,eligibleRoles,disabled,provider,subject,createdAt',
  );
  const wiki = clients.stdout.split('\n').find((line) => line.includes('"wiki"'))!;
  expect(JSON.parse(wiki)).toEqual({
    id: 'wiki',
    name: 'Team wiki, "old"',
    disabled: true,
    grants: ['authorization_code', 'refresh_token'],
    redirectUris: ['https://wiki.example.com/callback'],
    postLogoutUris: ['https://wiki.example.com/'],
    scopes: ['openid', 'email', 'profile'],
    maxRoles: ['orders-reader'],
    tokenAlg: 'RS256',
    tokenTyp: 'JWT',
    pkce: 'nonce',
    createdAt: expect.any(String),
  });
});

test('a file that is there is not written over, and one of which nobody knows the form is not begun', async () => {
  const file = fileOf('users.jsonl', 'mine');
  expect(await exportTo(console, 'users', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists already'),
  });
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect((await exportTo(console, 'users', '--format', 'xml')).code).toBe(2);
  expect((await exportTo(console, 'users', '--json')).code).toBe(2);
});

test.each([
  [
    'a client that is there',
    { id: 'machine', scopes: ['app:Viewer'] },
    'there is a client "machine" already',
  ],
  ['an id that looks like another', { id: 'rnachine', scopes: [] }, undefined],
  ['an id that a user has', { id: 'csv-mina' }, 'is that of a user or client that is there'],
  [
    'a scope that there is not',
    { id: 'fault', scopes: ['svc:shoes:read'] },
    'There is no scope svc:shoes:read',
  ],
  [
    'a role that there is not',
    { id: 'fault', redirectUris: ['https://a.example/'], maxRoles: ['Boss'] },
    'there is no role "Boss"',
  ],
  ['a secret that is short', { id: 'fault', secret: 'short' }, 'A client secret has 32 to 256 characters'],
  ['a digest that is none', { id: 'fault', secrets: [{ sha256: 'x' }] }, 'a secret has sha256'],
  ['an address that is none', { id: 'fault', redirectUris: ['http://a.example/'] }, 'must be https'],
  [
    'a logout address that would not be called',
    { id: 'fault', redirectUris: ['https://a.example/'], backchannelLogoutUri: 'https://10.0.0.1/' },
    'Line 1: ',
  ],
])('a client of a file is checked as one that is typed: %s', async (_name, row, why) => {
  const file = fileOf('clients.jsonl', `${JSON.stringify(row)}\n`);
  const { code, stdout, stderr } = await runTool(['import', 'clients', file, '--dry-run'], {
    dataDir: console.dataDir,
  });
  if (why === undefined)
    expect([code, stdout]).toEqual([0, 'Nothing was written: 1 client would be added.\n']);
  else expect(stderr).toContain(why);
});

test('a client with its secret in clear gets a token by it', async () => {
  const file = fileOf(
    'clients.jsonl',
    `${JSON.stringify({ id: 'imported', scopes: ['app:Viewer'], secret })}\n`,
  );
  expect((await runTool(['import', 'clients', file], { dataDir: console.dataDir })).code).toBe(0);
  expect((await askToken(console.url, 'imported', secret, 'app:Viewer')).status).toBe(200);
  expect(linesOf(file)).toHaveLength(1);
});
