import { Worker } from 'node:worker_threads';
import { programOf } from '../../../platform/installation.ts';
import type { Pack } from '../journal.ts';
import { readRecord, type StoreRecord } from '../records.ts';
import type { MergeFailure, NumberedAnswer, Salvaged, StoreAnswers, StoreRequest } from './store-protocol.ts';

/** The store, as the member's main thread sees it: every call is answered by the thread that has it. */
export interface Store {
  open(directory: string): Promise<StoreAnswers['open']>;
  /** Looks at what has been committed and not merged yet; `packs` come after it. Writes nothing. */
  prepareRead(packs: readonly Pack[]): Promise<StoreAnswers['prepareRead']>;
  /** Every record as those operations leave it, in the order of their keys; `undefined` for one that is damaged. */
  records(): AsyncIterable<readonly (StoreRecord | undefined)[]>;
  /**
   * Resolves when all of them are on the disk.
   *
   * @throws {Error} when none of them is, for want of room for example
   */
  commit(packs: readonly Pack[]): Promise<void>;
  /** @returns whether it was completed, not interrupted */
  backUp(directory: string): Promise<boolean>;
  interrupt(): Promise<void>;
  /** Copies the records of a damaged file that are whole into a new store. */
  salvage(from: string, directory: string): Promise<Salvaged>;
  close(): Promise<void>;
}

/**
 * The thread keeps no process alive by itself.
 *
 * @param onMergeFailure  hears that committed operations could not be put in their places yet
 */
export function startStore(onMergeFailure: (error: Error) => void = () => {}): Store {
  const worker = new Worker(programOf('member/persistence/store/store-thread'));
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  let lastNumber = 0;
  let end: Error | undefined;

  worker.on('message', (reply: NumberedAnswer | MergeFailure) => {
    if ('mergeFailure' in reply) return onMergeFailure(reply.mergeFailure);
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
    prepareRead(packs) {
      const operations = joined(packs);
      return ask({ kind: 'prepareRead', operations }, [operations.buffer]);
    },
    async *records() {
      for (let coming = ask({ kind: 'read' }); ; ) {
        const bytes = await coming;
        if (bytes.length === 0) return;
        coming = ask({ kind: 'read' }); // the thread reads on while these are looked at
        coming.catch(() => {}); // it may be that nobody asks for more
        yield split(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      }
    },
    async commit(packs) {
      const { first, count } = packs.at(-1)!;
      const operations = joined(packs);
      await ask({ kind: 'commit', operations, sequence: first + count - 1 }, [operations.buffer]);
    },
    backUp: (directory) => ask({ kind: 'backUp', directory }),
    interrupt: () => ask({ kind: 'interrupt' }),
    salvage: (from, directory) => ask({ kind: 'salvage', from, directory }),
    close: () => ask({ kind: 'close' }),
  };
}

/** In memory of their own, which can be handed over. */
function joined(packs: readonly Pack[]): Uint8Array<ArrayBuffer> {
  const length = packs.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const joint = new Uint8Array(length);
  let at = 0;
  for (const { bytes } of packs) {
    joint.set(bytes, at);
    at += bytes.length;
  }
  return joint;
}

function split(bytes: Buffer): (StoreRecord | undefined)[] {
  const records: (StoreRecord | undefined)[] = [];
  for (let at = 0; at < bytes.length; ) {
    const keyStart = at + 6;
    const valueStart = keyStart + bytes.readUInt16BE(at);
    const end = valueStart + bytes.readUInt32BE(at + 2);
    records.push(readRecord(bytes.subarray(keyStart, valueStart), bytes.subarray(valueStart, end)));
    at = end;
  }
  return records;
}
