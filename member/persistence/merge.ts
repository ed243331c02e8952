import { keyOf, type Operation, operations, recordValue } from './operations.ts';
import type { Overlay } from './overlay.ts';
import {
  abortableAndSynchronous,
  otherWork,
  type StoreFile,
  stepBytes,
  stepRecords,
} from './store/store-file.ts';
import type { StoreLog } from './store/store-log.ts';

export interface MergeDeps {
  readonly store: StoreFile;
  readonly log: StoreLog;
  /** @throws {NoRoomError} */
  readonly checkRoom: (bytes: number) => void;
  /** Whether the store is about to be closed. */
  readonly isClosing: () => boolean;
  /** A merge could not be completed, for want of room for example; it will be tried again. */
  readonly onFailure: (error: Error) => void;
}

/** Puts what is in the log into its place among the records, so that the log stays small. */
export interface Merge {
  /** Begins one when the log has grown enough. */
  beginIfDue(): void;
  /** Resolves when a commit may follow: at once, unless the log grows faster than it is merged. */
  room(): Promise<void>;
  /** Removes the records with this prefix, some at a time; what cannot be removed stays for the next merge or start. */
  purge(prefix: Buffer): void;
}

/** The more is merged at once, the more operations share a page of the tree. */
const mergeBytes = 32 * 1024 * 1024;
/** Commits wait beyond this. */
const mostBytes = 4 * mergeBytes;
/** After one that failed. */
const retryMs = 10_000;
/** Of {@link MergeDeps.checkRoom}, for each record: the page that has it is copied. */
const roomPerRecord = 1024;

export function createMerge({ store, log, checkRoom, isClosing, onFailure }: MergeDeps): Merge {
  let running: Promise<void> | undefined;
  let retryAt = Number.NEGATIVE_INFINITY;

  /** When it is cut short, the log has it still: to do all of it again changes nothing. */
  async function mergeAll(): Promise<void> {
    while (log.bytes >= mergeBytes && !isClosing()) {
      checkStepRoom(stepBytes);
      const taken = await log.take(mergeBytes);
      for (const prefix of taken.overlay.purged()) await removeAllUnder(prefix);
      for (const step of stepsOf(taken.overlay)) {
        if (isClosing()) return;
        apply(step);
        await otherWork();
      }
      for (let dropped = 0; dropped < taken.sizes.length && !isClosing(); ) {
        checkRoom(0);
        dropped = log.drop(taken, dropped);
        await otherWork();
      }
    }
  }

  function apply(step: readonly Operation[]): void {
    checkStepRoom(step.reduce((sum, { length }) => sum + length, 0));
    store.transactionSync(() => {
      for (const operation of step) {
        if (operation[0] === operations.put) store.putSync(keyOf(operation), recordValue(operation));
        else store.removeSync(keyOf(operation));
      }
    }, abortableAndSynchronous);
  }

  function checkStepRoom(bytes: number): void {
    checkRoom(bytes + stepRecords * roomPerRecord);
  }

  async function removeAllUnder(prefix: Buffer): Promise<void> {
    const end = Buffer.concat([prefix, Buffer.alloc(1, 0xff)]);
    for (;;) {
      await otherWork();
      if (isClosing()) return;
      store.resetReadTxn();
      const keys = [...store.getKeys({ start: prefix, end, limit: stepRecords })].map((key) =>
        Buffer.from(key),
      );
      if (keys.length === 0) return;
      checkRoom(0);
      store.transactionSync(() => {
        for (const key of keys) store.removeSync(key);
      }, abortableAndSynchronous);
    }
  }

  return {
    beginIfDue() {
      if (running !== undefined || log.bytes < mergeBytes || performance.now() < retryAt) return;
      running = mergeAll()
        .catch((error) => {
          if (isClosing()) return;
          retryAt = performance.now() + retryMs;
          onFailure(error);
        })
        .finally(() => {
          running = undefined;
        });
    },
    async room() {
      if (log.bytes >= mostBytes) await running;
    },
    purge(prefix) {
      removeAllUnder(prefix).catch(() => {});
    },
  };
}

function* stepsOf(overlay: Overlay): Generator<Operation[]> {
  let step: Operation[] = [];
  let bytes = 0;
  for (const operation of overlay.inOrder()) {
    step.push(operation);
    bytes += operation.length;
    if (step.length < stepRecords && bytes < stepBytes) continue;
    yield step;
    step = [];
    bytes = 0;
  }
  if (step.length > 0) yield step;
}
