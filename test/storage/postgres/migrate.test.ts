/** `console storage migrate`: into a database and back, and what becomes of it when it is killed or not possible. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../../console/storage/embedded/open.ts';
import type { CollectionSum } from '../../../console/storage/migration/store-sums.ts';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import type { Storage } from '../../../console/storage/storage.ts';
import { askToken, auditOf, type Outcome, program, signIn, toolEnvironment } from '../../commands/support.ts';
import { runTool, toolDone } from '../../helpers/commands.ts';
import { admin, freePort, runFailing, startConsole } from '../../helpers/console.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { refresh, signInForTokens, userinfo } from '../../helpers/sign-in.ts';
import { createUserAgent } from '../../helpers/user-agent.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { client, user } from '../record-conformance.ts';

const password = 'not-a-secret';
const encryptionKey = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef';

describe.skipIf(postgresPrograms === undefined)('storage migrate, where PostgreSQL is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  /** Without the password, as it is typed. */
  const typed = (database: string) => postgres.url(database).replace(`:${password}@`, '@');
  const into = (dataDir: string, database: string, env = {}, ...flags: string[]) =>
    runTool(['storage', 'migrate', '--to', typed(database), '--password-file', '-', '--json', ...flags], {
      dataDir,
      stdin: password,
      env,
    });
  const outOf = (database: string, target: string, dataDir = temporaryDirectory()) =>
    runTool(['storage', 'migrate', '--to', target, '--json'], {
      dataDir,
      env: { CONSOLE_DATABASE_URL: postgres.url(database) },
    });
  const said = (outcome: Outcome) => [outcome.code, outcome.json().error, outcome.json().message];
  const collectionsOf = (outcome: Outcome) => outcome.json<{ collections: CollectionSum[] }>().collections;
  const newDirectory = () => join(temporaryDirectory(), 'data');
  const placeIn = (database: string) => () =>
    postgres.query<{ place: string }>(database, 'select place::text from cluster_console_move').then(
      ([row]) => row?.place ?? '',
      () => '',
    );
  const tables = async (database: string) =>
    (
      await postgres.query<{ tablename: string }>(
        database,
        `select tablename from pg_tables where schemaname = '${database}'`,
      )
    ).length;

  test('there and back everything is the same, record by record, and each index leads to it', async () => {
    const [dataDir, back, database] = [newDirectory(), newDirectory(), await postgres.createDatabase()];
    await fill(dataDir);
    const there = await into(dataDir, database);
    expect(there.stderr + there.stdout).toContain('collections');
    expect(there.code).toBe(0);
    expect(auditOf(dataDir).at(-1)).toMatchObject({ event: 'store.migrated', outcome: 'success' });
    expect(auditOf(dataDir).at(-1)!.target).not.toContain(password);
    const names = collectionsOf(there).map(({ name, records }) => `${name} ${records}`);
    expect(names).toEqual(expect.arrayContaining(['users 1200', 'clients 30', 'roles 1', 'Session 620']));

    const moved = await openPostgresStorage({ url: postgres.url(database) });
    await expectFilled(moved);
    expect(await moved.check()).toEqual({ ...whole, records: expect.any(Number) });
    await moved.close();
    await postgres.query(database, 'delete from change; update change_clock set last = 0');

    const returned = await outOf(database, back);
    expect([returned.code, returned.stderr]).toEqual([0, '']);
    expect(collectionsOf(returned)).toEqual(collectionsOf(there));
    const storage = await openStorage({ dataDir: back, role: 'console' });
    await expectFilled(storage);
    expect(await storage.check()).toEqual({ ...whole, records: expect.any(Number) });
    expect(await storage.artifacts.get('Session', 's100')).toBeUndefined();
    // The newest of a browser stays the newest, and so does one that comes now.
    await storage.artifacts.put('Session', 'now', { payload: { n: 'now' }, uid: 'uid-7' });
    expect((await storage.artifacts.findByUid('Session', 'uid-7'))?.artifact.payload.n).toBe('now');
    await storage.close();
  });

  test('a console on the target takes the refresh token, session, password and secret of before, sealed keys too', async () => {
    const [dataDir, other, back] = [newDirectory(), newDirectory(), newDirectory()];
    const [database, port] = [await postgres.createDatabase(), await freePort()];
    const env = { CONSOLE_ENCRYPTION_KEY: encryptionKey, CONSOLE_URL: `http://localhost:${port}` };
    const first = await startConsole({ dataDir, port, env, isFirstStart: true });
    const agent = createUserAgent(first.url);
    const tokens = await signInForTokens(first, agent);
    const cookie = await signIn(first.url, admin.username, admin.password);
    const added = await toolDone(['client', 'add', 'robot', '--json'], { dataDir });
    const { secret } = added.json<{ secret: string }>();
    const running = await into(dataDir, database, env);
    expect(said(running)).toEqual([1, 'storage_locked', expect.stringContaining('stop it')]);
    expect(await tables(database)).toBe(0);
    await first.stop();

    expect((await into(dataDir, database, env)).code).toBe(0);
    const keys = await postgres.query<{ record: { privateJwk: string } }>(
      database,
      `select record from registry where collection = 'keys'`,
    );
    expect(keys.length).toBeGreaterThan(0);
    for (const { record } of keys) expect(record.privateJwk).not.toContain('"kty"');

    let refreshToken = tokens.refresh_token;
    for (const settings of [
      { dataDir: other, env: { ...env, CONSOLE_DATABASE_URL: postgres.url(database) } },
      { dataDir: back, env },
    ]) {
      if (settings.dataDir === back) {
        const whileItRuns = outOf(database, back);
        expect(said(await whileItRuns)).toEqual([0, undefined, undefined]);
      }
      const console = await startConsole({ ...settings, port });
      expect((await userinfo(console, tokens.access_token)).status).toBe(200);
      const refreshed = await refresh(console, refreshToken);
      expect(refreshed.status).toBe(200);
      refreshToken = refreshed.body.refresh_token;
      expect((await askToken(console.url, 'robot', secret)).status).toBe(200);
      expect(await signIn(console.url, admin.username, admin.password)).toBeDefined();
      const page = await fetch(`${console.url}/account`, {
        headers: { Cookie: cookie! },
        redirect: 'manual',
      });
      expect(page.status).toBe(200);
      if (settings.dataDir === other)
        expect(said(await outOf(database, back))).toEqual([
          1,
          'storage_locked',
          expect.stringContaining('stop all'),
        ]);
      await console.stop();
    }
    expect(existsSync(join(back, 'half-migrated.json'))).toBe(false);
  }, 120_000);

  test('killed three times it goes on where it was; meanwhile no console starts on the target', async () => {
    const [dataDir, back, database] = [newDirectory(), newDirectory(), await postgres.createDatabase()];
    await fill(dataDir, { users: 4_000 });
    const env = { CONSOLE_DATABASE_URL: postgres.url(database) };
    let last = '';
    for (let kill = 0; kill < 3; kill++) {
      last = await killWhenMoved(
        ['--to', typed(database), '--password-file', passwordFile()],
        { dataDir },
        placeIn(database),
        last,
      );
      const refused = await runFailing({ env: { ...env, CONSOLE_URL: 'http://localhost:9' } });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('half-migrated')]);
    }
    const elsewhere = newDirectory();
    await fill(elsewhere, { users: 1 });
    expect(said(await into(elsewhere, database))).toEqual([
      1,
      'conflict',
      expect.stringContaining('part of another store'),
    ]);
    const done = await into(dataDir, database);
    expect([done.code, collectionsOf(done).find(({ name }) => name === 'users')?.records]).toEqual([
      0, 4_000,
    ]);

    last = '';
    // Nobody may open it beside who writes it: how large its file has become.
    const placeBack = async () =>
      String(statSync(join(back, 'artifacts/data.mdb'), { throwIfNoEntry: false })?.size ?? '');
    for (let kill = 0; kill < 3; kill++) {
      last = await killWhenMoved(['--to', back], { dataDir: newDirectory(), env }, placeBack, last);
      const refused = await runFailing({ dataDir: back, env: { CONSOLE_URL: 'http://localhost:9' } });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('half-migrated')]);
    }
    expect(collectionsOf(await outOf(database, back))).toEqual(collectionsOf(done));
    const storage = await openStorage({ dataDir: back, role: 'console' });
    expect(await storage.records.count('users')).toBe(4_000);
    await storage.close();
  }, 180_000);

  test('a source that has changed since it was begun is not taken for the same', async () => {
    const [dataDir, database] = [newDirectory(), await postgres.createDatabase()];
    await fill(dataDir, { users: 4_000 });
    await killWhenMoved(
      ['--to', typed(database), '--password-file', passwordFile()],
      { dataDir },
      placeIn(database),
      '',
    );
    const storage = await openStorage({ dataDir, role: 'console' });
    await storage.records.change(async (transaction) => transaction.remove('users', 'user-0000'));
    await storage.close();
    expect(said(await into(dataDir, database))).toEqual([
      1,
      'conflict',
      expect.stringContaining('users (3999, and there 4000)'),
    ]);
    await expect(openPostgresStorage({ url: postgres.url(database) })).rejects.toMatchObject({
      reason: 'half_migrated',
    });
  }, 120_000);

  describe('is refused, and the target is as it was', () => {
    let dataDir: string;
    beforeAll(async () => {
      dataDir = join(mkdtempSync(join(tmpdir(), 'console-storage-')), 'data');
      await fill(dataDir, { users: 3 });
    });
    afterAll(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }));

    test('with wrong credentials, which no message repeats', async () => {
      const database = await postgres.createDatabase();
      const outcome = await runTool(
        ['storage', 'migrate', '--to', typed(database), '--password-file', '-', '--json'],
        { dataDir, stdin: 'wrong-password-1' },
      );
      expect(said(outcome)).toEqual([
        1,
        'storage_no_permission',
        expect.stringContaining('name and password in --to'),
      ]);
      expect(outcome.stdout + outcome.stderr).not.toContain('wrong-password-1');
      expect(await tables(database)).toBe(0);
    });

    test('with a password in the address', async () => {
      const database = await postgres.createDatabase();
      const outcome = await runTool(['storage', 'migrate', '--to', postgres.url(database), '--json'], {
        dataDir,
      });
      expect(said(outcome)).toEqual([2, 'wrong_usage', expect.stringContaining('--password-file')]);
      expect(outcome.stdout + outcome.stderr).not.toContain(password);
      expect(await tables(database)).toBe(0);
    });

    test('where there is a store already', async () => {
      const database = await postgres.createDatabase();
      const storage = await openPostgresStorage({ url: postgres.url(database) });
      await storage.registry.update((transaction) => transaction.put('settings', { id: 'a', value: 1 }));
      await storage.close();
      expect(said(await into(dataDir, database))).toEqual([
        1,
        'conflict',
        expect.stringContaining('a store in the database already'),
      ]);
      expect(said(await outOf(database, dataDir))).toEqual([
        1,
        'conflict',
        expect.stringContaining('registry.json'),
      ]);
    });

    test('where tables of somebody else are', async () => {
      const database = await postgres.createDatabase();
      await postgres.query(database, 'create table orders (id int)');
      expect(said(await into(dataDir, database))).toEqual([
        78,
        'storage_foreign',
        expect.stringContaining('orders'),
      ]);
      expect(await tables(database)).toBe(1);
    });

    test('where a later version has been', async () => {
      const database = await postgres.createDatabase();
      await (await openPostgresStorage({ url: postgres.url(database) })).close();
      await postgres.query(database, 'update cluster_console set version = 99, serves_from = 98');
      for (const outcome of [await into(dataDir, database), await outOf(database, newDirectory())])
        expect(said(outcome)).toEqual([1, 'storage_newer', expect.stringContaining('later version')]);
    });

    test('into a database that takes no writes; out of one it is possible', async () => {
      const database = await postgres.createDatabase();
      expect((await into(dataDir, database)).code).toBe(0);
      await postgres.query(database, `create role standby_${database} login password '${password}'`);
      await postgres.query(
        database,
        `grant usage on schema ${database} to standby_${database};
         grant select on all tables in schema ${database} to standby_${database};
         alter role standby_${database} set default_transaction_read_only = on`,
      );
      const url = postgres.url(database, { user: `standby_${database}` });
      const outcome = await runTool(
        ['storage', 'migrate', '--to', url.replace(`:${password}@`, '@'), '--password-file', '-', '--json'],
        { dataDir, stdin: password },
      );
      expect(said(outcome)).toEqual([1, 'storage_read_only', expect.stringContaining('--to has to name')]);
      const target = newDirectory();
      const env = { CONSOLE_DATABASE_URL: url };
      const back = await runTool(['storage', 'migrate', '--to', target, '--json'], {
        dataDir: newDirectory(),
        env,
      });
      expect([back.stdout, existsSync(join(target, 'registry.json'))]).toEqual([
        expect.stringContaining('collections'),
        true,
      ]);
    });

    test('out of a database without a store', async () => {
      const target = newDirectory();
      expect(said(await outOf(await postgres.createDatabase(), target))).toEqual([
        78,
        'storage_foreign',
        expect.stringContaining('no store'),
      ]);
      expect(existsSync(target)).toBe(false);
    });

    test('from one directory into another, and from one database into another', async () => {
      const [one, other] = [await postgres.createDatabase(), await postgres.createDatabase()];
      const directories = await runTool(['storage', 'migrate', '--to', newDirectory(), '--json'], {
        dataDir,
      });
      expect(said(directories)).toEqual([1, 'conflict', expect.stringContaining('npx console backup')]);
      const databases = await into(dataDir, other, { CONSOLE_DATABASE_URL: postgres.url(one) });
      expect(said(databases)).toEqual([1, 'conflict', expect.stringContaining('pg_dump')]);
      expect([await tables(one), await tables(other)]).toEqual([0, 0]);
    });

    test('while another process is at it', async () => {
      const database = await postgres.createDatabase();
      await (await openPostgresStorage({ url: postgres.url(database) })).close();
      const { Client } = (await import('pg')).default;
      const guard = new Client({
        connectionString: postgres.url(database),
        options: `-c search_path=${database}`,
      });
      await guard.connect();
      onTestFinished(() => guard.end());
      await guard.query('begin; select from cluster_console for update');
      expect(said(await into(dataDir, database))).toEqual([
        1,
        'conflict',
        expect.stringContaining('Another process'),
      ]);
    });
  });
});

const whole = { damaged: 0, unindexed: 0, stray: 0, miscounted: 0, named: [] };

function passwordFile(): string {
  const file = join(temporaryDirectory(), 'password');
  writeFileSync(file, password, { mode: 0o600 });
  return file;
}

/** Kinds of everything: what is odd in keys and texts, expired, used up, counted, of one browser in its order. */
async function fill(dataDir: string, { users = 1200 } = {}): Promise<void> {
  const storage = await openStorage({ dataDir, role: 'console' });
  await storage.registry.update((transaction) => {
    transaction.put('providers', { id: 'corp', enabled: true, kind: 'oidc' });
    transaction.put('roles', { id: 'operator', permissions: ['svc:map:read'], createdAt: 1 });
    for (const id of ['z', 'a', 'm'])
      transaction.put('settings', { id, value: { text: `\u0000 ${id} \ud800` } });
  });
  await storage.loader.load(
    'users',
    Array.from({ length: users }, (_, n) =>
      user(`user-${String(n).padStart(4, '0')}`, {
        username: n % 7 === 0 ? `Zoë \u{1f600} ${n}` : `person-${n}`,
        email: `person-${n}@example.org`,
        roles: n % 3 === 0 ? ['Viewer', 'operator'] : ['Admin'],
        ...(n % 5 === 0 && { federated: { provider: 'corp', subject: `\u0000${n}` } }),
        ...(n % 11 === 0 && { disabled: true }),
      }),
    ),
  );
  await storage.loader.load(
    'clients',
    Array.from({ length: 30 }, (_, n) => client(`machine-${n}`, { name: `Machine number ${n}` })),
  );
  const { artifacts } = storage;
  const soon = Math.floor(Date.now() / 1000) + 3600;
  await Promise.all(
    Array.from({ length: 600 }, (_, n) =>
      artifacts.put('Session', `s${n}`, {
        payload: { n, text: '\u0000\ud83d' },
        expiresAt: n % 100 === 0 ? 1 : soon + 0.25,
        uid: `uid-${n}`,
        accountId: `user-000${n % 10}`,
        grantId: `grant-${n % 50}`,
      }),
    ),
  );
  for (let n = 0; n < 20; n++)
    await artifacts.put('Session', `of-one-${20 - n}`, { payload: { n }, uid: 'uid-7', expiresAt: soon });
  await artifacts.put('RefreshToken', 'used', { payload: { a: 1 }, expiresAt: soon });
  await artifacts.consume('RefreshToken', 'used');
  await artifacts.put('VoidMark', 'for-ever', { payload: {} });
  for (let n = 0; n < 3; n++) await artifacts.count('Guess', 'somebody', 3600);
  await storage.close();
}

async function expectFilled(storage: Storage): Promise<void> {
  const { artifacts, records, registry } = storage;
  expect([...registry.all('settings').keys()]).toEqual(['z', 'a', 'm']);
  expect(registry.get('settings', 'a')?.value).toEqual({ text: '\u0000 a \ud800' });
  expect([await records.count('users'), await records.count('users', { role: 'operator' })]).toEqual([
    1200, 400,
  ]);
  expect((await records.userByName('zoë \u{1f600} 7'))?.id).toBe('user-0007');
  expect((await records.userByLink('corp', '\u000010'))?.id).toBe('user-0010');
  expect((await artifacts.findByUid('Session', 'uid-7'))?.artifact.payload).toEqual({ n: 19 });
  expect((await artifacts.get('Session', 's1'))?.payload.text).toBe('\u0000\ud83d');
  expect((await artifacts.get('RefreshToken', 'used'))?.consumedAt).toBeGreaterThan(0);
  expect(await artifacts.consume('RefreshToken', 'used')).toBe(false);
  expect(await artifacts.get('VoidMark', 'for-ever')).toBeDefined();
  expect(await artifacts.listByAccount('Session', 'user-0003')).toHaveLength(60);
}

/** @returns the place at which it was killed */
async function killWhenMoved(
  args: readonly string[],
  options: { readonly dataDir: string; readonly env?: Readonly<Record<string, string>> },
  place: () => Promise<string>,
  last: string,
): Promise<string> {
  const child = spawn(process.execPath, [program, 'storage', 'migrate', ...args], {
    env: toolEnvironment(options),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = once(child, 'exit');
  for (;;) {
    const now = await place();
    if (now !== last) {
      child.kill('SIGKILL');
      await ended;
      expect(child.signalCode, errors).toBe('SIGKILL');
      return now;
    }
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${errors}`);
  }
}
