import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStorage } from '../../console/storage/embedded/open.ts';
import type { StorageLog } from '../../console/storage/engine/storage-log.ts';
import { StorageRejectedError } from '../../console/storage/storage.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const isRoot = process.getuid?.() === 0;
const expectedModes = {
  '.': '700',
  artifacts: '700',
  'artifacts/data.mdb': '600',
  'artifacts/lock.mdb': '600',
  'registry.json': '600',
};

describe('the store is for its owner alone (S79)', () => {
  test('is created so, whatever the umask', async () => {
    const dataDir = join(temporaryDirectory(), 'below', 'data');
    await storeIn(dataDir);
    expect(modes(dataDir)).toEqual(expectedModes);
  });

  test('is tightened at the start, with a warning for each', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    await storeIn(dataDir);
    for (const name of Object.keys(expectedModes)) {
      const path = join(dataDir, name);
      chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    }
    const warned = await storeIn(dataDir);
    expect(modes(dataDir)).toEqual(expectedModes);
    expect(warned).toHaveLength(5);
    expect(await storeIn(dataDir)).toEqual([]);
  });

  test('a directory that everybody shares is refused and stays as it is', async () => {
    const shared = join(temporaryDirectory(), 'tmp');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    const rejected = await openStorage({ dataDir: shared, role: 'console' }).catch((error) => error);
    expect(rejected).toBeInstanceOf(StorageRejectedError);
    expect(rejected.reason).toBe('foreign');
    expect(statSync(shared).mode & 0o7777).toBe(0o1777);
    expect(readdirSync(shared)).toEqual([]);
  });

  test.skipIf(!isRoot).each(Object.keys(expectedModes))(
    `another user's %s is refused and stays as it is${isRoot ? '' : ' (skipped: needs root)'}`,
    async (name) => {
      const dataDir = join(temporaryDirectory(), 'data');
      await storeIn(dataDir);
      const path = join(dataDir, name);
      chownSync(path, 65_534, 65_534);
      const rejected = await openStorage({ dataDir, role: 'console' }).catch((error) => error);
      expect(rejected).toBeInstanceOf(StorageRejectedError);
      expect(rejected).toMatchObject({ reason: 'foreign', message: expect.stringContaining('65534') });
      expect(statSync(path).uid).toBe(65_534);
    },
  );

  test('ids are stored as their SHA-256 only', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    const storage = await openStorage({ dataDir, role: 'console' });
    await storage.artifacts.put('Session', 'the-bearer-secret', { payload: { a: 'the-payload' } });
    await storage.artifacts.count('Failures', 'the-counted-name', 60);
    await storage.close();
    const bytes = readFileSync(join(dataDir, 'artifacts', 'data.mdb'), 'latin1');
    expect(bytes).toContain('the-payload');
    expect(bytes).not.toContain('the-bearer-secret');
    expect(bytes).not.toContain('the-counted-name');
  });

  test('other files in the data directory are left alone', async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, 'console.yaml'), 'port: 1\n');
    chmodSync(join(dataDir, 'console.yaml'), 0o644);
    await storeIn(dataDir);
    expect(statSync(join(dataDir, 'console.yaml')).mode & 0o777).toBe(0o644);
  });
});

/** Opens the store, writes to it and closes it. @returns what was warned of */
async function storeIn(dataDir: string): Promise<unknown[]> {
  const warned: unknown[] = [];
  const log: StorageLog = { warn: (fields) => warned.push(fields) };
  const umask = process.umask(0);
  try {
    const storage = await openStorage({ dataDir, role: 'console', log });
    await storage.registry.update((transaction) => transaction.put('settings', { id: 'a', value: 1 }));
    await storage.close();
    return warned;
  } finally {
    process.umask(umask);
  }
}

function modes(dataDir: string): Record<string, string> {
  const found = Object.keys(expectedModes).map((name) => {
    const mode = statSync(join(dataDir, name)).mode & 0o777;
    return [name, mode.toString(8)];
  });
  return Object.fromEntries(found);
}
