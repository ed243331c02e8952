/**
 * The thread that has the store: every commit of LMDB waits for the disk, and nobody else should. Its
 * commits are in LMDB's own order (pages, flush, head, flush), so the machine may stop at any moment.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { open, type RootDatabase, type TransactionFlags } from 'lmdb';
import { flawOf, type LeafEntry, readableEntries } from './lmdb-file.ts';
import { operations, partsOf, progressKey, putProgress, readRecord } from './records.ts';
import { createRoomCheck } from './room.ts';
import type { NumberedAnswer, NumberedRequest, StoreAnswers, StoreRequest } from './store-protocol.ts';

type Store = RootDatabase<Buffer, Buffer>;

/** `ABORTABLE | SYNCHRONOUS_COMMIT` of lmdb's TransactionFlags, whose enumeration exists in its types alone. */
const abortableAndSynchronous = 3 as TransactionFlags;
const readBytes = 1024 * 1024;
/** Records that one step of a copy or a purge takes: some milliseconds, during which commits wait. */
const recordsPerStep = 1000;

let store: Store;
let checkRoom: (bytes: number) => void;
let isInterrupted = false;

function openStore(directory: string): Store {
  mkdirSync(directory, { recursive: true });
  return open({
    path: directory,
    noSubdir: false,
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
  });
}

const handlers: {
  [Kind in StoreRequest['kind']]: (
    request: Extract<StoreRequest, { kind: Kind }>,
  ) => StoreAnswers[Kind] | Promise<StoreAnswers[Kind]>;
} = {
  open({ directory }) {
    const file = join(directory, 'data.mdb');
    const flaw = flawOf(file);
    if (flaw !== undefined) return { flaw: `${file}: ${flaw}` };
    store = openStore(directory);
    checkRoom = createRoomCheck(directory);
    const value = store.get(progressKey);
    if (value === undefined) return { sequence: 0 };
    const progress = readRecord(progressKey, value);
    if (progress?.kind !== 'progress') return { flaw: `${file}: its progress record is damaged` };
    return { sequence: progress.sequence };
  },

  commit({ operations: bytes, sequence }) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { latest, purged } = latestOf(buffer);
    checkRoom(buffer.length);
    store.transactionSync(() => {
      for (const { kind, key, value } of latest) {
        if (kind === operations.put) store.putSync(key, value);
        else store.removeSync(key);
      }
      store.putSync(progressKey, partsOf(putProgress(sequence)).value);
    }, abortableAndSynchronous);
    for (const prefix of purged) void removeAllUnder(prefix);
    return undefined;
  },

  read({ after }) {
    const parts: Buffer[] = [];
    let bytes = 0;
    store.resetReadTxn();
    const range = after === undefined ? {} : { start: Buffer.from(after), exclusiveStart: true };
    for (const { key, value } of store.getRange(range)) {
      const lengths = Buffer.allocUnsafe(6);
      lengths.writeUInt16BE(key.length, 0);
      lengths.writeUInt32BE(value.length, 2);
      parts.push(lengths, Buffer.from(key), Buffer.from(value));
      bytes += 6 + key.length + value.length;
      if (bytes >= readBytes) break;
    }
    return Buffer.concat(parts, bytes);
  },

  /** Copies one snapshot, a step at a time, so that commits go on and a copy can be interrupted. */
  async backUp({ directory }) {
    isInterrupted = false;
    const copy = openStore(directory);
    const checkCopyRoom = createRoomCheck(directory);
    store.resetReadTxn();
    const transaction = store.useReadTransaction();
    try {
      let start: Buffer | undefined;
      for (;;) {
        const range = start === undefined ? {} : { start, exclusiveStart: true };
        const step = [...store.getRange({ ...range, limit: recordsPerStep, transaction })];
        if (step.length === 0) break;
        checkCopyRoom(bytesOf(step));
        copy.transactionSync(() => {
          for (const { key, value } of step) copy.putSync(key, value);
        }, abortableAndSynchronous);
        start = Buffer.from(step.at(-1)!.key);
        await otherWork();
        if (isInterrupted) return false;
      }
      return true;
    } finally {
      transaction.done();
      await copy.close();
    }
  },

  interrupt() {
    isInterrupted = true;
    return undefined;
  },

  async salvage({ from, directory }) {
    const copy = openStore(directory);
    const checkCopyRoom = createRoomCheck(directory);
    let records = 0;
    let batch: LeafEntry[] = [];
    const write = () => {
      checkCopyRoom(bytesOf(batch));
      copy.transactionSync(() => {
        for (const { key, value } of batch) copy.putSync(key, value);
      }, abortableAndSynchronous);
      records += batch.length;
      batch = [];
    };
    const isCurrent = readableEntries(from, (entry) => {
      if (readRecord(entry.key, entry.value) === undefined) return;
      batch.push(entry);
      if (batch.length >= recordsPerStep) write();
    });
    write();
    await copy.close();
    return { records, isCurrent };
  },

  async close() {
    isInterrupted = true;
    await store?.close();
    return undefined;
  },
};

/** Of several operations on one key the last one is left; a purge is of a number that is used no more. */
function latestOf(buffer: Buffer) {
  const latest = new Map<string, ReturnType<typeof partsOf>>();
  const purged: Buffer[] = [];
  for (let at = 0; at < buffer.length; ) {
    const end = at + 4 + buffer.readUInt32BE(at);
    const parts = partsOf(buffer.subarray(at + 4, end));
    if (parts.kind === operations.purge) purged.push(Buffer.from(parts.key));
    else latest.set(parts.key.toString('latin1'), parts);
    at = end;
  }
  return { latest: latest.values(), purged };
}

async function removeAllUnder(prefix: Buffer): Promise<void> {
  const end = Buffer.concat([prefix, Buffer.alloc(1, 0xff)]);
  for (;;) {
    await otherWork();
    if (isClosed) return;
    store.resetReadTxn();
    const keys = [...store.getKeys({ start: prefix, end, limit: recordsPerStep })].map((key) =>
      Buffer.from(key),
    );
    if (keys.length === 0) return;
    try {
      checkRoom(0);
      store.transactionSync(() => {
        for (const key of keys) store.removeSync(key);
      }, abortableAndSynchronous);
    } catch {
      return; // rubbish may stay: the next start finds it again
    }
  }
}

function bytesOf(entries: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[]): number {
  return entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
}

let isClosed = false;

function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

parentPort?.on('message', async ({ number, request }: NumberedRequest) => {
  const answer = (reply: NumberedAnswer) => parentPort?.postMessage(reply);
  try {
    if (request.kind === 'close') isClosed = true;
    const handle = handlers[request.kind] as (
      request: StoreRequest,
    ) => Promise<StoreAnswers[keyof StoreAnswers]>;
    answer({ number, answer: await handle(request) });
  } catch (error) {
    answer({ number, error: error as Error });
  }
  if (request.kind === 'close') parentPort?.close();
});
