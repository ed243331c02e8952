import { open, rm, stat, statfs } from 'node:fs/promises';
import { StorageUnavailableError } from '../storage.ts';
import type { Environment } from './lmdb/lmdb-environment.ts';
import type { StoreFiles } from './store-files.ts';

const probeBytes = 4096;

/**
 * Does what writes do: room for one more registry, a synced file, a commit in the artifacts.
 *
 * @throws {StorageUnavailableError}
 */
export async function probeWrite({ dataDir, registry }: StoreFiles, environment: Environment): Promise<void> {
  try {
    await checkRoom(dataDir, (await stat(registry)).size);
    // Named like a temporary file of the registry, so that one left behind is dropped at the next start.
    await probeFile(`${registry}.${process.pid}.probe.tmp`);
  } catch (error) {
    throw new StorageUnavailableError('the registry cannot be written', { cause: error });
  }
  const store = environment.database<number>('store');
  await environment.write(() => store.put(['probe'], process.pid));
}

/** A new registry lies beside the old one until the rename. */
async function checkRoom(dataDir: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < neededBytes + probeBytes)
    throw Object.assign(new Error('there is no room for another registry file'), { code: 'ENOSPC' });
}

async function probeFile(path: string): Promise<void> {
  await rm(path, { force: true });
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(Buffer.alloc(probeBytes));
    await handle.sync();
  } finally {
    await handle.close();
    await rm(path, { force: true });
  }
}
