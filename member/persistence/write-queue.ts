import { ChangeNotDurableError } from '../data/changes.ts';
import type { Journal, Pack } from './journal.ts';
import type { Operation } from './operations.ts';
import type { Store } from './store/store.ts';

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
  failed(error: ChangeNotDurableError): void;
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

/** Writes of one turn of the event loop that wait for the same. */
interface Batch {
  readonly safety: Safety;
  readonly first: number;
  readonly operations: Operation[];
  readonly writes: Write[];
}

/** A batch that is safe in the journal, or waits for the store. */
interface Behind extends Pack {
  readonly safety: Safety;
  /** Who waits for the store. */
  readonly writes: readonly Write[];
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
  let fresh: Batch[] = [];
  let isScheduled = false;
  let behind: Behind[] = [];
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

  /** One record of the journal for all writes of a turn that wait for it. */
  function writeFresh(): void {
    if (fresh.length === 0) return;
    const batches = fresh;
    fresh = [];
    const packs = batches.map(packed);
    try {
      journal.append(packs.filter(({ safety }) => safety === 'journal'));
    } catch (error) {
      onFailure(error, 'journal');
      takeBehind(batches.map(factsOf).filter(hasWrites).map(packed));
      refuse(
        batches.flatMap(({ writes }) => writes.filter(({ isFact }) => !isFact)),
        error,
      );
      return;
    }
    takeBehind(packs);
    for (const { safety, writes } of batches) {
      if (safety === 'journal') for (const write of writes) write.done();
    }
    if (batches.some(({ safety }) => safety === 'store') || bytesBehind > commitBytes) void drain();
  }

  function takeBehind(packs: readonly Behind[]): void {
    behind.push(...packs);
    bytesBehind += bytesOf(packs);
  }

  /** In reverse order, so that what one write prepared for a later one is undone after that one. */
  function refuse(writes: readonly Write[], cause: unknown): void {
    const error = new ChangeNotDurableError('the change could not be written to the disk', { cause });
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
        const isCommitted = await commit(nextCommit());
        if (!isCommitted) return;
      } while (behind.length > 0 && behind[0]!.first <= turnedAt);
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

  function nextCommit(): Behind[] {
    let end = 0;
    for (let bytes = 0; end < behind.length && bytes < commitBytes; end += 1)
      bytes += behind[end]!.bytes.length;
    return behind.slice(0, end);
  }

  /** A failure is for those who wait for the store; what is in the journal stays and is tried again. */
  async function commit(packs: readonly Behind[]): Promise<boolean> {
    try {
      await store.commit(packs);
    } catch (error) {
      onFailure(error, 'store');
      const refused = [...behind, ...fresh].filter(({ safety }) => safety === 'store');
      behind = behind.filter(({ safety }) => safety === 'journal');
      fresh = fresh.filter(({ safety }) => safety === 'journal');
      bytesBehind = bytesOf(behind);
      refuse(
        refused.flatMap(({ writes }) => writes),
        error,
      );
      return false;
    }
    behind = behind.slice(packs.length);
    bytesBehind -= bytesOf(packs);
    for (const { writes } of packs) for (const write of writes) write.done();
    return true;
  }

  return {
    add(write) {
      let batch = fresh.at(-1);
      if (batch?.safety !== write.safety) {
        batch = { safety: write.safety, first: sequence + 1, operations: [], writes: [] };
        fresh.push(batch);
      }
      for (const operation of write.operations) batch.operations.push(operation);
      batch.writes.push(write);
      sequence += write.operations.length;
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

function packed({ safety, first, operations, writes }: Batch): Behind {
  const bytes = operations.length === 1 ? operations[0]! : Buffer.concat(operations);
  return { safety, first, count: operations.length, bytes, writes: safety === 'store' ? writes : [] };
}

/** What has happened goes into the store, though the journal could not take it. */
function factsOf({ writes, ...batch }: Batch): Batch {
  const facts = writes.filter(({ isFact }) => isFact);
  return { ...batch, operations: facts.flatMap(({ operations }) => operations), writes: facts };
}

function hasWrites({ writes }: Batch): boolean {
  return writes.length > 0;
}

function bytesOf(packs: readonly Pack[]): number {
  return packs.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
