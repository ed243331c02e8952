/** Backups of a data directory: both stores in one directory, whole or not at all. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncDirectory, syncPath } from '../../../../platform/files/durable-file.ts';
import type { Environment } from '../lmdb/lmdb-environment.ts';
import { storeFiles } from '../store-files.ts';
import { formatManifest, manifestFile } from './backup-manifest.ts';

export interface BackUpDeps {
  readonly environment: Environment;
  /** Its text as it is now. */
  readonly registry: () => Promise<string>;
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
  await mkdir(gathering, { recursive: true, mode: 0o700 });
  try {
    const files = storeFiles(gathering);
    await writePrivate(files.registry, await registry());
    await mkdir(files.artifacts, { mode: 0o700 });
    await environment.copyTo(files.artifacts);
    await chmod(files.artifactsData, 0o600);
    await syncPath(files.artifactsData);
    await syncDirectory(files.artifacts);
    await writePrivate(join(gathering, manifestFile), await formatManifest(gathering, now()));
    await syncDirectory(gathering);
    await rename(gathering, directory);
    await syncDirectory(dirname(resolve(directory)));
  } catch (error) {
    await rm(gathering, { recursive: true, force: true });
    throw error;
  }
}

async function writePrivate(file: string, content: string): Promise<void> {
  await writeFile(file, content, { mode: 0o600, flag: 'wx' });
  await syncPath(file);
}
