/** The directory of a console whose store is elsewhere: files of the audit, its socket, uploads. */
import { realpathSync } from 'node:fs';
import type { StorageLog } from '../engine/storage-log.ts';
import { type OwnerKind, ownStore } from './lmdb/store-owner.ts';
import { rejectNetworkFileSystem } from './network-file-system.ts';
import { ownDataDirectory } from './permissions.ts';
import { strangerIn } from './store-files.ts';

/**
 * Created when it is not there; one process has it.
 *
 * @returns a function that gives it back
 * @throws {StorageRejectedError} `foreign` or `locked`
 */
export async function ownLocalDirectory(
  dataDir: string,
  kind: OwnerKind,
  log: StorageLog | undefined,
): Promise<() => Promise<void>> {
  rejectNetworkFileSystem(dataDir);
  ownDataDirectory(dataDir, strangerIn, log);
  return ownStore(realpathSync(dataDir), kind);
}
