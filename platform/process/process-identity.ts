import { readFileSync } from 'node:fs';

/** One run of one process: an id alone may be given to another process later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks between boot and the process's start; absent where the system does not tell. */
  readonly startedAt?: string;
}

export function ownIdentity(): ProcessIdentity {
  const { startedAt } = readStat(process.pid) ?? {};
  return { pid: process.pid, ...(startedAt === undefined ? {} : { startedAt }) };
}

/** Whether that very process still runs. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  if (!hasProcess(pid)) return false;
  const stat = readStat(pid);
  if (!stat || startedAt === undefined) return true;
  // A zombie has ended; only its parent has not asked yet how.
  return stat.startedAt === startedAt && !['Z', 'X'].includes(stat.state);
}

export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** `/proc/<pid>/stat` (proc(5)): the third and the 22nd field; the second may hold spaces and brackets. */
function readStat(pid: number): { readonly state: string; readonly startedAt: string } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startedAt] = [fields[0], fields[19]];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
}
