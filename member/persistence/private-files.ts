import { mkdirSync } from 'node:fs';
import { type Key, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';

/** What a member keeps is for its own user alone, whatever the umask is and the directories above allow (S79). */
export const privateDirectory = 0o700;
export const privateFile = 0o600;

/** Directories above it that are not there are made as private. */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: privateDirectory });
}

/** The LMDB environment in a directory; both are made when they are not there. */
export function openPrivately<V, K extends Key>(
  directory: string,
  options: Omit<RootDatabaseOptionsWithPath, 'path' | 'noSubdir'>,
): RootDatabase<V, K> {
  makePrivateDirectory(directory);
  // The mode of its two files, 0664 unless given; lmdb's types do not have it.
  const withMode = { ...options, path: directory, noSubdir: false, permissionsMode: privateFile };
  return open<V, K>(withMode);
}
