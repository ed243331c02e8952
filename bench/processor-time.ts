import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processor time of a process and its children so far, in microseconds, all threads together. A child
 * that has ended is not counted any more: servers here keep theirs.
 *
 * @throws {Error} on a system without `/proc`
 */
export function cpuMicrosOf(pid: number): number {
  return processesOf(pid).reduce((sum, each) => sum + ownMicrosOf(each), 0);
}

/** Resident memory of a process and its children in megabytes (10^6 bytes); what they share counts for each. */
export function residentMegabytesOf(pid: number): number {
  return processesOf(pid).reduce((sum, each) => sum + residentMegabytes(each), 0);
}

function processesOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processesOf)];
}

export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/**
 * Linux counts it in nanoseconds per thread; `/proc/<pid>/stat`, in hundredths of a second, is the
 * fallback.
 */
function ownMicrosOf(pid: number): number {
  try {
    return threadNanos(pid) / 1000;
  } catch {
    return processTicks(pid) * 10_000;
  }
}

/** Resident memory in megabytes (10^6 bytes). */
export function residentMegabytes(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}

function threadNanos(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [running = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(running);
  }, 0);
}

/** User and system time; the second field, the name, may itself hold spaces. */
function processTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
