/**
 * The audit as the process has it that owns the data directory: what is said of events is gathered here, handed over a few
 * entries at a time, and made into lines and written by a thread (decisions 0036, 0049).
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Faults } from '../../platform/faults.ts';
import { programOf } from '../../platform/installation.ts';
import type { AuditFields, Logger } from '../../platform/log.ts';
import type { AuditThreadData, ForAuditThread, FromAuditThread } from './audit-work.ts';
import { createBatchReader } from './batches/batch-reader.ts';
import { type Batch, createBatchWriter } from './batches/batch-writer.ts';
import type { WriterHead } from './checkpoint.ts';
import { createEntryBody } from './entry.ts';
import { MissingEntryError } from './erasure.ts';
import { createGap } from './gap.ts';
import type { RetentionLimits } from './retention.ts';
import type { WriterLimits } from './writer.ts';

export interface AuditStoreDeps {
  /** There already, and the store's own. */
  readonly dataDir: string;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly faults: Pick<Faults, 'lostAuditLines'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Beside the process that owns the data directory, as a writer of its own. */
  readonly isBeside?: boolean;
  /** Gets each check-point when it is on the disk. */
  readonly onCheckpoint?: (line: string) => void;
  /** Hears whether what comes now is kept, when that changes. */
  readonly onAvailable?: (isAvailable: boolean) => void;
  readonly limits?: WriterLimits;
  /** Absent: everything stays. */
  readonly retention?: RetentionLimits | undefined;
  /** Characters of entries that wait for the disk; what comes on top is counted. */
  readonly mostWaiting?: number;
  /** The thread's, where it is not the one that belongs to this program. */
  readonly program?: URL;
}

export type AuditStore = ReturnType<typeof openAuditStore>;

/** Of a disk that has taken nothing for long; what comes on top is counted, and told of when there is room. */
const mostWaitingCharacters = 64 * 1024 * 1024;
/**
 * So long entries wait for others, milliseconds: to hand them over costs more than to gather them. Whoever waits for
 * one has all of them handed over at once.
 */
const gatherMs = 20;
const mostGathered = 256 * 1024;
/** What an end without a close waits for the thread, milliseconds. */
const exitMs = 1000;

/** Never throws: where the disk takes nothing, entries wait in memory and the log says so. */
export function openAuditStore(deps: AuditStoreDeps) {
  const {
    dataDir,
    log,
    faults,
    now,
    isBeside = false,
    onCheckpoint = () => {},
    limits,
    retention,
    program,
  } = deps;
  const { mostWaiting = mostWaitingCharacters } = deps;
  const bodyOf = createEntryBody();
  const written = new SharedArrayBuffer(4);
  const thread = startThread(
    { directory: join(dataDir, 'audit'), isBeside, limits, retention, written },
    program,
  );
  const gap = createGap(bodyOf, now);
  /** Not handed over yet. */
  const gathered = createBatchWriter();
  let transfer: NodeJS.Timeout | undefined;
  /** Of all entries, and of the latest denials and changes: another one with each entry that may be one. */
  const versions = { entries: 0, denials: 0, changes: 0 };
  let number = 0;
  let lastAdded = 0;
  let lastSynced = 0;
  /** Handed over and not written yet. */
  const waiting: { readonly number: number; readonly characters: number }[] = [];
  let waitingCharacters = 0;
  let isFailing = false;
  let wasAvailable = true;
  const erasing = new Map<number, { resolve(): void; reject(error: Error): void }>();
  let hasEnded = false;
  let onClosed = () => {};
  const untilWritten: { readonly number: number; readonly resolve: () => void }[] = [];
  const untilSynced: { readonly number: number; readonly resolve: () => void }[] = [];

  thread.on('message', receive);
  thread.on('error', (error) => {
    log.error({ err: error }, 'the thread that writes the audit has ended');
    isFailing = true;
    hasEnded = true;
    reportAvailable();
    resolveUpTo(untilWritten, number);
    onClosed();
  });
  // What holds the process is what it serves.
  thread.unref();
  process.once('exit', atExit);

  return {
    /** @param fields  as for the log */
    record(event: string, fields: AuditFields): void {
      versions.entries++;
      if (fields.outcome === 'denied') versions.denials++;
      if (fields.changes !== undefined) versions.changes++;
      if (isFull()) countLost(event);
      else {
        gathered.record(event, fields, now());
        afterGathering();
      }
    },
    /** @param bodies  of entries, one a line */
    addBodies(bodies: string): void {
      changeAll();
      for (const body of bodies.split('\n')) addBody(body, eventOf(body));
    },
    /** Entries that another process has gathered. */
    addBatch(batch: Batch): void {
      changeAll();
      if (!isFull()) {
        gathered.append(batch);
        afterGathering();
      } else for (const body of createBatchReader()(batch.text)) countLost(eventOf(body));
    },
    versions: (): Readonly<typeof versions> => ({ ...versions }),
    /** Resolves when all that was recorded is in the file, where a kill of the process does not reach it; or cannot be. */
    written(): Promise<void> {
      flush();
      if (isFailing) return Promise.resolve();
      return until(untilWritten, waiting.at(-1)?.number);
    },
    /** Resolves when all that was recorded is on the disk. */
    synced(): Promise<void> {
      flush();
      return until(untilSynced, lastAdded > lastSynced ? lastAdded : undefined);
    },
    /** Check-points are signed with it from now on. @param seed  32 bytes, base64url */
    useKey: (seed: string) => post({ type: 'key', seed }),
    /** Check-points say from now on how far the chains of other consoles are. */
    useHeads: (heads: Readonly<Record<string, WriterHead>>) => post({ type: 'heads', heads }),
    /**
     * Takes what an entry says out of the files.
     *
     * @throws {MissingEntryError}
     * @throws {Error} and nothing was erased
     */
    async erase(writer: string, seq: number): Promise<void> {
      await new Promise<void>((resolve, reject) => {
        if (hasEnded) reject(new Error('the audit is not written any more'));
        else erasing.set(post({ type: 'erase', writer, seq }), { resolve, reject });
      });
      changeAll();
    },
    /** Whether an entry that came now would be kept. */
    isAvailable,
    /** Writes and syncs what waits, and signs it. */
    async close(): Promise<void> {
      flush();
      thread.ref();
      await new Promise<void>((resolve) => {
        onClosed = resolve;
        if (hasEnded) resolve();
        else post({ type: 'close' });
      });
      process.off('exit', atExit);
      await thread.terminate();
      if (waiting.length > 0)
        log.error({ entries: waiting.length }, 'the audit could not be written before the end');
    },
  };

  /** What they say is not looked at here. */
  function changeAll(): void {
    versions.entries++;
    versions.denials++;
    versions.changes++;
  }

  function addBody(body: string, event: string): void {
    if (isFull()) countLost(event);
    else {
      gathered.addBody(body);
      afterGathering();
    }
  }

  function isFull(): boolean {
    return waitingCharacters + gathered.size() > mostWaiting;
  }

  function countLost(event: string): void {
    faults.lostAuditLines++;
    gap.count(event);
  }

  function afterGathering(): void {
    if (gathered.size() > mostGathered) flush();
    else transfer ??= setTimeout(flush, gatherMs).unref();
  }

  function isAvailable(): boolean {
    return !isFailing && waitingCharacters + gathered.size() < mostWaiting;
  }

  function reportAvailable(): void {
    const is = isAvailable();
    if (is === wasAvailable) return;
    wasAvailable = is;
    deps.onAvailable?.(is);
  }

  function flush(): void {
    clearTimeout(transfer);
    transfer = undefined;
    if (gathered.isEmpty()) return;
    const { text, size } = gathered.take();
    lastAdded = post({ type: 'add', text });
    waiting.push({ number: lastAdded, characters: size });
    waitingCharacters += size;
    reportAvailable();
  }

  type Unnumbered<T> = T extends unknown ? Omit<T, 'number'> : never;

  function post(message: Unnumbered<ForAuditThread>): number {
    thread.postMessage({ ...message, number: ++number });
    return number;
  }

  function receive(message: FromAuditThread): void {
    if (message.type === 'written') takeWritten(message.upTo);
    else if (message.type === 'synced') takeSynced(message.upTo);
    else if (message.type === 'checkpoint') onCheckpoint(message.line);
    else if (message.type === 'closed') onClosed();
    else if (message.type === 'erased') takeErased(message);
    else if (message.type === 'failing') takeFailure(message);
    else if (message.type === 'broken')
      log.error(
        { writer: message.writer, reason: message.message },
        'the audit was changed or damaged: another chain begins',
      );
    else if (message.type === 'rekeyed')
      log.warn(
        {},
        'the audit is signed with another key from now on: is the store the one that belongs to it?',
      );
    else log.error({ reason: message.message }, 'a full file of the audit could not be closed');
  }

  function takeWritten(upTo: number): void {
    const first = waiting.findIndex((one) => one.number > upTo);
    const done = waiting.splice(0, first < 0 ? waiting.length : first);
    for (const { characters } of done) waitingCharacters -= characters;
    if (isFailing) log.info('the audit is written again');
    isFailing = false;
    reportAvailable();
    resolveUpTo(untilWritten, upTo);
    const report = waitingCharacters < mostWaiting / 2 ? gap.report() : undefined;
    if (report !== undefined) addBody(report, 'audit.gap');
  }

  function takeErased(message: Extract<FromAuditThread, { type: 'erased' }>): void {
    const { number: asked, reason, isMissing = false } = message;
    const waiter = erasing.get(asked);
    erasing.delete(asked);
    if (reason === undefined) waiter?.resolve();
    else waiter?.reject(isMissing ? new MissingEntryError(reason) : new Error(reason));
  }

  function takeSynced(upTo: number): void {
    lastSynced = upTo;
    resolveUpTo(untilSynced, upTo);
  }

  function takeFailure({ code, message }: { readonly code: string; readonly message: string }): void {
    if (!isFailing)
      log.error({ code, reason: message }, 'the audit cannot be written: its entries wait in memory');
    isFailing = true;
    reportAvailable();
    resolveUpTo(untilWritten, number);
  }

  /** Whatever ends the process: what has been recorded is written all the same, if the disk takes it. */
  function atExit(): void {
    flush();
    const done = new Int32Array(written);
    const deadline = performance.now() + exitMs;
    while (waiting.length > 0 && performance.now() < deadline) {
      const seen = Atomics.load(done, 0);
      if (seen >= waiting.at(-1)!.number) return;
      Atomics.wait(done, 0, seen, deadline - performance.now());
    }
  }
}

function startThread(data: AuditThreadData, program = programOf('console/audit/audit-thread')): Worker {
  return new Worker(program, { workerData: data, name: 'audit' });
}

interface Waiter {
  readonly number: number;
  readonly resolve: () => void;
}

function until(waiters: Waiter[], number: number | undefined): Promise<void> {
  if (number === undefined) return Promise.resolve();
  return new Promise((resolve) => waiters.push({ number, resolve }));
}

function resolveUpTo(waiters: Waiter[], upTo: number): void {
  while (waiters.length > 0 && waiters[0]!.number <= upTo) waiters.shift()!.resolve();
}

/** Of a body. */
function eventOf(body: string): string {
  return /"event":"([^"\\]*)"/.exec(body)?.[1] ?? 'unknown';
}
