/**
 * Holds processes to a share of one processor, so that their number can be varied on a machine of two while load
 * generator and member are not what limits them. Linux only, and only for who may make control groups.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ProcessorShares {
  /** Lets the processes run freely again. */
  [Symbol.dispose](): void;
}

const periodMicros = 100_000;
/** Where control groups of the first and of the second version are found. */
const roots = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'] as const;

/**
 * @param share  of one processor, for each process by itself
 * @returns undefined where this is not permitted
 */
export function limitProcessors(pids: readonly number[], share: number): ProcessorShares | undefined {
  const root = roots.find((each) => existsSync(join(each, 'cgroup.procs')));
  if (root === undefined) return undefined;
  const made: string[] = [];
  const freeAll = () => {
    for (const pid of pids) tryTo(() => writeFileSync(join(root, 'cgroup.procs'), `${pid}`));
    for (const group of made) tryTo(() => rmdirSync(group));
  };
  try {
    for (const pid of pids) {
      const group = join(root, `bench-${process.pid}-${pid}`);
      mkdirSync(group);
      made.push(group);
      writeQuota(group, Math.round(share * periodMicros));
      writeFileSync(join(group, 'cgroup.procs'), `${pid}`);
    }
  } catch {
    freeAll();
    return undefined;
  }
  return { [Symbol.dispose]: freeAll };
}

function writeQuota(group: string, quotaMicros: number): void {
  const second = join(group, 'cpu.max');
  if (existsSync(second)) writeFileSync(second, `${quotaMicros} ${periodMicros}`);
  else writeFileSync(join(group, 'cpu.cfs_quota_us'), `${quotaMicros}`);
}

/** A process that has ended has left its group by itself. */
function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // nothing is left to do
  }
}
