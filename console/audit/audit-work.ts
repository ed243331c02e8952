/** What the thread of the audit does: takes batches in order, writes them soon, syncs them within a second, signs. */
import { existsSync, fdatasync, fdatasyncSync } from 'node:fs';
import { createSerial } from '../../platform/async/serial.ts';
import { createBatchReader } from './batches/batch-reader.ts';
import { signingKey, type WriterHead } from './checkpoint.ts';
import { createEntryBody } from './entry.ts';
import { eraseEntry, MissingEntryError } from './erasure.ts';
import { expiredIn, type RetentionLimits, remove } from './retention.ts';
import { closeSegment } from './segments/segment-closing.ts';
import type { Segment } from './segments/segment-form.ts';
import { entriesOfSegment } from './segments/segment-reader.ts';
import { BrokenChainError, openWriter, type Writer, type WriterLimits } from './writer.ts';
import { newWriterName, ownWriter, publishKey, replaceOwnWriter } from './writer-name.ts';

export interface AuditThreadData {
  readonly directory: string;
  /** Its own name, of a process that writes beside the one that owns the data directory. */
  readonly isBeside: boolean;
  readonly limits?: WriterLimits | undefined;
  /** Absent: everything stays. */
  readonly retention?: RetentionLimits | undefined;
  /** Number of the last message that is written, for whoever cannot wait for one. */
  readonly written: SharedArrayBuffer;
}

/** Each has a number, one more than the one before. */
export type ForAuditThread = { readonly number: number } & (
  | {
      readonly type: 'add';
      /** Of a batch. */
      readonly text: string;
    }
  | { readonly type: 'key'; readonly seed: string }
  /** Of consoles that write elsewhere. */
  | { readonly type: 'heads'; readonly heads: Readonly<Record<string, WriterHead>> }
  | { readonly type: 'erase'; readonly writer: string; readonly seq: number }
  | { readonly type: 'close' }
);

export type FromAuditThread =
  /** All up to this number are in the file. */
  | { readonly type: 'written'; readonly upTo: number }
  /** All up to this number are on the disk. */
  | { readonly type: 'synced'; readonly upTo: number }
  | { readonly type: 'checkpoint'; readonly line: string }
  | { readonly type: 'failing'; readonly code: string; readonly message: string }
  /** What is there is not what was written; a chain of a new name begins. */
  | { readonly type: 'broken'; readonly writer: string; readonly message: string }
  /** The key that signs is not the one before: that of another store. */
  | { readonly type: 'rekeyed' }
  /** A segment could not be closed; it is tried again at the next start. */
  | { readonly type: 'unclosed'; readonly message: string }
  /** @param reason  why it was not */
  | {
      readonly type: 'erased';
      readonly number: number;
      readonly reason?: string;
      readonly isMissing?: boolean;
    }
  | { readonly type: 'closed' };

const syncMs = 1000;
const retryMs = 1000;
const retentionMs = 60 * 60 * 1000;

export function createAuditWork(data: AuditThreadData, say: (message: FromAuditThread) => void) {
  const written = new Int32Array(data.written);
  const inTurn = createSerial();
  let seed: string | undefined;
  let elsewhere: Readonly<Record<string, WriterHead>> = {};
  let writer: Writer | undefined;
  /** What came before the writer could be opened. */
  let early: string[] = [];
  let taken = 0;
  let isFailing = false;
  let isClosed = false;
  let isDirty = false;
  let isSyncing = false;
  let timer: NodeJS.Timeout | undefined;
  const syncTimer = setInterval(sync, syncMs);
  const { retention } = data;
  const bodyOf = createEntryBody();
  const bodiesOf = createBatchReader();
  const retentionTimer = retention && setInterval(dropExpired, retentionMs);

  return {
    take(message: ForAuditThread): void {
      taken = message.number;
      if (message.type === 'add') {
        add(message.text);
        // Whoever hands them over has gathered them.
        if (isFailing) later(retryMs);
        else write();
      } else if (message.type === 'key') {
        seed = message.seed;
        if (writer) attempt(() => useKey(writer!));
        reportWritten();
      } else if (message.type === 'heads') {
        elsewhere = message.heads;
        writer?.useHeads(elsewhere);
      } else if (message.type === 'erase') void inTurn(() => erase(message));
      else close();
    },
  };

  function add(text: string): void {
    isDirty = true;
    const bodies = bodiesOf(text);
    if (!writer) {
      early.push(...bodies);
      return;
    }
    for (const body of bodies) writer.add(body);
  }

  function later(ms: number): void {
    timer ??= setTimeout(write, ms);
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    attempt(() => {
      const open = opened();
      open.write();
      reportWritten();
    });
  }

  function opened(): Writer {
    writer ??= open();
    for (const body of early) writer.add(body);
    early = [];
    return writer;
  }

  /** @throws {Error} of the disk */
  function open(): Writer {
    const { directory, isBeside, limits } = data;
    const given = {
      directory,
      now: Date.now,
      ...(limits && { limits }),
      onCheckpoint: (line: string) => say({ type: 'checkpoint', line }),
      onFull: (segment: Segment) => void inTurn(() => closeFull(segment)),
    };
    const name = isBeside ? newWriterName() : ownWriter(directory);
    const open = openOr(name, given);
    useKey(open);
    open.useHeads(elsewhere);
    return open;
  }

  function useKey(open: Writer): void {
    if (seed === undefined) return;
    const key = signingKey(seed);
    open.useKey(key);
    if (publishKey(data.directory, key.publicPem)) say({ type: 'rekeyed' });
  }

  function openOr(name: string, given: Omit<Parameters<typeof openWriter>[0], 'writer'>): Writer {
    try {
      return openWriter({ ...given, writer: name });
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error;
      say({ type: 'broken', writer: name, message: error.message });
      return openWriter({ ...given, writer: replaceOwnWriter(data.directory) });
    }
  }

  async function closeFull(segment: Segment): Promise<void> {
    if (!segment.header || !existsSync(segment.path)) return;
    const { header } = segment;
    try {
      const entries = entriesOfSegment(segment, header.writer, {});
      await closeSegment({ segment, header, entries });
      if (retention) dropExpired();
    } catch (error) {
      say({ type: 'unclosed', message: String(error) });
    }
  }

  async function erase({
    number,
    writer: name,
    seq,
  }: Extract<ForAuditThread, { type: 'erase' }>): Promise<void> {
    try {
      const release = ({ path }: Segment) => {
        if (writer?.writer === name && writer.path() === path) writer.rotate();
      };
      await eraseEntry({ directory: data.directory, writer: name, seq, release });
      say({ type: 'erased', number });
    } catch (error) {
      const isMissing = error instanceof MissingEntryError;
      say({ type: 'erased', number, reason: String(error), isMissing });
    }
  }

  function dropExpired(): void {
    if (!writer || isFailing || isClosed) return;
    attempt(() => {
      for (const expired of expiredIn(data.directory, retention!, Date.now())) {
        // What says that they went is on the disk before they go.
        writer!.add(bodyOf(expired.entry, Date.now()));
        const descriptor = writer!.check();
        if (descriptor !== undefined) fdatasyncSync(descriptor);
        remove(expired);
      }
    });
  }

  /** Once a second with news: a check-point, and all of it to the disk. */
  function sync(): void {
    if (!isDirty || isSyncing || isFailing || isClosed || !writer) return;
    attempt(() => {
      const upTo = taken;
      const descriptor = writer!.check();
      reportWritten();
      if (descriptor === undefined) return;
      isDirty = false;
      isSyncing = true;
      fdatasync(descriptor, (error) => {
        isSyncing = false;
        // Closed meanwhile, and synced for that.
        if (error && error.code !== 'EBADF') fail(error);
        else synced(upTo);
      });
    });
  }

  function synced(upTo: number): void {
    writer?.synced();
    say({ type: 'synced', upTo });
  }

  function attempt(work: () => void): void {
    try {
      work();
      isFailing = false;
    } catch (error) {
      fail(error as NodeJS.ErrnoException);
    }
  }

  function fail({ code = 'failed', message }: NodeJS.ErrnoException): void {
    isDirty = true;
    isFailing = true;
    say({ type: 'failing', code, message });
    later(retryMs);
  }

  function reportWritten(): void {
    Atomics.store(written, 0, taken);
    Atomics.notify(written, 0);
    say({ type: 'written', upTo: taken });
  }

  function close(): void {
    isClosed = true;
    clearInterval(syncTimer);
    clearInterval(retentionTimer);
    clearTimeout(timer);
    attempt(() => {
      if (early.length > 0) opened();
      writer?.close();
      reportWritten();
      say({ type: 'synced', upTo: taken });
    });
    clearTimeout(timer);
    void inTurn(async () => say({ type: 'closed' }));
  }
}
