import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { formatManifest, manifestFile } from './backup-manifest.ts';
import { syncDirectory, syncPath } from './durable-file.ts';
import type { Environment } from './lmdb-environment.ts';
import type { FileRegistry } from './registry-lowdb.ts';
import { storeFiles } from './store-files.ts';

export interface BackUpDeps {
  readonly environment: Environment;
  readonly registry: FileRegistry;
  /** Must not exist yet. */
  readonly directory: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Writes the registry, a snapshot of the artifacts that is no older, and `backup.json` with their hashes.
 * Everything is gathered beside `directory` and renamed at the end: a backup is there whole or not at all.
 *
 * @throws {Error} when `directory` exists or cannot be written
 */
export async function backUp({ environment, registry, directory, now }: BackUpDeps): Promise<void> {
  if (existsSync(directory)) throw new Error(`${directory} exists already`);
  const gathering = `${resolve(directory)}.${process.pid}.partial`;
  mkdirSync(gathering, { recursive: true, mode: 0o700 });
  try {
    const files = storeFiles(gathering);
    writePrivate(files.registry, await environment.write(registry.snapshot));
    mkdirSync(files.artifacts, { mode: 0o700 });
    await environment.copyTo(files.artifacts);
    chmodSync(files.artifactsData, 0o600);
    syncPath(files.artifactsData);
    syncDirectory(files.artifacts);
    writePrivate(join(gathering, manifestFile), await formatManifest(gathering, now()));
    syncDirectory(gathering);
    renameSync(gathering, directory);
    syncDirectory(dirname(resolve(directory)));
  } catch (error) {
    rmSync(gathering, { recursive: true, force: true });
    throw error;
  }
}

function writePrivate(file: string, content: string): void {
  writeFileSync(file, content, { mode: 0o600, flag: 'wx' });
  syncPath(file);
}
