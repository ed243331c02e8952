/** A store of the release before becomes one of today, once, whatever comes between. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage, restoreStorage } from '../../console/storage/embedded/open.ts';
import type { TakeOverProgress } from '../../console/storage/embedded/takeover/take-over.ts';
import type { UserRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';
import {
  asFormat,
  formerClient,
  formerSessions,
  formerUser,
  writeFormerStore,
} from './helpers/former-store.ts';
import { openStorageProcess, startStorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

/** More than a batch. */
const users = Array.from({ length: 2100 }, (_, n) => formerUser(n));
const clients = Array.from({ length: 30 }, (_, n) => formerClient(n));
const providers = [{ id: 'corp', enabled: true }];

describe('a store of the release before', () => {
  test('has its users and clients where they are looked up, after a backup', async () => {
    const dataDir = await formerStore();
    const before = readFileSync(join(dataDir, 'registry.json'));
    const steps: TakeOverProgress[] = [];
    const storage = await openStorage({
      dataDir,
      role: 'console',
      onTakeOver: (each) => void steps.push(each),
    });
    await expectAll(storage);
    await storage.close();

    expect(steps.map(({ step, records }) => `${step} ${records}`)).toEqual([
      'checked 0',
      'backed_up 0',
      'cleared 0',
      'loading 2000',
      'loading 2100',
      'loading 2130',
      'loaded 2130',
      'compared 2130',
      'recorded 2130',
      'kept 2130',
      'written 2130',
      'replaced 2130',
      'done 2130',
    ]);
    const registry = JSON.parse(readFileSync(join(dataDir, 'registry.json'), 'utf8'));
    expect(Object.keys(registry)).toEqual(['version', 'keys', 'providers', 'roles', 'settings', 'crc32']);
    expect(registry.version).toBe(2);
    expect(readFileSync(join(dataDir, 'registry.v1.json')).equals(before)).toBe(true);
    const backup = onlyBackup(dataDir);
    expect(steps.at(-1)?.backup).toBe(backup);
    expect(readFileSync(join(backup, 'registry.json')).equals(before)).toBe(true);
    expect(statSync(backup).mode & 0o777).toBe(0o700);
  });

  test('is taken over once: what changes afterwards stays, also when the old registry is put back', async () => {
    const dataDir = await formerStore();
    const first = await openStorage({ dataDir, role: 'tool' });
    await first.records.change(async (transaction) => transaction.remove('users', users[0]!.id));
    await first.close();
    const again: TakeOverProgress[] = [];
    const second = await openStorage({
      dataDir,
      role: 'console',
      onTakeOver: (each) => void again.push(each),
    });
    expect([await second.records.count('users'), again]).toEqual([users.length - 1, []]);
    await second.close();

    writeFileSync(join(dataDir, 'registry.json'), readFileSync(join(dataDir, 'registry.v1.json')));
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({
      reason: 'corrupt',
      message: expect.stringContaining('of an earlier release'),
    });
  });

  test('with people whose names fold or look alike, keeps them all', async () => {
    const alike: readonly UserRecord[] = [
      { ...formerUser(1), id: 'a', username: 'ada' },
      { ...formerUser(2), id: 'b', username: 'ADA' },
      { ...formerUser(3), id: 'c', username: 'аda' },
    ];
    const dataDir = join(temporaryDirectory(), 'data');
    await writeFormerStore(dataDir, { users: alike, clients, providers });
    const storage = await openStorage({ dataDir, role: 'console' });
    expect(await storage.records.count('users')).toBe(3);
    expect((await storage.records.users({ limit: 10 })).records.map(({ id }) => id).sort()).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(['a', 'b']).toContain((await storage.records.userByName('Ada'))?.id);
    await storage.close();
  });

  test('has what its records say in artifacts of its own, if there is such', async () => {
    const dataDir = await formerStore();
    const storage = await openStorage({
      dataDir,
      role: 'console',
      artifactsOf: (collection, { id }) =>
        id === users[7]!.id ? [{ kind: 'VoidMark', id, artifact: { payload: { collection } } }] : [],
    });
    expect((await storage.artifacts.get('VoidMark', users[7]!.id))?.payload).toEqual({ collection: 'users' });
    expect(await storage.artifacts.list('VoidMark', 10)).toHaveLength(1);
    await storage.close();
  });

  test('can be brought back by its backup, and be taken over once more', async () => {
    const dataDir = await formerStore();
    await (await openStorage({ dataDir, role: 'console' })).close();
    const backup = onlyBackup(dataDir);
    await restoreStorage({ dataDir, from: backup });
    expect(JSON.parse(readFileSync(join(dataDir, 'registry.json'), 'utf8')).version).toBe(1);
    expect(existsSync(join(dataDir, 'registry.v1.json'))).toBe(false);
    const storage = await openStorage({ dataDir, role: 'console' });
    await expectAll(storage);
    await storage.close();
  });
});

describe('killed while it is taken over, the next start has all of it once', () => {
  const steps = [
    'checked',
    'backed_up',
    'cleared',
    'loading:2000',
    'loading:2130',
    'loaded',
    'compared',
    'recorded',
    'kept',
    'written',
    'replaced',
    'done',
  ];
  test.each(steps)('at %s', async (stopAt) => {
    const dataDir = await formerStore();
    const killed = startStorageProcess({ dataDir, stopAt });
    expect([await killed.next(), await killed.ended()]).toEqual([undefined, 'SIGKILL']);
    await expectTakenOver(dataDir);
  });

  test('at one step after the other', { timeout: 120_000 }, async () => {
    const dataDir = await formerStore();
    // After `replaced` there is nothing left to take over.
    for (const stopAt of steps.slice(0, -1)) await startStorageProcess({ dataDir, stopAt }).ended();
    await expectTakenOver(dataDir);
  });

  test('at any moment', { timeout: 60_000 }, async () => {
    const dataDir = await formerStore();
    for (let n = 0; n < 5; n++) {
      const starting = startStorageProcess({ dataDir });
      await delay(150 + Math.random() * 500);
      await starting.kill();
    }
    await expectTakenOver(dataDir);
  });

  async function expectTakenOver(dataDir: string): Promise<void> {
    const storage = await openStorage({ dataDir, role: 'console' });
    await expectAll(storage);
    await storage.close();
    onlyBackup(dataDir);
    expect(readdirSync(dataDir).filter((name) => /partial|\.tmp$/.test(name))).toEqual([]);
  }
});

describe('what keeps it from being taken over is said, and nothing has changed', () => {
  test.each([
    { name: 'torn', damage: (file: string) => truncateSync(file, 5000), reason: 'corrupt' },
    {
      name: 'changed',
      damage: (file: string) =>
        writeFileSync(file, readFileSync(file, 'utf8').replace('Person.7"', 'Person.8"')),
      reason: 'corrupt',
    },
    {
      name: 'newer',
      damage: (file: string) =>
        writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":3')),
      reason: 'newer',
    },
  ])('a registry that is $name', async ({ damage, reason }) => {
    const dataDir = await formerStore();
    const file = join(dataDir, 'registry.json');
    damage(file);
    const before = readFileSync(file);
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({ reason });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('before-take-over'))).toEqual([]);
  });

  test('a registry of today beside artifacts of the release before', async () => {
    const dataDir = await formerStore();
    await (await openStorage({ dataDir, role: 'console' })).close();
    await asFormat(dataDir, 2);
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({
      reason: 'corrupt',
      message: expect.stringContaining('data.mdb'),
    });
  });

  test('files that may not become larger: it goes on once they may', async () => {
    const dataDir = await formerStore();
    const before = readFileSync(join(dataDir, 'registry.json'));
    // Of 512 or 1024 bytes, as the shell counts: enough for the backup, not for all that is built.
    const blocks = Math.ceil((statSync(join(dataDir, 'registry.json')).size * 1.2) / 1024);
    const wrapper = ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh'];
    const limited = startStorageProcess({ dataDir, wrapper });
    expect(await limited.next()).toMatchObject({
      refused: 'limit',
      message: expect.stringContaining('ulimit -f'),
    });
    expect(readFileSync(join(dataDir, 'registry.json')).equals(before)).toBe(true);
    const storage = await openStorage({ dataDir, role: 'console' });
    await expectAll(storage);
    await storage.close();
  });

  const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

  test.skipIf(!canMount)('a disk without room for it (needs mount)', async () => {
    const dataDir = await formerStore();
    const sizes = ['registry.json', 'artifacts/data.mdb'].map((name) => statSync(join(dataDir, name)).size);
    const kilobytes = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1024);
    // The store itself is on it too: 2.5 times its size have to be free.
    const onDisk = (size: number) => {
      const script = `mount -t tmpfs -o size=${size}k,mode=0700 none "$0" && cp -a "$0.copy/." "$0" && exec "$@"`;
      return ['unshare', '-m', 'sh', '-c', script, dataDir];
    };
    cpSync(dataDir, `${dataDir}.copy`, { recursive: true, preserveTimestamps: true });
    const little = startStorageProcess({ dataDir, wrapper: onDisk(kilobytes * 3) });
    expect(await little.next()).toMatchObject({ refused: 'full', message: expect.stringContaining('df -h') });
    const enough = await openStorageProcess({ dataDir, wrapper: onDisk(kilobytes * 8) });
    expect(await enough.ask('writable')).toEqual({ value: null });
  });
});

const template = mkdtempSync(join(tmpdir(), 'console-former-'));
beforeAll(() => writeFormerStore(join(template, 'data'), { users, clients, providers }));
afterAll(() => rmSync(template, { recursive: true, force: true }));

async function formerStore(): Promise<string> {
  const dataDir = join(temporaryDirectory(), 'data');
  cpSync(join(template, 'data'), dataDir, { recursive: true });
  return dataDir;
}

/** Each record as it was, found by all that it is looked up by, and counted once. */
async function expectAll({ records, registry, artifacts }: Storage): Promise<void> {
  expect(await records.count('users')).toBe(users.length);
  expect(await records.count('users', { role: 'operator' })).toBe(users.length / 10);
  expect(await records.count('users', { provider: 'corp' })).toBe(users.length / 3);
  expect(await records.count('clients')).toBe(clients.length);
  for (const user of [users[0]!, users[1999]!, users[2000]!, users.at(-1)!]) {
    expect(await records.get('users', user.id)).toEqual(user);
    expect(await records.userByName(user.username.toUpperCase())).toEqual(user);
  }
  expect(await records.userByLink('corp', 's2001')).toEqual(users[2001]);
  expect((await records.clients({ limit: 100, ceilingRole: 'operator' })).records).toHaveLength(
    clients.length,
  );
  expect(await records.isRedirectOrigin('https://app-3.example.com')).toBe(true);
  const listed = await records.users({ limit: 500, role: 'operator' });
  expect(listed.records).toHaveLength(users.length / 10);
  expect([registry.get('settings', 'kept')?.value, registry.get('roles', 'operator')?.createdAt]).toEqual([
    'v',
    1,
  ]);
  expect(registry.get('providers', 'corp')?.enabled).toBe(true);
  for (const id of formerSessions) expect((await artifacts.get('Session', id))?.payload).toEqual({ id });
}

function onlyBackup(dataDir: string): string {
  const found = readdirSync(dataDir).filter((name) => name.startsWith('before-take-over'));
  expect(found).toHaveLength(1);
  return join(dataDir, found[0]!);
}
