/** Opens the embedded storage of a data directory: registry on a JSON file, artifacts in LMDB. */

import { createRecordLoader } from '../record-loader.ts';
import { errorOfDisk } from './disk-error.ts';
import { takeInstanceLock } from './instance-lock.ts';
import { openLmdbArtifacts } from './lmdb/artifacts-lmdb.ts';
import { checkStore, countDamaged } from './lmdb/store-check.ts';
import { checkFormat, recordFormat } from './lmdb/store-format.ts';
import { ownStore } from './lmdb/store-owner.ts';
import type { StorageLog } from './permissions.ts';
import { probeWrite } from './probe-write.ts';
import { announcePuts } from './put-listeners.ts';
import { openFileRegistry } from './registry/registry-lowdb.ts';
import { createRegistryRecords } from './registry/registry-records.ts';
import { openArtifactsEnvironment, prepareStoreFiles, type StoreFiles } from './store-files.ts';
import type { OwnedStorage } from './worker/shared-storage.ts';

export interface OpenStorageOptions {
  /** Created when it is not there. */
  readonly dataDir: string;
  /**
   * A data directory has one `console`. A `tool` has to own the store itself (`ownStore`): opening beside
   * a process that commits can crash that process.
   */
  readonly role: 'console' | 'tool';
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** The same, going on evenly whatever is done to the clock: counters go by it. */
  readonly steady?: () => number;
  readonly log?: StorageLog | undefined;
}

/**
 * @throws {StorageRejectedError} when the store must not be opened: its content is as it was
 * @throws {StorageUnavailableError} when it cannot be written
 */
export async function openStorage({
  dataDir,
  role,
  now = Date.now,
  steady = now,
  log,
}: OpenStorageOptions): Promise<OwnedStorage> {
  const files = prepareStoreFiles(dataDir, log);
  let release = async () => {};
  try {
    if (role === 'console') release = await ownStore(files.dataDir, 'console');
    return await openPrepared(files, { role, now, steady, log, release });
  } catch (error) {
    await release();
    throw errorOfDisk(error, files.dataDir) ?? error;
  }
}

interface PreparedOptions extends Required<Pick<OpenStorageOptions, 'role' | 'now' | 'steady'>> {
  readonly log: StorageLog | undefined;
  /** Gives the store back to other processes. */
  readonly release: () => Promise<void>;
}

async function openPrepared(
  files: StoreFiles,
  { role, now, steady, log, release }: PreparedOptions,
): Promise<OwnedStorage> {
  const environment = openArtifactsEnvironment(files);
  let releaseLock = async () => {};
  try {
    const { isExpected, isRecorded } = checkFormat(environment, files.artifactsData);
    if (role === 'console') releaseLock = await takeInstanceLock(environment, files.dataDir);
    const exclusive = environment.write;
    const registry = await openFileRegistry({ file: files.registry, exclusive, isExpected, log });
    if (!isRecorded) await recordFormat(environment);

    const artifacts = announcePuts(openLmdbArtifacts({ environment, now, steady }), log);
    const records = createRegistryRecords(registry, artifacts);
    return {
      registry,
      artifacts,
      files: environment,
      records,
      loader: createRecordLoader(records),
      checkWritable: () => probeWrite(files, environment),
      countDamaged: (signal) => countDamaged(environment, signal),
      check: () => checkStore(environment),
      async backup(directory) {
        // Here and below: loaded when asked for, since the schema library costs 75 ms of every start.
        const { backUp } = await import('./backup/backup.ts');
        await backUp({ environment, registry, directory, now });
      },
      async close() {
        await registry.close();
        await releaseLock().finally(environment.close).finally(release);
      },
    };
  } catch (error) {
    await releaseLock().finally(environment.close);
    throw error;
  }
}

export interface RestoreStorageOptions {
  readonly dataDir: string;
  /** A directory that {@link Storage.backup} wrote. */
  readonly from: string;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Puts a backup in the place of the store. The replaced store is kept as `<dataDir>/replaced-<time>`.
 *
 * @throws {StorageRejectedError} `locked` while a console runs, `corrupt` or `newer` when the backup is no
 *   good: nothing was replaced
 */
export async function restoreStorage({
  dataDir,
  from,
  now = Date.now,
}: RestoreStorageOptions): Promise<void> {
  const { restoreStore } = await import('./backup/restore.ts');
  await restoreStore({ dataDir, from, now });
}
