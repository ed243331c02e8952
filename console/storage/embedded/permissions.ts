/** The store's files belong to one user and are readable by that user alone (S79). */
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDiskError } from '../disk-state.ts';
import { StorageRejectedError } from '../storage.ts';

/** What the storage says while it works; a pino logger fits. */
export interface StorageLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/**
 * Creates `directory` with mode 0700, or checks and tightens the one that is there.
 *
 * @throws {StorageRejectedError} `foreign` when it is no directory, belongs to another user, is a shared place such as
 *   `/tmp`, or cannot be made
 */
export function ownDirectory(directory: string, log: StorageLog | undefined): void {
  const found = statIfThere(directory);
  if (!found) {
    makeDirectories(directory);
    return;
  }
  if (!found.isDirectory()) throw foreign(directory, 'it is no directory');
  if (isSharedPlace(directory, found)) throw foreign(directory, 'it is shared with others');
  checkOwner(directory, found);
  tighten(directory, found, 0o700, log);
}

/**
 * The same for a data directory, which must be new, empty or one of ours: what belongs to something else is not
 * touched, whoever owns it (S99).
 *
 * @param strangerIn  what shows, among the names in it, that it is another's
 */
export function ownDataDirectory(
  directory: string,
  strangerIn: (names: readonly string[]) => string | undefined,
  log: StorageLog | undefined,
): void {
  const stranger = statIfThere(directory)?.isDirectory() && strangerIn(namesIn(directory));
  if (stranger)
    throw foreign(directory, `there is ${JSON.stringify(stranger)} in it, which is not the console's`);
  ownDirectory(directory, log);
}

export function foreign(directory: string, what: string, cause?: unknown): StorageRejectedError {
  return new StorageRejectedError(
    'foreign',
    `${directory} cannot be the data directory: ${what}. Nothing was changed there; name an empty directory, or one ` +
      'that is not there yet, with CONSOLE_DATA_DIR or --data-dir',
    { cause },
  );
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (cause) {
    throw foreign(directory, `it cannot be read (${(cause as NodeJS.ErrnoException).code})`, cause);
  }
}

/** One by one: below `/proc`, where nothing can be made, Node's own way tries for ever. */
function makeDirectories(directory: string): void {
  const parent = dirname(resolve(directory));
  if (!statIfThere(parent)) makeDirectories(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statIfThere(directory)?.isDirectory()) return; // another process was quicker
    if (isDiskError(cause)) throw cause;
    throw foreign(directory, `it cannot be made (${code})`, cause);
  }
}

/**
 * Creates an empty `file` with mode 0600, or checks and tightens the one that is there.
 * LMDB would create its files readable for the group.
 *
 * @throws {StorageRejectedError} `foreign`
 */
export function ownFile(file: string, log: StorageLog | undefined): void {
  if (!statIfThere(file)) closeSync(openSync(file, 'a', 0o600));
  ownFileIfThere(file, log);
}

/** @throws {StorageRejectedError} `foreign` */
export function ownFileIfThere(file: string, log: StorageLog | undefined): void {
  const found = statIfThere(file);
  if (!found) return;
  checkOwner(file, found);
  tighten(file, found, 0o600, log);
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // `/etc/hostname/data`: something on the way is a file.
    if (code === 'ENOTDIR' || code === 'ELOOP')
      throw foreign(path, `its path leads nowhere (${code})`, cause);
    throw cause;
  }
}

/** Taking the others' rights on `/tmp` or `/` away would break the machine, not protect the store. */
function isSharedPlace(directory: string, found: Stats): boolean {
  const isRoot = dirname(resolve(directory)) === resolve(directory);
  const isSticky = (found.mode & 0o1000) !== 0;
  return isRoot || isSticky;
}

function checkOwner(path: string, { uid }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined || uid === own) return;
  throw new StorageRejectedError(
    'foreign',
    `${path} belongs to user id ${uid}, but this process runs as user id ${own}: ` +
      'start it as the owner, or give the data directory to this user',
  );
}

function tighten(path: string, { mode }: Stats, wanted: number, log: StorageLog | undefined): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  chmodSync(path, wanted);
  log?.warn(
    { path, was: (mode & 0o777).toString(8), now: wanted.toString(8) },
    'others could read the store: permissions tightened',
  );
}
