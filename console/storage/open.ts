/** Opens the embedded storage of a data directory: registry on a JSON file, artifacts in LMDB. */
import { openLmdbArtifacts } from './artifacts-lmdb.ts';
import { takeInstanceLock } from './instance-lock.ts';
import type { StorageLog } from './permissions.ts';
import { probeWrite } from './probe-write.ts';
import { openFileRegistry } from './registry-lowdb.ts';
import type { Storage } from './storage.ts';
import { openArtifactsEnvironment, prepareStoreFiles } from './store-files.ts';
import { checkFormat, noteFormat } from './store-format.ts';

export interface OpenStorageOptions {
  /** Created when it is not there. */
  readonly dataDir: string;
  /** A data directory has one `console`; any number of `tool`s may work beside it. */
  readonly role: 'console' | 'tool';
  /** Epoch milliseconds. */
  readonly now?: () => number;
  readonly log?: StorageLog | undefined;
}

/**
 * @throws {StorageRefusedError} when the store must not be opened: its content is as it was
 * @throws {StorageUnavailableError} when it cannot be written
 */
export async function openStorage({
  dataDir,
  role,
  now = Date.now,
  log,
}: OpenStorageOptions): Promise<Storage> {
  const files = prepareStoreFiles(dataDir, log);
  const environment = openArtifactsEnvironment(files);
  let releaseLock = async () => {};
  try {
    const isExpected = checkFormat(environment, files.artifactsData);
    if (role === 'console') releaseLock = await takeInstanceLock(environment, files.dataDir);
    const exclusive = environment.write;
    const registry = await openFileRegistry({ file: files.registry, exclusive, isExpected, log });
    if (!isExpected) await noteFormat(environment);

    return {
      registry,
      artifacts: openLmdbArtifacts({ environment, now }),
      checkWritable: () => probeWrite(files, environment),
      async backup(directory) {
        // Here and below: loaded when asked for, since the schema library costs 75 ms of every start.
        const { backUp } = await import('./backup.ts');
        await backUp({ environment, registry, directory, now });
      },
      async close() {
        registry.close();
        await releaseLock().finally(environment.close);
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
 * @throws {StorageRefusedError} `locked` while a console runs, `corrupt` or `newer` when the backup is no
 *   good: nothing was replaced
 */
export async function restoreStorage({
  dataDir,
  from,
  now = Date.now,
}: RestoreStorageOptions): Promise<void> {
  const { restoreStore } = await import('./restore.ts');
  await restoreStore({ dataDir, from, now });
}
