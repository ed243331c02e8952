import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TransactionFlags } from 'lmdb';
import { makePrivateDirectory, openPrivately } from './private-files.ts';
import { createRoomCheck, NoRoomError } from './room.ts';
import { corruptionOf } from './store/lmdb-file.ts';

/** The data of a member cannot be used by this process; the message says why and what to do. */
export class PersistenceRejectedError extends Error {
  override readonly name = 'PersistenceRejectedError';
}

/** The right of this process to be the only one in a directory. */
export interface Instance {
  /** Whether the machine has started anew since the directory was last used. */
  readonly hasMachineRestarted: boolean;
  release(): Promise<void>;
}

/** One run of one process on one run of the machine: an id alone may be given to another process later. */
interface InstanceRecord {
  readonly pid: number;
  /** Clock ticks between boot and the process's start; absent where the system does not tell. */
  readonly startedAt: string | undefined;
  readonly boot: string | undefined;
  readonly isReleased?: boolean;
}

const key = 'member';
const synchronous = 2 as TransactionFlags;

/**
 * Check and entry are one transaction; the entry of a process that was killed counts for nothing, so
 * that the next start succeeds at once.
 *
 * @throws {PersistenceRefusedError} while another member uses the directory
 */
export function takeInstance(directory: string): Instance {
  const path = join(directory, 'instance');
  const checkRoom = createRoomCheck(directory);
  try {
    makePrivateDirectory(path);
    checkRoom(0);
  } catch (cause) {
    throw new PersistenceRejectedError(`${directory} cannot be written: ${(cause as Error).message}`, {
      cause,
    });
  }
  const corruption = corruptionOf(join(path, 'data.mdb'));
  if (corruption !== undefined) {
    throw new PersistenceRejectedError(
      `${path} is damaged (${corruption}): remove it once no member uses ${directory}`,
    );
  }
  const holders = openPrivately<InstanceRecord, string>(path, { overlappingSync: false, encoding: 'json' });
  const own: InstanceRecord = { pid: process.pid, startedAt: statOf(process.pid)?.startedAt, boot: bootId() };

  let last: InstanceRecord | undefined;
  holders.transactionSync(() => {
    last = holders.get(key);
    if (last === undefined || !isRunning(last)) holders.putSync(key, own);
  }, synchronous);
  if (last !== undefined && isRunning(last)) {
    void holders.close();
    throw new PersistenceRejectedError(
      `another member (process ${last.pid}) uses ${directory}: stop it, or choose another base-dir`,
    );
  }
  return {
    hasMachineRestarted: last !== undefined && last.boot !== own.boot,
    async release() {
      try {
        checkRoom(0);
        holders.transactionSync(() => holders.putSync(key, { ...own, isReleased: true }), synchronous);
      } catch (error) {
        if (!(error instanceof NoRoomError)) throw error; // that this process has ended says it as well
      }
      await holders.close();
    },
  };
}

function isRunning({ pid, startedAt, boot, isReleased }: InstanceRecord): boolean {
  if (isReleased === true || boot !== bootId() || !hasProcess(pid)) return false;
  const stat = statOf(pid);
  // A zombie has ended; only its parent has not asked yet how.
  return stat === undefined || (stat.startedAt === startedAt && !['Z', 'X'].includes(stat.state));
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function bootId(): string | undefined {
  return contentOf('/proc/sys/kernel/random/boot_id')?.trim();
}

/** `/proc/<pid>/stat` (proc(5)): the third and the 22nd field; the second may hold spaces and brackets. */
function statOf(pid: number): { readonly state: string; readonly startedAt: string } | undefined {
  const text = contentOf(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, startedAt] = [fields[0], fields[19]];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
