/** Users and clients on a disk that lies, fills up or fails, and in a process that is killed. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openRecords } from './helpers/opened-records.ts';
import { openStorageProcess, type StorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';
import { client, user } from './record-conformance.ts';

const whole = { damaged: 0, unindexed: 0, stray: 0, miscounted: 0, named: [] };
const kills = Number(process.env.STORE_KILLS ?? 8);
const canTrace = spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;
const without = canTrace ? '' : ' (skipped: needs strace)';

describe('a user whose record is damaged (D13)', () => {
  test('is an error for that one alone, is counted, and is as good as ever when put anew', async () => {
    const dataDir = await filledStore();
    flip(join(dataDir, 'artifacts', 'data.mdb'), '-hash-of-7"');
    const { records, countDamaged, check, close } = await openRecords(dataDir);
    expect(await countDamaged()).toBe(1);
    const damaged = { name: 'DamagedRecordError' };
    await expect(records.get('users', 'u7')).rejects.toMatchObject(damaged);
    await expect(records.userByName('name-of-u7')).rejects.toMatchObject(damaged);
    await expect(records.change(async (transaction) => transaction.get('users', 'u7'))).rejects.toMatchObject(
      damaged,
    );
    expect(await records.isNameTaken('name-of-u7')).toBe(true);
    expect((await records.userByName('name-of-u8'))?.id).toBe('u8');
    expect((await records.users({ limit: 100 })).records).toHaveLength(39);
    expect(await records.hasAdministrator()).toBe(false);
    expect(await check()).toMatchObject({ records: 41, damaged: 1, unindexed: 0, stray: 4 });

    await records.change(async (transaction) => transaction.put('users', filled(7)));
    expect((await records.userByName('name-of-u7'))?.id).toBe('u7');
    expect(await records.hasAdministrator()).toBe(true);
    expect(await check()).toMatchObject(whole);
    await close();
  });

  test('can be removed, with all that leads there', async () => {
    const dataDir = await filledStore();
    flip(join(dataDir, 'artifacts', 'data.mdb'), '-hash-of-9"');
    const { records, check, close } = await openRecords(dataDir);
    await records.change(async (transaction) => transaction.remove('users', 'u9'));
    expect(await records.count('users')).toBe(39);
    expect(await records.isNameTaken('name-of-u9')).toBe(false);
    expect(await check()).toMatchObject({ ...whole, records: 40 });
    await close();
  });
});

test('the check finds a way that is missing, one that leads astray, and a wrong count', async () => {
  const { environment, records, check, close } = await openRecords(await filledStore());
  expect(await check()).toMatchObject({ ...whole, records: 41 });
  const index = environment.database<true>('record-index');
  const meta = environment.database<number>('record-meta');
  await environment.write(() => {
    index.remove(['name', 'name-of-u3', 'u3']);
    index.put(['name', 'somebody', 'u4'], true);
    index.put(['link', 'corp', 's', 'nobody'], true);
    meta.put(['count', 'users', 'role', 'Viewer'], 7);
  });
  const found = await check();
  expect(found).toMatchObject({ damaged: 0, unindexed: 1, stray: 2, miscounted: 1 });
  expect(found.named.join('\n')).toContain('unindexed: users u3 by name');
  // What leads astray leads nobody anywhere.
  expect(await records.userByName('somebody')).toBeUndefined();
  expect(await records.userByLink('corp', 's')).toBeUndefined();
  await close();
});

test(`killed ${kills} times while it adds users, it opens, whole, with all it acknowledged (S75)`, async () => {
  const dataDir = temporaryDirectory();
  for (let n = 0; n < kills; n++) {
    const acknowledged = await floodAndKill(dataDir);
    const { artifacts, records, check, close } = await openRecords(dataDir);
    for (let id = 1; id <= acknowledged; id++) {
      expect((await records.userByName(`NAME-${id}`))?.id).toBe(`u${id}`);
      expect((await records.userByLink('corp', `s${id}`))?.id).toBe(`u${id}`);
      expect((await artifacts.get('VoidMark', `u${id}`))?.payload).toEqual({ n: id });
    }
    expect(await check()).toMatchObject(whole);
    await close();
  }
}, 120_000);

test('on a full disk a change is refused and changes nothing, and later ones are made (S78)', async () => {
  // 512 or 1024 KiB, as the shell counts: more than the store needs, less than the large value.
  const wrapper = ['sh', '-c', 'ulimit -f 1024; exec "$@"', 'sh'];
  const storage = await openStorageProcess({ dataDir: temporaryDirectory(), wrapper });
  await storage.ask('add-users', 1, 3, '-');
  expect(await storage.ask('add-users', 4, 1, 'x'.repeat(3_000_000))).toEqual({
    error: 'StorageUnavailableError',
  });
  expect(await storage.ask('get-user', 'u4')).toEqual({ value: null });
  expect(await storage.ask('get', 'u4')).toEqual({ value: null });
  expect(await storage.ask('get-user', 'u3')).toEqual({ value: 'name-3' });
  expect(await storage.ask('add-users', 4, 1, '-')).toEqual({ value: null });
  expect(await storage.ask('get-user', 'u4')).toEqual({ value: 'name-4' });
});

describe.skipIf(!canTrace)(`with the system calls watched${without}`, () => {
  test('64 changes that wait together share their syncs', async () => {
    const trace = join(temporaryDirectory(), 'trace');
    const storage = await openStorageProcess({
      dataDir: temporaryDirectory(),
      wrapper: ['strace', '-f', '-o', trace, '-e', 'trace=fdatasync,write'],
    });
    await storage.ask('add-users', 0, 1, '-');
    await storage.ask('add-users', 1, 64, '-');
    await close(storage);
    const lines = readFileSync(trace, 'utf8').split('\n');
    const [first = 0, second = 0] = lines.flatMap((line, n) =>
      line.includes('write(1, "{\\"value\\":null}') ? [n] : [],
    );
    const syncs = lines.slice(first, second).filter((line) => /fdatasync\(\d+/.test(line));
    expect(syncs.length).toBeGreaterThan(0);
    expect(syncs.length).toBeLessThan(16);
  });

  test('an I/O error while they are synced is never success, and later ones are made (S78)', async () => {
    const dataDir = await filledStore();
    const inject = ['strace', '-f', '-o', '/dev/null', '-e', 'inject=fdatasync:error=EIO:when=8'];
    const storage = await openStorageProcess({
      dataDir,
      wrapper: ['env', 'UV_THREADPOOL_SIZE=1', ...inject],
    });
    const failed: number[] = [];
    for (let n = 0; n < 12; n++) {
      const answer = await storage.ask('add-users', 100 + n, 1, '-');
      if ('error' in Object(answer)) failed.push(100 + n);
    }
    expect(failed).toHaveLength(1);
    for (let n = 100; n < 112; n++) {
      const value = failed.includes(n) ? null : `name-${n}`;
      expect(await storage.ask('get-user', `u${n}`)).toEqual({ value });
    }
  });
});

/** @returns the last number that was acknowledged before the process was killed at a random moment */
async function floodAndKill(dataDir: string): Promise<number> {
  const writer = await openStorageProcess({ dataDir });
  writer.send('flood-users');
  const enough = 1 + Math.floor(Math.random() * 40);
  let acknowledged = 0;
  while (acknowledged < enough) acknowledged = Number(await writer.next());
  // Not waiting for anything: the moment of the kill shall fall anywhere within a write.
  await delay(Math.random() * 3);
  await writer.kill();
  for (let line = await writer.next(); line !== undefined; line = await writer.next()) {
    acknowledged = Number(line);
  }
  return acknowledged;
}

async function close(storage: StorageProcess): Promise<void> {
  await storage.ask('close');
  await storage.ended();
}

async function filledStore(): Promise<string> {
  const dataDir = join(temporaryDirectory(), 'data');
  const { records, close } = await openRecords(dataDir);
  await records.change(async (transaction) => {
    for (let n = 0; n < 40; n++) transaction.put('users', filled(n));
    transaction.put('clients', client('app', { redirectUris: ['https://app.example/cb'] }));
  });
  await close();
  return dataDir;
}

/** One of them is an administrator. */
function filled(n: number) {
  return user(`u${n}`, { roles: [n === 7 ? 'Admin' : 'Viewer'], passwordHash: `the-hash-of-${n}` });
}

/** One bit of the last byte but one of every `text` in the file. */
function flip(file: string, text: string): void {
  const bytes = readFileSync(file);
  let found = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) {
    bytes[at + text.length - 2]! ^= 1;
    found++;
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(file, bytes);
}
