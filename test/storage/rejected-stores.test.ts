import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { StorageRejectedError } from '../../console/storage/storage.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const newer = (file: string) => {
  const content = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...content, version: 3, users: [{ id: 'from the future' }] }));
};
const write = (content: string | Buffer) => (file: string) => writeFileSync(file, content);

describe('refuses a registry that is no good, and leaves it untouched (S76)', () => {
  test.each([
    { name: 'truncated', damage: (file: string) => truncateSync(file, 60), reason: 'corrupt' },
    { name: 'cut off before its last byte', damage: cutLastBytes, reason: 'corrupt' },
    { name: 'empty', damage: write(''), reason: 'corrupt' },
    { name: 'zeros', damage: write(Buffer.alloc(300)), reason: 'corrupt' },
    { name: 'garbage', damage: write(randomBytes(300)), reason: 'corrupt' },
    { name: 'null', damage: write('null'), reason: 'corrupt' },
    { name: 'a list', damage: write('[]'), reason: 'corrupt' },
    { name: 'an object without version', damage: write('{}'), reason: 'corrupt' },
    { name: 'a version that is text', damage: write('{"version":"1"}'), reason: 'corrupt' },
    { name: 'version 0', damage: write('{"version":0}'), reason: 'corrupt' },
    { name: 'users that are no list', damage: write('{"version":1,"users":{}}'), reason: 'corrupt' },
    { name: 'keys that are no list', damage: write('{"version":2,"keys":{}}'), reason: 'corrupt' },
    {
      name: 'users, which are not in it any more',
      damage: write('{"version":2,"users":[]}'),
      reason: 'corrupt',
    },
    { name: 'a record without id', damage: write('{"version":1,"users":[{}]}'), reason: 'corrupt' },
    { name: 'a null record', damage: write('{"version":1,"users":[null]}'), reason: 'corrupt' },
    {
      name: 'an id twice',
      damage: write('{"version":1,"users":[{"id":"a"},{"id":"a"}]}'),
      reason: 'corrupt',
    },
    { name: 'a newer version', damage: newer, reason: 'newer' },
  ])('$name', async ({ damage, reason }) => {
    const dataDir = await filledStore();
    const file = join(dataDir, 'registry.json');
    damage(file);
    const before = readFileSync(file);

    for (const role of ['console', 'tool'] as const) {
      const rejected = await openStorage({ dataDir, role }).catch((error) => error);
      expect(rejected).toBeInstanceOf(StorageRejectedError);
      expect(rejected).toMatchObject({
        reason,
        message: expect.stringContaining('npx console restore <backup>'),
      });
      expect(rejected.message).toContain(file);
    }
    expect(readFileSync(file)).toEqual(before);
  });

  test('missing: never starts empty where there was one', async () => {
    const dataDir = await filledStore();
    rmSync(join(dataDir, 'registry.json'));
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({ reason: 'corrupt' });
    expect(existsSync(join(dataDir, 'registry.json'))).toBe(false);
  });

  test('becoming bad while the console runs: memory stays good, writing is refused, the file is untouched', async () => {
    const dataDir = await filledStore();
    const file = join(dataDir, 'registry.json');
    const storage = await openStorage({ dataDir, role: 'console' });
    const good = readFileSync(file);
    writeFileSync(file, '{"version":1,');

    const update = storage.registry.update((transaction) => transaction.remove('settings', 'kept'));
    await expect(update).rejects.toMatchObject({ name: 'StorageUnavailableError' });
    expect(storage.registry.get('settings', 'kept')?.value).toBe('v');
    expect(readFileSync(file, 'utf8')).toBe('{"version":1,');

    writeFileSync(file, good);
    await storage.registry.update((transaction) => transaction.put('settings', { id: 'more', value: 1 }));
    expect(storage.registry.get('settings', 'kept')?.value).toBe('v');
    await storage.close();
  });
});

describe('refuses artifacts that are no good, and leaves them untouched (S76)', () => {
  test.each([
    { name: 'empty', damage: write('') },
    { name: 'garbage', damage: write(randomBytes(40_000)) },
    { name: 'zeros', damage: write(Buffer.alloc(40_000)) },
    { name: 'cut off within its first page', damage: (file: string) => truncateSync(file, 1000) },
    { name: 'cut off after its first pages', damage: (file: string) => truncateSync(file, 8192) },
    { name: 'cut off in the middle', damage: (file: string) => truncateSync(file, 3 * 4096) },
  ])('$name', async ({ damage }) => {
    const dataDir = await filledStore();
    const file = join(dataDir, 'artifacts', 'data.mdb');
    damage(file);
    const before = readFileSync(file);
    const rejected = await openStorage({ dataDir, role: 'console' }).catch((error) => error);
    expect(rejected).toBeInstanceOf(StorageRejectedError);
    expect(rejected).toMatchObject({
      reason: 'corrupt',
      message: expect.stringContaining('npx console restore'),
    });
    expect(readFileSync(file)).toEqual(before);
  });

  test('a newer format', async () => {
    const dataDir = await filledStore();
    const root = open({ path: join(dataDir, 'artifacts'), noSubdir: false, encoding: 'json' });
    await root.openDB('store', { encoding: 'json' }).put(['format'], 4);
    await root.close();
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({ reason: 'newer' });
  });

  test('missing, while there is a registry', async () => {
    const dataDir = await filledStore();
    rmSync(join(dataDir, 'artifacts'), { recursive: true });
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({ reason: 'corrupt' });
  });

  test('a half restored store', async () => {
    const dataDir = await filledStore();
    mkdirSync(join(dataDir, 'restoring-1'));
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({
      reason: 'corrupt',
      message: expect.stringContaining('npx console restore <backup>'),
    });
  });
});

async function filledStore(): Promise<string> {
  const dataDir = join(temporaryDirectory(), 'data');
  const storage = await openStorage({ dataDir, role: 'console' });
  await storage.registry.update((transaction) => transaction.put('settings', { id: 'kept', value: 'v' }));
  const puts = Array.from({ length: 200 }, (_, n) =>
    storage.artifacts.put('Session', `s${n}`, { payload: { n }, expiresAt: 4_000_000_000, uid: `u${n}` }),
  );
  await Promise.all(puts);
  await storage.close();
  return dataDir;
}

function cutLastBytes(file: string): void {
  truncateSync(file, readFileSync(file).length - 2);
}
