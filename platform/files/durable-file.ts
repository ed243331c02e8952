/** Replacing a file so that a reader, a crash or a power cut meets the old content or the new, never a mixture. */
import { randomBytes } from 'node:crypto';
import { constants, readdirSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const { O_CREAT, O_EXCL, O_RDWR } = constants;

/**
 * Writes `content` beside `file`, exclusively, with mode 0600, and syncs it; a rename of it to `file` and a sync
 * of the directory make it take that place (S74). When this throws, nothing is left behind.
 *
 * @param content  taken as it is written, so that making it need not hold up anybody
 * @returns the path of the temporary file
 */
export async function writeTemporary(file: string, content: Iterable<string | Buffer>): Promise<string> {
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(temporary, O_CREAT | O_EXCL | O_RDWR, 0o600);
  try {
    for (const part of content) await handle.writeFile(part);
    await handle.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return temporary;
}

/** The rename happened, but nobody can promise that it lasts. */
export class UnsyncedDirectoryError extends Error {
  override readonly name = 'UnsyncedDirectoryError';
}

/** Makes the names in `directory` durable. Windows cannot open a directory and needs no such call. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await syncPath(directory);
}

/** Makes the content of a file durable that something else wrote. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Drops the temporary files that killed writers of `file` left behind (S75). */
export function dropStaleTemporaries(file: string, isRunning: (pid: number) => boolean): void {
  const directory = dirname(file);
  const prefix = `${basename(file)}.`;
  for (const name of readdirSync(directory)) {
    if (!name.startsWith(prefix) || !name.endsWith('.tmp')) continue;
    const writer = Number.parseInt(name.slice(prefix.length), 10);
    if (!isRunning(writer)) rmSync(join(directory, name), { force: true });
  }
}
