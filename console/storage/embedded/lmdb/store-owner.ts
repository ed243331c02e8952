/**
 * Who may open the LMDB environment of a data directory: one process at a time. `mdb_env_open` writes an old
 * transaction number into the lock table that all users of the file share (LMDB's ITS#9496), so opening it
 * while another process commits can crash that process, or lose what it has just acknowledged.
 *
 * The owner is noted in a file, and a second environment, `lock/`, in which nothing is ever committed, lends
 * its write mutex for reading and writing that file: the kernel frees it when its process dies.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ABORT, open } from 'lmdb';
import { isAlive, ownIdentity, type ProcessIdentity } from '../../../../platform/process/process-identity.ts';
import { StorageRejectedError } from '../../storage.ts';
import { ownDirectory, ownFile } from '../permissions.ts';

export type OwnerKind = 'console' | 'tool';

interface Owner extends ProcessIdentity {
  readonly kind: OwnerKind;
  /** Device and inode of the data directory: the note in a copy of it says nothing. */
  readonly place: string;
}

/** A command takes some hundred milliseconds, so that another command, or a console, can wait for it. */
const patienceMs = 15_000;
const pollMs = 25;

/**
 * Waits for a command that has the store open; a console has it for longer than anybody waits.
 *
 * @param dataDir  canonical, and the store's own
 * @returns a function that gives the store back
 * @throws {StorageRejectedError} `locked`
 */
export async function ownStore(dataDir: string, kind: OwnerKind): Promise<() => Promise<void>> {
  const own: Owner = { ...ownIdentity(), kind, place: placeOf(dataDir) };
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const other = await alone(dataDir, (file) => takeUnlessOwned(file, own));
    if (!other) break;
    if (other.kind === 'console') throw lockedBy(other, dataDir);
    if (performance.now() > deadline) throw lockedBy(other, dataDir);
    await delay(pollMs);
  }
  return () => alone(dataDir, (file) => rmSync(file, { force: true })).catch(leaveRecord);
}

/** The record of a process that has ended counts no more. */
function leaveRecord(error: unknown): void {
  if (!(error instanceof StorageRejectedError && error.reason === 'locked')) throw error;
}

function takeUnlessOwned(file: string, own: Owner): Owner | undefined {
  const other = readOwner(file);
  if (other?.place === own.place) return other;
  writeFileSync(file, JSON.stringify(own), { mode: 0o600 });
  return undefined;
}

/** A file that was not written to its end is that of a process which was killed at it. */
function readOwner(file: string): Owner | undefined {
  let owner: Owner;
  try {
    owner = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return isAlive(owner) ? owner : undefined;
}

function placeOf(dataDir: string): string {
  const { dev, ino } = statSync(dataDir);
  return `${dev}:${ino}`;
}

/** Runs `work` while no other process looks at the note of the owner. */
async function alone<T>(dataDir: string, work: (file: string) => T): Promise<T> {
  const directory = join(dataDir, 'lock');
  ownDirectory(directory, undefined);
  for (const name of ['data.mdb', 'lock.mdb']) ownFile(join(directory, name), undefined);
  const mutex = openMutex(directory, dataDir);
  try {
    let result: T | undefined;
    mutex.transactionSync(() => {
      result = work(join(directory, 'owner'));
      return ABORT;
    });
    return result as T;
  } finally {
    await mutex.close();
  }
}

/**
 * Whoever closes these files last destroys the locks in them; a process that opens them at that moment finds locks that are none,
 * and gets no other ones as long as it runs.
 *
 * @throws {StorageRejectedError} `locked`
 */
function openMutex(directory: string, dataDir: string) {
  try {
    return open({ path: directory, noSubdir: false, maxDbs: 1, eventTurnBatching: false });
  } catch (error) {
    if (!/No transaction to renew/.test(String(error))) throw error;
    throw new StorageRejectedError('locked', `others use ${dataDir} at this moment: try again`, {
      cause: error,
    });
  }
}

function lockedBy({ pid, kind }: Owner, dataDir: string): StorageRejectedError {
  const who = kind === 'console' ? 'another console' : 'a command';
  return new StorageRejectedError(
    'locked',
    `${who} (process ${pid}) uses ${dataDir}: stop it, or choose another data directory`,
  );
}
