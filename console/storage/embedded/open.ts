/** Opens the embedded storage of a data directory: registry on a JSON file, artifacts in LMDB. */

import { announcePuts } from '../engine/put-listeners.ts';
import type { StorageLog } from '../engine/storage-log.ts';
import type { NamedArtifact } from '../storage.ts';
import { errorOfDisk } from './disk-error.ts';
import { takeInstanceLock } from './instance-lock.ts';
import { openArtifactEntries } from './lmdb/artifact-entries.ts';
import { openLmdbArtifacts } from './lmdb/artifacts-lmdb.ts';
import { createDamageCount } from './lmdb/damage-count.ts';
import { fillIndexes, recordIndexesFilled } from './lmdb/index-filling.ts';
import { finishRegistryChange } from './lmdb/joint-commits.ts';
import { openLmdbRecords } from './lmdb/records-lmdb.ts';
import { checkStore } from './lmdb/store-check.ts';
import { checkFormat, recordFormat } from './lmdb/store-format.ts';
import { ownStore } from './lmdb/store-owner.ts';
import { probeWrite } from './probe-write.ts';
import { formatRegistry, registryShape } from './registry/registry-format.ts';
import { openFileRegistry } from './registry/registry-lowdb.ts';
import { corrupt, registryVersion } from './registry/registry-text.ts';
import {
  lengthenArtifacts,
  openArtifactsEnvironment,
  prepareStoreFiles,
  type StoreFiles,
} from './store-files.ts';
import { formerShape } from './takeover/former-registry.ts';
import type { ArtifactsOf, TakeOverProgress } from './takeover/take-over.ts';
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
  /** What a record of the release before says that now stands in artifacts: asked while such a store is taken over. */
  readonly artifactsOf?: ArtifactsOf;
  readonly onTakeOver?: (progress: TakeOverProgress) => void;
  /** Another store is being moved into this one: only who does that may open it. */
  readonly isHalfMigrated?: boolean;
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
  artifactsOf = () => [],
  onTakeOver = () => {},
  isHalfMigrated = false,
}: OpenStorageOptions): Promise<OwnedStorage> {
  const files = prepareStoreFiles(dataDir, log, isHalfMigrated);
  let release = async () => {};
  try {
    if (role === 'console') release = await ownStore(files.dataDir, 'console');
    return await openPrepared(files, { role, now, steady, log, artifactsOf, onTakeOver, release });
  } catch (error) {
    await release();
    throw errorOfDisk(error, files.dataDir) ?? error;
  }
}

interface PreparedOptions
  extends Required<Pick<OpenStorageOptions, 'role' | 'now' | 'steady' | 'artifactsOf' | 'onTakeOver'>> {
  readonly log: StorageLog | undefined;
  /** Gives the store back to other processes. */
  readonly release: () => Promise<void>;
}

async function openPrepared(
  files: StoreFiles,
  { role, now, steady, log, artifactsOf, onTakeOver, release }: PreparedOptions,
): Promise<OwnedStorage> {
  const environment = openArtifactsEnvironment(files);
  let releaseLock = async () => {};
  try {
    const { isExpected, isRecorded, isFormer } = checkFormat(environment, files.artifactsData);
    await lengthenArtifacts(files, environment);
    if (role === 'console') releaseLock = await takeInstanceLock(environment, files.dataDir);
    const artifacts = announcePuts(openLmdbArtifacts({ environment, now, steady }), log);
    await takeOverIfFormer(files, isFormer, async () => {
      const { takeOver } = await import('./takeover/take-over.ts');
      await takeOver({ files, environment, artifacts, artifactsOf, onProgress: onTakeOver, now });
    });
    const exclusive = environment.write;
    const registry = await openFileRegistry({ file: files.registry, exclusive, isExpected, log });
    if (!isRecorded) await recordFormat(environment);
    if (!isExpected) await recordIndexesFilled(environment);

    await finishRegistryChange(environment, openArtifactEntries(environment), registry);

    const records = openLmdbRecords({ environment, registry, log });
    return {
      registry,
      artifacts,
      files: environment,
      records,
      loader: records.loader,
      checkWritable: () => probeWrite(files, environment),
      onWriteFailure: environment.onWriteFailure,
      ...createDamageCount(environment, now),
      fillIndexes: (signal) => fillIndexes(environment, signal),
      check: () => checkStore(environment),
      async backup(directory) {
        // Here and below: loaded when asked for, since the schema library costs 75 ms of every start.
        const { backUp } = await import('./backup/backup.ts');
        const text = async () => formatRegistry(await registry.snapshot());
        await backUp({ environment, registry: text, directory, now });
      },
      async downgrade(directory) {
        const { downgradeTo } = await import('./takeover/downgrade.ts');
        await downgradeTo({ environment, registry: await registry.snapshot(), directory });
      },
      async close() {
        await registry.close();
        // What cannot be written now is looked at by the next start.
        await lengthenArtifacts(files, environment).catch(() => {});
        await releaseLock().finally(environment.close).finally(release);
      },
    };
  } catch (error) {
    await releaseLock().finally(environment.close);
    throw error;
  }
}

/** @throws {StorageRejectedError} `corrupt` when one half of the store is of the release before, and the other of this one */
async function takeOverIfFormer(
  { registry, artifactsData }: StoreFiles,
  isFormer: boolean,
  takeOver: () => Promise<void>,
): Promise<void> {
  const version = registryVersion(registry);
  if (version === formerShape.version) await takeOver();
  else if (version === registryShape.version && isFormer)
    throw corrupt(artifactsData, 'it is of an earlier release than the registry');
}

export interface RestoreStorageOptions {
  readonly dataDir: string;
  /** A directory that {@link Storage.backup} wrote. */
  readonly from: string;
  /** What is in the restored store besides. */
  readonly artifacts?: readonly NamedArtifact[];
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * Puts a backup in the place of the store. The replaced store is kept as `<dataDir>/replaced-<time>`.
 *
 * @returns where that is; undefined where there was no store
 * @throws {StorageRejectedError} `locked` while a console runs, `corrupt` or `newer` when the backup is no
 *   good: nothing was replaced
 */
export async function restoreStorage({
  dataDir,
  from,
  artifacts = [],
  now = Date.now,
}: RestoreStorageOptions): Promise<string | undefined> {
  const { restoreStore } = await import('./backup/restore.ts');
  return restoreStore({ dataDir, from, artifacts, now });
}
