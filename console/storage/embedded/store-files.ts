/** Where a data directory keeps what, and whether that may be opened. */
import { existsSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findLmdbFileCorruption,
  lengthenLmdbFile,
  lmdbFileEndsEarly,
} from '../../../platform/files/lmdb-file-check.ts';
import { StorageRejectedError } from '../storage.ts';
import { errorOfDisk } from './disk-error.ts';
import { type Environment, openEnvironment } from './lmdb/lmdb-environment.ts';
import { rejectNetworkFileSystem } from './network-file-system.ts';
import { ownDataDirectory, ownDirectory, ownFile, ownFileIfThere, type StorageLog } from './permissions.ts';
import { corrupt } from './registry/registry-text.ts';

export interface StoreFiles {
  readonly dataDir: string;
  readonly registry: string;
  /** The registry of the release before, once it has been taken over. */
  readonly formerRegistry: string;
  /** Directory of the LMDB environment. */
  readonly artifacts: string;
  readonly artifactsData: string;
  readonly artifactsLock: string;
}

/** Prefix of the directory that exists while a restore replaces one store by another. */
export const restoringPrefix = 'restoring-';
/** Is there while another store is moved into this directory. */
export const migrationFile = 'half-migrated.json';
/** Prefix of the directory with the store as it was before it was taken over. */
export const takeOverBackupPrefix = 'before-take-over-';

export function storeFiles(dataDir: string): StoreFiles {
  const artifacts = join(dataDir, 'artifacts');
  return {
    dataDir,
    registry: join(dataDir, 'registry.json'),
    formerRegistry: join(dataDir, 'registry.v1.json'),
    artifacts,
    artifactsData: join(artifacts, 'data.mdb'),
    artifactsLock: join(artifacts, 'lock.mdb'),
  };
}

/**
 * Creates the directories and files of a store, or checks whose they are and tightens their modes (S79).
 *
 * @param isHalfMigrated  another store is being moved into this one
 * @returns the files under their canonical path
 * @throws {StorageRejectedError} `foreign`, `corrupt` after an interrupted restore, or `half_migrated`
 */
export function prepareStoreFiles(
  dataDir: string,
  log: StorageLog | undefined,
  isHalfMigrated = false,
): StoreFiles {
  try {
    return prepare(dataDir, log, isHalfMigrated);
  } catch (error) {
    throw errorOfDisk(error, dataDir) ?? error;
  }
}

function prepare(dataDir: string, log: StorageLog | undefined, isHalfMigrated: boolean): StoreFiles {
  rejectNetworkFileSystem(dataDir);
  ownDataDirectory(dataDir, strangerIn, log);
  const files = storeFiles(realpathSync(dataDir));
  rejectHalfRestored(files);
  if (!isHalfMigrated) rejectHalfMigrated(files);
  tryWrite(files);
  ownDirectory(files.artifacts, log);
  ownFileIfThere(files.registry, log);
  // The artifacts exist before the registry does, so an empty file beside a registry has lost its content.
  if (existsSync(files.registry) && !hasContent(files.artifactsData)) {
    throw corrupt(files.artifactsData, 'it is empty or missing, although there is a registry');
  }
  ownFile(files.artifactsData, log);
  ownFile(files.artifactsLock, log);
  return files;
}

/** @returns a name that shows that the directory is another's; where a store is, it may have what it likes beside it */
export function strangerIn(names: readonly string[]): string | undefined {
  const hasStore = ['artifacts', 'registry.json'].every((name) => names.includes(name));
  return hasStore ? undefined : names.find((name) => !isOurs(name));
}

const ownNames: ReadonlySet<string> = new Set([
  ...[
    'artifacts',
    'lock',
    'audit',
    'audit.log',
    'audit-index',
    'audit-verification.json',
    'audit-forward',
    'console.sock',
    'traffic',
  ],
  ...['backups', 'jobs', 'queue-items', 'lost+found'],
]);

/** Names that the console gives or reads in a data directory, and what file systems, volumes and editors put there. */
function isOurs(name: string): boolean {
  return (
    ownNames.has(name) ||
    name.startsWith('registry.json') ||
    name === 'registry.v1.json' ||
    name.startsWith(migrationFile) ||
    /^\.?console\.yaml/.test(name) ||
    name.startsWith('..') ||
    /^(replaced-|restoring-|\.restore-|before-take-over-)/.test(name)
  );
}

/** First of all: where nothing can be written, whatever else fails is no damage. @throws {NodeJS.ErrnoException} */
function tryWrite({ registry }: StoreFiles): void {
  const path = `${registry}.${process.pid}.try.tmp`;
  try {
    writeFileSync(path, Buffer.alloc(4096), { mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}

const corruptions = {
  foreign: 'it is not an LMDB file',
  version: 'it has another LMDB version',
  cut: 'its end is missing',
} as const;

/** @throws {StorageRejectedError} `corrupt` */
export function openArtifactsEnvironment({ artifacts, artifactsData }: StoreFiles): Environment {
  const corruption = findLmdbFileCorruption(artifactsData);
  if (corruption) throw corrupt(artifactsData, corruptions[corruption]);
  try {
    return openEnvironment(artifacts);
  } catch (error) {
    throw errorOfDisk(error, artifacts) ?? corrupt(artifactsData, 'LMDB cannot open it', error);
  }
}

/** Spares the next start a look at trees of a million records ({@link lengthenLmdbFile}). */
export async function lengthenArtifacts(
  { artifactsData }: StoreFiles,
  environment: Pick<Environment, 'write'>,
): Promise<void> {
  if (lmdbFileEndsEarly(artifactsData)) await environment.write(() => lengthenLmdbFile(artifactsData));
}

/** For a process that writes nothing, beside the one that does. */
export function openReadersEnvironment({ artifacts }: StoreFiles): Environment {
  return openEnvironment(artifacts, { isReader: true });
}

function rejectHalfRestored({ dataDir }: StoreFiles): void {
  const restoring = readdirSync(dataDir).find((name) => name.startsWith(restoringPrefix));
  if (!restoring) return;
  throw corrupt(join(dataDir, restoring), 'a restore was interrupted');
}

function rejectHalfMigrated({ dataDir }: StoreFiles): void {
  if (!existsSync(join(dataDir, migrationFile))) return;
  throw new StorageRejectedError(
    'half_migrated',
    `${dataDir} is half-migrated: "npx console storage migrate" has not come to its end there. Run it again, which goes on ` +
      `where it was; or, to begin anew, remove registry.json, artifacts and ${migrationFile} there.`,
  );
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
