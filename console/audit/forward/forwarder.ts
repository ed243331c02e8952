/**
 * Sends entries on, in the order in which each writer wrote them, each at least once: by a mark of its own, stored with
 * what has arrived for certain, it goes on after an outage of the receiver and after a start. Whoever hangs holds up
 * nobody but itself.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { erasedHash } from '../erased-entry.ts';
import type { KnownSegments } from '../index/known-segments.ts';
import { entriesIn, type StoredEntry } from '../segments/segment-reader.ts';
import type { DeliveredStore, Reached } from './delivered.ts';

export interface Batch {
  readonly entries: readonly StoredEntry[];
  readonly bytes: number;
}

/** Where entries go. */
export interface Target {
  readonly name: string;
  /** Sends it; what has not been confirmed may yet be lost. @throws {Error} */
  deliver(batch: Batch, signal: AbortSignal): Promise<void>;
  /** What was delivered has arrived. @throws {Error} when that is not sure */
  confirm(signal: AbortSignal): Promise<void>;
  /** So much may be delivered without being confirmed; 0: each batch is confirmed at once. */
  readonly mostUnconfirmedBytes: number;
  /** A batch that is not taken for so long is passed over. */
  readonly discardAfterMs: number;
  /** Lets go of what is open. */
  reset(): void;
}

export interface ForwarderDeps {
  readonly target: Target;
  readonly segments: KnownSegments;
  readonly delivered: DeliveredStore;
  readonly log: (fields: object, message: string) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const pollMs = 250;
/** Without more to send, what was sent is confirmed. */
const idleMs = 5000;
const unconfirmedMs = 60_000;
const firstPauseMs = 1000;
const longestPauseMs = 60_000;
const mostEntries = 500;
const mostBytes = 256 * 1024;

/** @returns a function that ends it, when what has been delivered is confirmed or a moment has passed */
export function startForwarder({
  target,
  segments,
  delivered,
  log,
  now,
}: ForwarderDeps): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let sent: Reached = delivered.reached;
  let failures = 0;
  const waiting = { bytes: 0, since: 0, last: 0 };
  /** Where a writer had no more. */
  const ended = new Map<string, number>();
  const work = run();

  return async () => {
    stopping.abort();
    await work;
    await Promise.race([confirm(AbortSignal.timeout(1000)), delay(1500)]).catch(() => {});
    target.reset();
  };

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        const hasMore = await step();
        if (!hasMore) await delay(pollMs, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        await afterFailure(error);
      }
    }
  }

  /** @returns whether there may be more at once */
  async function step(): Promise<boolean> {
    const batch = nextBatch();
    if (batch) {
      await target.deliver(batch, signal);
      sent = after(sent, batch);
      waiting.since = waiting.bytes === 0 ? performance.now() : waiting.since;
      waiting.last = performance.now();
      waiting.bytes += batch.bytes;
    }
    const isDue =
      waiting.bytes > target.mostUnconfirmedBytes ||
      performance.now() - waiting.last > idleMs ||
      performance.now() - waiting.since > unconfirmedMs;
    if (waiting.bytes > 0 && isDue) await confirm(signal);
    return batch !== undefined;
  }

  async function confirm(ending: AbortSignal): Promise<void> {
    if (waiting.bytes === 0) return;
    await target.confirm(ending);
    waiting.bytes = 0;
    await delivered.store({ reached: sent });
    if (failures > 0) log({ target: target.name }, 'the audit is sent on again');
    failures = 0;
  }

  /** What was not confirmed is sent again. */
  async function afterFailure(error: unknown): Promise<void> {
    target.reset();
    waiting.bytes = 0;
    sent = delivered.reached;
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    if (failures === 0) {
      log({ target: target.name, reason }, 'the audit cannot be sent on: it is tried again');
    }
    failures++;
    const failingSince = delivered.failingSince ?? now();
    const isDiscarded = now() - failingSince > target.discardAfterMs;
    if (isDiscarded) await passOver();
    else if (delivered.failingSince === undefined) await delivered.store({ reached: sent, failingSince });
    const pause = isDiscarded ? 0 : Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 10), longestPauseMs);
    await delay(pause, undefined, { signal }).catch(() => {});
  }

  async function passOver(): Promise<void> {
    const batch = nextBatch();
    if (!batch) return;
    const [first, last] = [batch.entries[0]!, batch.entries.at(-1)!];
    const fields = { target: target.name, writer: first.writer, first: first.seq, last: last.seq };
    log(fields, 'entries of the audit were refused for too long, and are passed over');
    sent = after(sent, batch);
    await delivered.store({ reached: sent });
  }

  /** Of one writer. */
  function nextBatch(): Batch | undefined {
    for (const writer of segments.writers()) {
      if (!segments.hasChanged(writer) && (ended.get(writer) ?? -1) === (sent[writer] ?? 0)) continue;
      const entries: StoredEntry[] = [];
      let bytes = 0;
      const from = (sent[writer] ?? 0) + 1;
      for (const entry of entriesIn(segments.of(writer), writer, { from, onDamage() {} })) {
        // What was erased says nothing that anybody could be told.
        if (Number.isNaN(entry.seq) || erasedHash(entry.stored)) continue;
        entries.push(entry);
        bytes += entry.stored.length;
        if (entries.length === mostEntries || bytes > mostBytes) break;
      }
      if (entries.length > 0) {
        ended.delete(writer);
        return { entries, bytes };
      }
      ended.set(writer, sent[writer] ?? 0);
    }
    return undefined;
  }
}

function after(reached: Reached, { entries }: Batch): Reached {
  const { writer, seq } = entries.at(-1)!;
  return { ...reached, [writer]: seq };
}
