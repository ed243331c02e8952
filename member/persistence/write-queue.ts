import { ChangeNotKeptError } from '../data/changes.ts';
import type { Journal, Numbered } from './journal.ts';
import type { Operation } from './records.ts';
import type { Store } from './store.ts';

/** What a caller waits for: `journal` outlives the process, `store` the machine's stop as well. */
export type Safety = 'journal' | 'store';

export interface Write {
  readonly operations: readonly Operation[];
  readonly safety: Safety;
  /** It has happened already: it is written at once, and when the journal has no room, into the store alone. */
  readonly isFact?: boolean;
  /** Called once it is safe, in the order of the writes. */
  done(): void;
  /** Called when it could not be written; nothing of it was. */
  failed(error: ChangeNotKeptError): void;
}

/** Writes through the journal into the store: many callers share one write, and one flush of the disk. */
export interface WriteQueue {
  add(write: Write): void;
  /** Resolves when everything added before is in the store. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface WriteQueueDeps {
  readonly journal: Pick<Journal, 'append' | 'turn' | 'clearTurned'>;
  readonly store: Pick<Store, 'commit'>;
  /** Number of the last operation that is in the store. */
  readonly sequence: number;
  /** How often what is in the journal alone goes into the store. */
  readonly periodMillis: number;
  readonly onFailure: (error: unknown, where: Safety) => void;
}

/** What one commit takes at most. */
const commitBytes = 8 * 1024 * 1024;
/** With more than this on its way to the store, callers wait: the disk is slower than they are. */
const mostBytesBehind = 64 * 1024 * 1024;

interface Queued extends Write {
  readonly numbered: readonly Numbered[];
  readonly bytes: number;
}

export function createWriteQueue({
  journal,
  store,
  periodMillis,
  onFailure,
  ...deps
}: WriteQueueDeps): WriteQueue {
  let { sequence } = deps;
  /** Added in this turn of the event loop. */
  let fresh: Queued[] = [];
  let isScheduled = false;
  /** Safe in the journal, or waiting for the store. */
  let behind: Queued[] = [];
  let bytesBehind = 0;
  let committing: Promise<void> | undefined;
  const period = setInterval(() => void drain(), periodMillis);
  period.unref();

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (bytesBehind <= mostBytesBehind) writeFresh();
      else void drain();
    });
  }

  /** One transaction of the journal for all writes of a turn. */
  function writeFresh(): void {
    const writes = fresh;
    fresh = [];
    const journaled = writes.filter(({ safety }) => safety === 'journal');
    try {
      journal.append(journaled.flatMap(({ numbered }) => numbered));
    } catch (error) {
      onFailure(error, 'journal');
      const facts = writes.filter(({ isFact }) => isFact);
      behind.push(...facts);
      bytesBehind += sumOf(facts);
      refuse(
        writes.filter(({ isFact }) => !isFact),
        error,
      );
      return;
    }
    behind.push(...writes);
    bytesBehind += sumOf(writes);
    for (const write of journaled) write.done();
    if (journaled.length < writes.length || bytesBehind > commitBytes) void drain();
  }

  /** In reverse order, so that what one write prepared for a later one is undone after that one. */
  function refuse(writes: readonly Queued[], cause: unknown): void {
    const error = new ChangeNotKeptError('the change could not be written to the disk', { cause });
    for (const write of [...writes].reverse()) write.failed(error);
  }

  function drain(): Promise<void> {
    committing ??= commitAll().finally(() => {
      committing = undefined;
      if (fresh.length > 0) schedule();
      if (behind.some(({ safety }) => safety === 'store')) void drain();
    });
    return committing;
  }

  async function commitAll(): Promise<void> {
    while (behind.length > 0) {
      journal.turn();
      const turnedAt = sequence;
      do {
        const isCommitted = await commit(chunk());
        if (!isCommitted) return;
      } while (behind.length > 0 && behind[0]!.numbered[0]!.sequence <= turnedAt);
      clearTurned();
    }
  }

  /** What is in the store already may stay in the journal: the next start passes over it. */
  function clearTurned(): void {
    try {
      journal.clearTurned();
    } catch (error) {
      onFailure(error, 'journal');
    }
  }

  function chunk(): Queued[] {
    let end = 0;
    for (let bytes = 0; end < behind.length && bytes < commitBytes; end += 1) bytes += behind[end]!.bytes;
    return behind.slice(0, end);
  }

  /** A failure is for those who wait for the store; what is in the journal stays and is tried again. */
  async function commit(writes: readonly Queued[]): Promise<boolean> {
    try {
      const numbered = writes.flatMap((write) => write.numbered);
      await store.commit(
        numbered.map(({ operation }) => operation),
        numbered.at(-1)!.sequence,
      );
    } catch (error) {
      onFailure(error, 'store');
      const refused = [...behind, ...fresh].filter(({ safety }) => safety === 'store');
      behind = behind.filter(({ safety }) => safety === 'journal');
      fresh = fresh.filter(({ safety }) => safety === 'journal');
      bytesBehind = sumOf(behind);
      refuse(refused, error);
      return false;
    }
    behind = behind.slice(writes.length);
    for (const write of writes) {
      bytesBehind -= write.bytes;
      if (write.safety === 'store') write.done();
    }
    return true;
  }

  return {
    add(write) {
      const numbered = write.operations.map((operation) => {
        sequence += 1;
        return { sequence, operation };
      });
      const bytes = write.operations.reduce((sum, { length }) => sum + length, 0);
      fresh.push({ ...write, numbered, bytes });
      if (write.isFact) writeFresh();
      else schedule();
    },
    async settle() {
      writeFresh();
      await drain();
    },
    async close() {
      clearInterval(period);
      writeFresh();
      await drain();
    },
  };
}

function sumOf(writes: readonly Queued[]): number {
  return writes.reduce((sum, { bytes }) => sum + bytes, 0);
}
