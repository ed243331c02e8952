import { ChangeNotDurableError } from '../data/changes.ts';
import type { ChangeLog } from './change-log.ts';
import type { Operation } from './operations.ts';

/** What a caller waits for: `system` outlives the process, `disk` the machine's stop as well. */
export type Safety = 'system' | 'disk';

export interface Write {
  readonly operation: Operation;
  readonly safety: Safety;
  /** It has happened already: when there is no room for it, it is written with the next writes. */
  readonly isFact?: boolean;
  /** Called once it is safe, in the order of the writes. */
  done(): void;
  /** Called when it could not be written; nothing of it was. */
  failed(error: ChangeNotDurableError): void;
}

/**
 * Appends writes to the log: the callers of one turn of the event loop, and of the time that a write takes, share one
 * write, and many one flush of the disk.
 */
export interface WriteQueue {
  add(write: Write): void;
  /** Resolves when everything that was added before is on the disk, or was refused. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface WriteQueueDeps {
  readonly log: Pick<ChangeLog, 'append' | 'flush' | 'unflushedBytes'>;
  /** How often what the system alone has is flushed. */
  readonly periodMillis: number;
  readonly onFailure: (error: unknown, where: Safety) => void;
}

/** With more than this that is not on the disk callers wait: it is slower than they are. */
const mostUnflushedBytes = 64 * 1024 * 1024;

export function createWriteQueue({ log, periodMillis, onFailure }: WriteQueueDeps): WriteQueue {
  /** Added since the last append began. */
  let fresh: Write[] = [];
  let hasNew = false;
  let isScheduled = false;
  let appending: Promise<void> | undefined;
  /** Appended, and waiting for the disk. */
  let waiting: Write[] = [];
  let flushing: Promise<void> | undefined;
  const period = setInterval(() => {
    if (log.unflushedBytes > 0) void flush();
    if (fresh.length > 0) schedule(); // facts for which there was no room
  }, periodMillis);
  period.unref();

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(async () => {
      if (log.unflushedBytes > mostUnflushedBytes) await flush();
      await append();
      isScheduled = false;
      if (hasNew) schedule();
    });
  }

  function append(): Promise<void> {
    appending ??= appendOnce().finally(() => {
      appending = undefined;
    });
    return appending;
  }

  async function appendOnce(): Promise<void> {
    const writes = fresh;
    fresh = [];
    hasNew = false;
    if (writes.length === 0) return;
    try {
      await log.append(writes.map(({ operation }) => operation));
    } catch (error) {
      onFailure(error, 'system');
      fresh = [...writes.filter(({ isFact }) => isFact), ...fresh];
      reject(
        writes.filter(({ isFact }) => !isFact),
        error,
      );
      return;
    }
    for (const write of writes) {
      if (write.safety === 'disk') waiting.push(write);
      else write.done();
    }
    if (waiting.length > 0) void flush();
  }

  function reject(writes: readonly Write[], cause: unknown): void {
    const error = new ChangeNotDurableError('the change could not be written to the disk', { cause });
    for (const write of writes) write.failed(error);
  }

  function flush(): Promise<void> {
    flushing ??= flushOnce().finally(() => {
      flushing = undefined;
      if (waiting.length > 0) void flush();
    });
    return flushing;
  }

  async function flushOnce(): Promise<void> {
    const writes = waiting;
    waiting = [];
    try {
      await log.flush();
    } catch (error) {
      onFailure(error, 'disk');
      reject(writes, error);
      return;
    }
    for (const write of writes) write.done();
  }

  async function settle(): Promise<void> {
    await appending;
    await append();
    await flushing;
    await flush();
  }

  return {
    add(write) {
      fresh.push(write);
      hasNew = true;
      schedule();
    },
    settle,
    async close() {
      clearInterval(period);
      await settle();
    },
  };
}
