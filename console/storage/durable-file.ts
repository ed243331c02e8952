/** Replacing a file so that a reader, a crash or a power cut meets the old content or the new, never a mixture. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const { O_CREAT, O_EXCL, O_RDWR } = constants;

/**
 * Replaces `file`: temporary file (exclusive, 0600), write, fsync, rename, fsync of the directory (S74).
 * When this throws before the rename, the file is untouched and the temporary file gone.
 *
 * @returns a descriptor of the file that is now in place; the caller closes it
 * @throws {UnsyncedDirectoryError} when the new content is in place but could be lost by a power cut
 */
export function replaceFile(file: string, content: string): number {
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  const descriptor = openSync(temporary, O_CREAT | O_EXCL | O_RDWR, 0o600);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
    renameSync(temporary, file);
  } catch (error) {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
    throw error;
  }
  try {
    syncDirectory(dirname(file));
  } catch (error) {
    closeSync(descriptor);
    throw new UnsyncedDirectoryError('the directory could not be synced', { cause: error });
  }
  return descriptor;
}

/** The rename happened, but nobody can promise that it lasts. */
export class UnsyncedDirectoryError extends Error {
  override readonly name = 'UnsyncedDirectoryError';
}

/** Makes the names in `directory` durable. Windows cannot open a directory and needs no such call. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  syncPath(directory);
}

/** Makes the content of a file durable that something else wrote. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Drops the temporary files that a killed writer of `file` left behind (S75).
 * Call it only while no other process can be writing.
 */
export function dropStaleTemporaries(file: string): void {
  const directory = dirname(file);
  const prefix = `${basename(file)}.`;
  for (const name of readdirSync(directory)) {
    if (name.startsWith(prefix) && name.endsWith('.tmp')) rmSync(join(directory, name), { force: true });
  }
}
