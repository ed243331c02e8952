import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backUp } from '../backup/backup.ts';
import { registrySumOf } from '../backup/backup-manifest.ts';
import type { Environment } from '../lmdb/lmdb-environment.ts';
import { type StoreFiles, takeOverBackupPrefix } from '../store-files.ts';

export interface FormerBackupDeps {
  readonly files: StoreFiles;
  readonly environment: Environment;
  /** Of the registry. */
  readonly text: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * The store as it is, in a directory of the data directory, as `backup` writes it: the release before restores it.
 *
 * @returns its path
 */
export async function backUpFormer({ files, environment, text, now }: FormerBackupDeps): Promise<string> {
  const time = new Date(now()).toISOString().replaceAll(/[-:.]/g, '');
  const directory = join(files.dataDir, `${takeOverBackupPrefix}${time}`);
  await backUp({ environment, registry: async () => text, directory, now });
  return directory;
}

/** One that an earlier try has made of this registry: a start that fails again and again must not fill the disk. */
export async function findBackupOf(dataDir: string, registrySum: string): Promise<string | undefined> {
  for (const name of readdirSync(dataDir).filter((each) => each.startsWith(takeOverBackupPrefix))) {
    const directory = join(dataDir, name);
    if (name.endsWith('.partial')) rmSync(directory, { recursive: true, force: true });
    else if (registrySumOf(directory) === registrySum) return directory;
  }
  return undefined;
}
