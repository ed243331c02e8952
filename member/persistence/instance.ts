import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, ownIdentity, type ProcessIdentity } from '../../platform/process/process-identity.ts';
import { makePrivateDirectory, privateFile } from './private-files.ts';

/** The data of a member cannot be used by this process; the message says why and what to do. */
export class PersistenceRejectedError extends Error {
  override readonly name = 'PersistenceRejectedError';
}

/** How the process ended that last used the data; `none` in a directory that no member has used, such as a backup. */
export type LastRun = 'none' | 'released' | 'killed' | 'stopped with the machine';

/** The right of this process to be the only one in a directory. */
export interface Instance {
  readonly lastRun: LastRun;
  /** From now on this process writes; until then it is as if it had not been. */
  writes(): void;
  /** The disk has everything. */
  release(): void;
}

/** One run of one process on one run of the machine: an id alone may be given to another process later. */
interface InstanceRecord extends ProcessIdentity {
  readonly boot?: string;
  readonly isReleased?: boolean;
  /** Of one that has written nothing: how the one before it ended. */
  readonly after?: LastRun;
}

/**
 * The instances of a directory are numbered, and each number is given once: two processes that find the last one
 * ended cannot both be the next. That of a process that was killed counts for nothing, so that the next start succeeds
 * at once.
 *
 * @throws {PersistenceRejectedError} while another member uses the directory
 */
export function takeInstance(directory: string): Instance {
  const path = join(directory, 'instance');
  const boot = bootId();
  const own: InstanceRecord = { ...ownIdentity(), ...(boot === undefined ? {} : { boot }) };
  try {
    makePrivateDirectory(path);
    for (;;) {
      const { number, record: last } = newestIn(path);
      if (last !== undefined && isRunning(last, boot)) {
        throw new PersistenceRejectedError(
          `another member (process ${last.pid}) uses ${directory}: stop it, or choose another base-dir`,
        );
      }
      const lastRun = lastRunOf(last, boot);
      if (!isTaken(path, number + 1, { ...own, after: lastRun })) continue;
      for (const name of readdirSync(path)) {
        if (Number(name) <= number) rmSync(join(path, name));
      }
      return {
        lastRun,
        writes: () => replace(path, number + 1, own),
        release() {
          try {
            replace(path, number + 1, { ...own, isReleased: true });
          } catch {
            // No room: that this process has ended says enough.
          }
        },
      };
    }
  } catch (cause) {
    if (cause instanceof PersistenceRejectedError) throw cause;
    throw new PersistenceRejectedError(`${directory} cannot be written: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function newestIn(path: string): { readonly number: number; readonly record: InstanceRecord | undefined } {
  const number = Math.max(0, ...readdirSync(path).map(Number).filter(Number.isSafeInteger));
  if (number === 0) return { number, record: undefined };
  try {
    return { number, record: JSON.parse(readFileSync(join(path, String(number)), 'utf8')) };
  } catch {
    return { number, record: unreadable };
  }
}

/** Written, and lost when the machine stopped. */
const unreadable: InstanceRecord = { pid: 0, boot: 'another' };

/** @returns whether this process has the number, and no other one */
function isTaken(path: string, number: number, record: InstanceRecord): boolean {
  const draft = write(path, record);
  try {
    linkSync(draft, join(path, String(number)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

function replace(path: string, number: number, record: InstanceRecord): void {
  renameSync(write(path, record), join(path, String(number)));
}

function write(path: string, record: InstanceRecord): string {
  const draft = join(path, `${process.pid}.draft`);
  writeFileSync(draft, JSON.stringify(record), { mode: privateFile });
  return draft;
}

function lastRunOf(last: InstanceRecord | undefined, boot: string | undefined): LastRun {
  if (last === undefined) return 'none';
  if (last.isReleased) return 'released';
  if (last.after !== undefined && last.after !== 'killed') return last.after;
  return last.boot === boot ? 'killed' : 'stopped with the machine';
}

function isRunning(record: InstanceRecord, boot: string | undefined): boolean {
  return !record.isReleased && record.boot === boot && isAlive(record);
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return undefined;
  }
}
