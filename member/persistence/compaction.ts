import { rm } from 'node:fs/promises';
import { createSerial } from '../../platform/async/serial.ts';
import type { ChangeLog } from './change-log.ts';
import type { DataDirectory } from './directory.ts';
import type { Operation } from './operations.ts';
import { writeOperations } from './state.ts';

export interface CompactionDeps {
  readonly directory: DataDirectory;
  readonly log: ChangeLog;
  /** Of the state that there is. */
  readonly stateBytes: number;
  /** Resolves when all that has been appended has been done in memory, or refused. */
  readonly settle: () => Promise<void>;
  /** All that holds in memory, as operations; what changes meanwhile may be among them or not. */
  readonly operations: () => Iterable<Operation>;
  /** One could not be completed, for want of room for example; it will be tried again. */
  readonly onFailure: (error: Error) => void;
}

/** Writes the state anew when the logs have grown as large as it, and removes them. */
export interface Compaction {
  /** Does something with the files, while none of them is removed. */
  exclude<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** With less in the logs a start is short whatever is in them. */
const leastBytes = 32 * 1024 * 1024;
/** How often it is looked at whether one is due. */
const checkMs = 100;
/** After one that failed. */
const retryMs = 10_000;

export function createCompaction({
  directory,
  log,
  settle,
  operations,
  onFailure,
  ...deps
}: CompactionDeps): Compaction {
  let { stateBytes } = deps;
  let isPlanned = false;
  let isClosing = false;
  let retryAt = Number.NEGATIVE_INFINITY;
  const exclude = createSerial();
  const timer = setInterval(beginIfDue, checkMs).unref();

  async function compact(): Promise<void> {
    const { number, bytes } = await log.turn();
    await settle();
    stateBytes = await writeOperations(directory.state(number), untilClosing());
    for (const file of directory.stale()) await rm(file);
    await log.removed(number, bytes);
  }

  function* untilClosing(): Generator<Operation> {
    for (const operation of operations()) {
      if (isClosing) throw new Error('the member stops');
      yield operation;
    }
  }

  function beginIfDue(): void {
    const isDue = log.isInDoubt || log.bytes >= Math.max(leastBytes, stateBytes);
    if (!isDue || isPlanned || performance.now() < retryAt) return;
    isPlanned = true;
    exclude(compact)
      .catch((error) => {
        if (isClosing) return;
        retryAt = performance.now() + retryMs;
        onFailure(error);
      })
      .finally(() => {
        isPlanned = false;
      });
  }

  return {
    exclude,
    async close() {
      isClosing = true;
      clearInterval(timer);
      await exclude(async () => {});
    },
  };
}
