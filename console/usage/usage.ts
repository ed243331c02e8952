/**
 * Who has used what, counted by every process that answers calls and kept by the one that owns the store. A process
 * that is killed loses what it has counted since it last handed it on, some seconds.
 */
import { createSerial } from '../../platform/async/serial.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import { createUsageCounter } from './usage-counter.ts';
import type { UsageRow } from './usage-row.ts';
import { createUsageStore, type Gap, UnwrittenRowsError } from './usage-store.ts';

export type Usage = ReturnType<typeof createUsage>;

export interface UsageDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'list' | 'readMany'>;
  /** So many days are kept. */
  readonly days: number;
  /** Has another process write them, which writes those of all. */
  readonly report?: ((rows: readonly UsageRow[], gaps: readonly Gap[]) => Promise<void>) | undefined;
  /** Has all other processes of this console hand on what they have counted, and write it. */
  readonly settleOthers?: (() => Promise<void>) | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Between two writings, milliseconds. */
const writeEveryMs = 5_000;
/** Rows of others, and those that could not be written: beyond them they are lost, and the day is incomplete. */
const mostWaiting = 100_000;

export function createUsage({ artifacts, days, report, settleOthers, now }: UsageDeps) {
  const counter = createUsageCounter(now);
  const store = createUsageStore({ artifacts, days, now });
  const inTurn = createSerial();
  let waiting: UsageRow[] = [];
  let recorded = new Set<Gap>();

  return {
    read: store.read,
    gaps: store.gaps,
    hasBefore: store.hasBefore,
    since: store.since,
    mostDays: store.mostDays,
    isOn: days > 0,
    count: counter.count,
    countOperation: counter.countOperation,
    /** What another process has counted, to be written by this one. */
    take,
    /** Calls go where nobody counts them. */
    recordGap: (gap: Gap) => void recorded.add(gap),
    /** Hands on, or writes, what there is. @throws {Error} and keeps it for the next time */
    flush: () => inTurn(flush),
    /** Then what is stored is all that was counted so far, by whichever process. Never rejects. */
    async settle(): Promise<void> {
      await inTurn(flush).catch(() => {});
      if (!settleOthers) return;
      await settleOthers().catch(() => {});
      await inTurn(flush).catch(() => {});
    },
    /** @returns a function that ends it, after a last time. */
    start(onFailure: (error: unknown) => void): () => Promise<void> {
      const timer = setInterval(() => void inTurn(flush).catch(onFailure), writeEveryMs).unref();
      return () => {
        clearInterval(timer);
        return inTurn(flush);
      };
    },
  };

  function take(rows: readonly UsageRow[], gaps: readonly Gap[] = []): void {
    for (const gap of gaps) recorded.add(gap);
    const room = Math.max(0, mostWaiting - waiting.length);
    for (const row of rows.slice(0, room)) waiting.push(row);
    if (rows.length > room) recorded.add('callers');
  }

  async function flush(): Promise<void> {
    take(await counter.take());
    if (waiting.length === 0 && recorded.size === 0) return;
    const [rows, found] = [waiting, [...recorded]];
    waiting = [];
    recorded = new Set();
    try {
      if (report) await report(rows, found);
      else await store.add(rows, found);
    } catch (error) {
      take(error instanceof UnwrittenRowsError ? error.rows : rows, found);
      throw error;
    }
  }
}
