/** The store's files belong to one user and are readable by that user alone (S79). */
import { chmodSync, closeSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StorageRefusedError } from './storage.ts';

/** What the storage says while it works; a pino logger fits. */
export interface StorageLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/**
 * Creates `directory` with mode 0700, or checks and tightens the one that is there.
 *
 * @throws {StorageRefusedError} `foreign` when it belongs to another user or is a shared place such as `/tmp`
 */
export function ownDirectory(directory: string, log: StorageLog | undefined): void {
  const found = statIfThere(directory);
  if (!found) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return;
  }
  if (isSharedPlace(directory, found)) {
    throw new StorageRefusedError(
      'foreign',
      `${directory} is shared with others: give the console a data directory of its own`,
    );
  }
  checkOwner(directory, found);
  tighten(directory, found, 0o700, log);
}

/**
 * Creates an empty `file` with mode 0600, or checks and tightens the one that is there.
 * LMDB would create its files readable for the group.
 *
 * @throws {StorageRefusedError} `foreign`
 */
export function ownFile(file: string, log: StorageLog | undefined): void {
  if (!statIfThere(file)) closeSync(openSync(file, 'a', 0o600));
  ownFileIfThere(file, log);
}

/** @throws {StorageRefusedError} `foreign` */
export function ownFileIfThere(file: string, log: StorageLog | undefined): void {
  const found = statIfThere(file);
  if (!found) return;
  checkOwner(file, found);
  tighten(file, found, 0o600, log);
}

function statIfThere(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
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
  throw new StorageRefusedError(
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
