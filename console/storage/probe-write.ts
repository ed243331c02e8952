import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import type { Environment } from './lmdb-environment.ts';
import { StorageUnavailableError } from './storage.ts';
import type { StoreFiles } from './store-files.ts';

const probeBytes = 4096;

/**
 * Does what writes do: room for one more registry, a synced file, a commit in the artifacts.
 *
 * @throws {StorageUnavailableError}
 */
export async function probeWrite({ dataDir, registry }: StoreFiles, environment: Environment): Promise<void> {
  try {
    checkRoom(dataDir, statSync(registry).size);
    // Named like a temporary file of the registry, so that one left behind is dropped at the next start.
    probeFile(`${registry}.${process.pid}.probe.tmp`);
  } catch (error) {
    throw new StorageUnavailableError('the registry cannot be written', { cause: error });
  }
  const store = environment.database<number>('store');
  await environment.write(() => store.put(['probe'], process.pid));
}

/** A new registry lies beside the old one until the rename. */
function checkRoom(dataDir: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(dataDir);
  if (bavail * bsize < neededBytes + probeBytes)
    throw new Error('there is no room for another registry file');
}

function probeFile(path: string): void {
  rmSync(path, { force: true });
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(descriptor, Buffer.alloc(probeBytes));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
    rmSync(path, { force: true });
  }
}
