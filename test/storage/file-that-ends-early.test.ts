/** LMDB leaves a file shorter than its last page when that page is free: no damage, but each start had to read all of it. */
import { readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEnvironment } from '../../console/storage/embedded/lmdb/lmdb-environment.ts';
import { openStorage } from '../../console/storage/embedded/open.ts';
import { findLmdbFileCorruption } from '../../platform/files/lmdb-file-check.ts';
import { temporaryDirectory } from './helpers/temporary-directory.ts';

const pageBytes = 4096;

test('is opened, and is as long as its last page says from then on: no further start looks at its trees', async () => {
  const { dataDir, file } = await storeWithFreeEnd();
  expect(statSync(file).size).toBeLessThan(lengthByLastPage(file));

  const storage = await openStorage({ dataDir, role: 'console' });
  expect(statSync(file).size).toBe(lengthByLastPage(file));
  expect(await storage.artifacts.get('Session', 's7')).toMatchObject({ payload: { n: 7 } });
  await storage.artifacts.put('Session', 'more', {
    payload: { n: 'x'.repeat(100_000) },
    expiresAt: 4_000_000_000,
  });
  await storage.close();
  expect(findLmdbFileCorruption(file)).toBeUndefined();
});

test('is completed at the end of a console too, for the next start', async () => {
  const { dataDir, file } = await storeWithFreeEnd();
  const storage = await openStorage({ dataDir, role: 'console' });
  await freeTheEnd(dataDir);
  expect(statSync(file).size).toBeLessThan(lengthByLastPage(file));
  await storage.close();
  expect(statSync(file).size).toBe(lengthByLastPage(file));
});

test('is damage where a page of a long value is missing, and stays as it is', async () => {
  const { dataDir, file } = await storeWithFreeEnd();
  const environment = openEnvironment(join(dataDir, 'artifacts'));
  const users = environment.bytes('users');
  await environment.write(() => users.put(['long'], Buffer.alloc(3_000_000, 7)));
  await environment.close();
  const length = statSync(file).size;
  truncateSync(file, length - pageBytes);
  const before = readFileSync(file);

  await expect(openStorage({ dataDir, role: 'console' })).rejects.toMatchObject({ reason: 'corrupt' });
  expect(readFileSync(file).equals(before)).toBe(true);
});

/** Two hundred sessions, and free pages behind them. */
async function storeWithFreeEnd() {
  const dataDir = join(temporaryDirectory(), 'data');
  const storage = await openStorage({ dataDir, role: 'console' });
  const puts = Array.from({ length: 200 }, (_, n) =>
    storage.artifacts.put('Session', `s${n}`, { payload: { n }, expiresAt: 4_000_000_000, uid: `u${n}` }),
  );
  await Promise.all(puts);
  await storage.close();
  await freeTheEnd(dataDir);
  return { dataDir, file: join(dataDir, 'artifacts', 'data.mdb') };
}

/** What is put and removed in one commit takes pages, and they are never written. */
async function freeTheEnd(dataDir: string): Promise<void> {
  const environment = openEnvironment(join(dataDir, 'artifacts'));
  const users = environment.bytes('users');
  await environment.write(() => {
    for (let n = 0; n < 3000; n++) users.put([n], Buffer.alloc(1000, 7));
    for (let n = 2999; n >= 0; n--) users.remove([n]);
  });
  await environment.close();
}

/** By the newer of the two first pages. */
function lengthByLastPage(file: string): number {
  const bytes = readFileSync(file);
  const [newest] = [0, pageBytes]
    .map((page) => ({
      lastPage: Number(bytes.readBigUInt64LE(page + 144)),
      transaction: bytes.readBigUInt64LE(page + 152),
    }))
    .sort((a, b) => Number(b.transaction - a.transaction));
  return (newest!.lastPage + 1) * pageBytes;
}
