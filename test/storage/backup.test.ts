import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStorage, restoreStorage } from '../../console/storage/embedded/open.ts';
import { StorageRejectedError } from '../../console/storage/storage.ts';
import { openStorageProcess } from './helpers/storage-process.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

describe('backup', () => {
  test('is whole and private, also while the store is written', async () => {
    const { dataDir, backup } = await storeWithBackup();
    expect(readdirSync(backup).sort()).toEqual(['artifacts', 'backup.json', 'registry.json']);
    for (const name of ['artifacts/data.mdb', 'backup.json', 'registry.json']) {
      expect(statSync(join(backup, name)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(backup).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(dataDir, '..')).sort()).toEqual(['backup', 'data']);
  });

  test('never replaces what is there', async () => {
    const { dataDir, backup } = await storeWithBackup();
    const before = readFileSync(join(backup, 'backup.json'));
    const storage = await openStorage({ dataDir, role: 'tool' });
    await expect(storage.backup(backup)).rejects.toThrow('exists already');
    expect(readFileSync(join(backup, 'backup.json'))).toEqual(before);
    await storage.close();
  });
});

describe('restore', () => {
  test('brings everything back and keeps the replaced store', async () => {
    const { dataDir, backup } = await storeWithBackup();
    await changeStore(dataDir);
    await restoreStorage({ dataDir, from: backup });

    const storage = await openStorage({ dataDir, role: 'console' });
    expect(storage.registry.get('settings', 'a')?.value).toBe('first');
    expect((await storage.artifacts.get('Session', 's'))?.payload).toEqual({ n: 1 });
    expect(await storage.artifacts.get('Session', 'new')).toBeUndefined();
    await storage.close();

    const [replaced = ''] = readdirSync(dataDir).filter((name) => name.startsWith('replaced-'));
    const kept = await openStorage({ dataDir: join(dataDir, replaced), role: 'console' });
    expect(kept.registry.get('settings', 'a')?.value).toBe('second');
    expect((await kept.artifacts.get('Session', 'new'))?.payload).toEqual({ n: 3 });
    await kept.close();
    expect(readdirSync(dataDir).sort()).toEqual(['artifacts', 'lock', 'registry.json', replaced]);
  });

  test('into a new directory, while the console of the original runs', async () => {
    const { dataDir, backup } = await storeWithBackup();
    const original = await openStorage({ dataDir, role: 'console' });
    const copy = join(temporaryDirectory(), 'copy');
    await original.backup(join(backup, '..', 'taken-live'));
    await restoreStorage({ dataDir: copy, from: join(backup, '..', 'taken-live') });
    const restored = await openStorage({ dataDir: copy, role: 'console' });
    expect(restored.registry.get('settings', 'a')?.value).toBe('first');
    await restored.close();
    await original.close();
  });

  test.each(['registry.json', 'artifacts/data.mdb'])(
    'repairs a store whose %s is damaged (S76)',
    async (name) => {
      const { dataDir, backup } = await storeWithBackup();
      truncateSync(join(dataDir, name), 100);
      await expect(openStorage({ dataDir, role: 'console' })).rejects.toThrow(StorageRejectedError);
      await restoreStorage({ dataDir, from: backup });
      const storage = await openStorage({ dataDir, role: 'console' });
      expect(storage.registry.get('settings', 'a')?.value).toBe('first');
      await storage.close();
    },
  );

  test('repeats an interrupted restore', async () => {
    const { dataDir, backup } = await storeWithBackup();
    mkdirSync(join(dataDir, 'restoring-20200101'));
    await expect(openStorage({ dataDir, role: 'console' })).rejects.toThrow(StorageRejectedError);
    await restoreStorage({ dataDir, from: backup });
    await (await openStorage({ dataDir, role: 'console' })).close();
    expect(existsSync(join(dataDir, 'restoring-20200101'))).toBe(false);
  });

  test('is refused while a console runs, which notices nothing (S77)', async () => {
    const { dataDir, backup } = await storeWithBackup();
    const console = await openStorageProcess({ dataDir });
    await console.ask('set', 'a', 'live');
    await expect(restoreStorage({ dataDir, from: backup })).rejects.toMatchObject({ reason: 'locked' });
    expect(await console.ask('increase', 'n', 3)).toEqual({ value: 3 });
    expect(await console.ask('read', 'a')).toEqual({ value: 'live' });
  });

  test.each([
    { name: 'nothing there', damage: (from: string) => rmSync(from, { recursive: true }) },
    { name: 'no manifest', damage: (from: string) => rmSync(join(from, 'backup.json')) },
    {
      name: 'garbage for a manifest',
      damage: (from: string) => writeFileSync(join(from, 'backup.json'), '{'),
    },
    { name: 'no registry', damage: (from: string) => rmSync(join(from, 'registry.json')) },
    {
      name: 'a changed registry',
      damage: (from: string) => appendFileSync(join(from, 'registry.json'), ' '),
    },
    {
      name: 'truncated artifacts',
      damage: (from: string) => truncateSync(join(from, 'artifacts', 'data.mdb'), 8192),
    },
    { name: 'a newer manifest', damage: makeNewer, reason: 'newer' },
  ])('refuses a backup with $name and replaces nothing (S76)', async ({ damage, reason = 'corrupt' }) => {
    const { dataDir, backup } = await storeWithBackup();
    await changeStore(dataDir);
    damage(backup);
    await expect(restoreStorage({ dataDir, from: backup })).rejects.toMatchObject({ reason });
    expect(readdirSync(dataDir).sort()).toEqual(['artifacts', 'lock', 'registry.json']);
    const storage = await openStorage({ dataDir, role: 'console' });
    expect(storage.registry.get('settings', 'a')?.value).toBe('second');
    await storage.close();
  });
});

async function storeWithBackup(): Promise<{ dataDir: string; backup: string }> {
  const directory = temporaryDirectory();
  const [dataDir, backup] = [join(directory, 'data'), join(directory, 'backup')];
  const storage = await openStorage({ dataDir, role: 'console' });
  await storage.registry.update((transaction) => transaction.put('settings', { id: 'a', value: 'first' }));
  await storage.artifacts.put('Session', 's', { payload: { n: 1 } });
  const writing = Array.from({ length: 50 }, (_, n) => storage.artifacts.count('Failures', `f${n}`, 60));
  await storage.backup(backup);
  await Promise.all(writing);
  await storage.close();
  return { dataDir, backup };
}

async function changeStore(dataDir: string): Promise<void> {
  const storage = await openStorage({ dataDir, role: 'console' });
  await storage.registry.update((transaction) => transaction.put('settings', { id: 'a', value: 'second' }));
  await storage.artifacts.put('Session', 'new', { payload: { n: 3 } });
  await storage.close();
}

function makeNewer(from: string): void {
  const file = join(from, 'backup.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: 2 }));
}
