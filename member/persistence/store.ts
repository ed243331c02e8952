import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Operation, readRecord, type StoreRecord } from './records.ts';
import type { NumberedAnswer, Salvaged, StoreAnswers, StoreRequest } from './store-protocol.ts';

/** The store, as the member's main thread sees it: every call is answered by the thread that has it. */
export interface Store {
  open(directory: string): Promise<StoreAnswers['open']>;
  /**
   * Resolves when all of them are on the disk.
   *
   * @param sequence  number of the last of them
   * @throws {Error} when none of them is, for want of room for example
   */
  commit(operations: readonly Operation[], sequence: number): Promise<void>;
  /** Every record, in the order of their keys; `undefined` for one that is damaged. */
  records(): AsyncIterable<readonly (StoreRecord | undefined)[]>;
  /** @returns whether it was completed, not interrupted */
  backUp(directory: string): Promise<boolean>;
  interrupt(): Promise<void>;
  /** Copies the records of a damaged file that are whole into a new store. */
  salvage(from: string, directory: string): Promise<Salvaged>;
  close(): Promise<void>;
}

/** The thread keeps no process alive by itself. */
export function startStore(): Store {
  // The sources run as they are during development, compiled in production.
  const worker = new Worker(new URL(`./store-thread${extname(import.meta.url)}`, import.meta.url));
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  let lastNumber = 0;
  let end: Error | undefined;

  worker.on('message', (reply: NumberedAnswer) => {
    const caller = waiting.get(reply.number);
    waiting.delete(reply.number);
    if (waiting.size === 0) worker.unref();
    if ('error' in reply) caller?.reject(reply.error);
    else caller?.resolve(reply.answer as never);
  });
  const failAll = (error: Error) => {
    end = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on('error', failAll);
  worker.on('exit', () => failAll(end ?? new Error('the thread of the store has ended')));
  worker.unref();

  function ask<Kind extends StoreRequest['kind']>(
    request: Extract<StoreRequest, { kind: Kind }>,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<StoreAnswers[Kind]> {
    if (end !== undefined) return Promise.reject(end);
    lastNumber += 1;
    const number = lastNumber;
    worker.ref();
    return new Promise((resolve, reject) => {
      waiting.set(number, { resolve, reject });
      worker.postMessage({ number, request }, [...transfer]);
    });
  }

  return {
    open: (directory) => ask({ kind: 'open', directory }),
    async commit(operations, sequence) {
      const bytes = joined(operations);
      await ask({ kind: 'commit', operations: bytes, sequence }, [bytes.buffer]);
    },
    async *records() {
      let after: Uint8Array | undefined;
      for (;;) {
        const bytes = await ask({ kind: 'read', after });
        if (bytes.length === 0) return;
        const { records, lastKey } = split(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        after = lastKey;
        yield records;
      }
    },
    backUp: (directory) => ask({ kind: 'backUp', directory }),
    interrupt: () => ask({ kind: 'interrupt' }),
    salvage: (from, directory) => ask({ kind: 'salvage', from, directory }),
    close: () => ask({ kind: 'close' }),
  };
}

function joined(operations: readonly Operation[]): Uint8Array<ArrayBuffer> {
  const length = operations.reduce((sum, operation) => sum + 4 + operation.length, 0);
  const bytes = Buffer.from(new ArrayBuffer(length));
  let at = 0;
  for (const operation of operations) {
    at = bytes.writeUInt32BE(operation.length, at);
    at += operation.copy(bytes, at);
  }
  return bytes;
}

function split(bytes: Buffer): { records: (StoreRecord | undefined)[]; lastKey: Buffer } {
  const records: (StoreRecord | undefined)[] = [];
  let key = bytes;
  for (let at = 0; at < bytes.length; ) {
    const keyStart = at + 6;
    const valueStart = keyStart + bytes.readUInt16BE(at);
    const end = valueStart + bytes.readUInt32BE(at + 2);
    key = bytes.subarray(keyStart, valueStart);
    records.push(readRecord(key, bytes.subarray(valueStart, end)));
    at = end;
  }
  return { records, lastKey: Buffer.from(key) };
}
