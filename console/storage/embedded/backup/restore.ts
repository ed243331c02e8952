import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { syncDirectory, syncPath } from '../../../../platform/files/durable-file.ts';
import type { ArtifactStore, NamedArtifact } from '../../storage.ts';
import { forgetInstanceLock } from '../instance-lock.ts';
import { openLmdbArtifacts } from '../lmdb/artifacts-lmdb.ts';
import { forgetDamageCount } from '../lmdb/damage-count.ts';
import type { Environment } from '../lmdb/lmdb-environment.ts';
import { checkFormat } from '../lmdb/store-format.ts';
import { ownStore } from '../lmdb/store-owner.ts';
import { ownDataDirectory } from '../permissions.ts';
import { parseRegistry } from '../registry/registry-format.ts';
import { registryVersion } from '../registry/registry-text.ts';
import {
  openArtifactsEnvironment,
  restoringPrefix,
  type StoreFiles,
  storeFiles,
  strangerIn,
} from '../store-files.ts';
import { formerShape, parseFormerRegistry } from '../takeover/former-registry.ts';
import { backupFiles, checkManifest } from './backup-manifest.ts';

export interface RestoreDeps {
  readonly dataDir: string;
  readonly from: string;
  /** What is in the restored store besides. */
  readonly artifacts: readonly NamedArtifact[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Checks the backup, gathers a complete store from it inside the data directory, and swaps the two.
 * While they are being swapped `restoring-…` exists, which no start passes: an interrupted restore
 * is repeated, never mistaken for a new store.
 *
 * @returns where the store is that was replaced; undefined where there was none
 * @throws {StorageRejectedError} before anything was replaced
 */
export async function restoreStore({
  dataDir,
  from,
  artifacts,
  now,
}: RestoreDeps): Promise<string | undefined> {
  await checkManifest(from);
  ownDataDirectory(dataDir, strangerIn, undefined);
  const current = storeFiles(realpathSync(dataDir));
  const release = await ownStore(current.dataDir, 'tool');
  try {
    const time = new Date(now()).toISOString().replaceAll(/[-:.]/g, '');
    const gathered = await gather(from, join(current.dataDir, `.restore-${time}.partial`), (environment) =>
      putAll(openLmdbArtifacts({ environment, now, steady: now }), artifacts),
    );
    return await swap(gathered, current, time);
  } finally {
    await release();
  }
}

/** Builds a store from the backup and opens both halves of it once. */
async function gather(
  from: string,
  directory: string,
  complete: (environment: Environment) => Promise<void>,
): Promise<StoreFiles> {
  const files = storeFiles(directory);
  mkdirSync(files.artifacts, { recursive: true, mode: 0o700 });
  try {
    copyPrivate(join(from, backupFiles.registry), files.registry);
    copyPrivate(join(from, backupFiles.artifacts), files.artifactsData);
    checkRegistry(files.registry);
    const environment = openArtifactsEnvironment(files);
    try {
      checkFormat(environment, files.artifactsData);
      await forgetInstanceLock(environment);
      await forgetDamageCount(environment);
      await complete(environment);
    } finally {
      await environment.close();
    }
    // It describes the processes that use the environment, and is made anew.
    rmSync(files.artifactsLock, { force: true });
    for (const path of [files.registry, files.artifactsData]) await syncPath(path);
    for (const path of [files.artifacts, directory]) await syncDirectory(path);
    return files;
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

async function putAll(store: Pick<ArtifactStore, 'put'>, artifacts: readonly NamedArtifact[]): Promise<void> {
  await Promise.all(artifacts.map(({ kind, id, artifact }) => store.put(kind, id, artifact)));
}

/** One of the release before is taken over by the next start. */
function checkRegistry(file: string): void {
  const text = readFileSync(file, 'utf8');
  if (registryVersion(file) === formerShape.version) parseFormerRegistry(text, file);
  else parseRegistry(text, file);
}

async function swap(gathered: StoreFiles, current: StoreFiles, time: string): Promise<string | undefined> {
  const { dataDir } = current;
  const replaced = join(dataDir, `replaced-${time}`);
  const restoring = join(dataDir, `${restoringPrefix}${time}`);
  const leftovers = readdirSync(dataDir).filter((name) => name.startsWith(restoringPrefix));

  mkdirSync(replaced, { mode: 0o700 });
  renameSync(gathered.dataDir, restoring);
  await syncDirectory(dataDir);

  if (existsSync(current.formerRegistry)) {
    renameSync(current.formerRegistry, join(replaced, basename(current.formerRegistry)));
  }
  for (const path of [current.registry, current.artifacts]) {
    if (existsSync(path)) renameSync(path, join(replaced, basename(path)));
    renameSync(join(restoring, basename(path)), path);
  }
  await syncDirectory(replaced);
  await syncDirectory(dataDir);
  for (const name of [...leftovers, basename(restoring)]) rmSync(join(dataDir, name), { recursive: true });
  const hasReplaced = readdirSync(replaced).length > 0;
  if (!hasReplaced) rmdirSync(replaced);
  await syncDirectory(dataDir);
  return hasReplaced ? replaced : undefined;
}

function copyPrivate(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o600);
}
