/**
 * The thread that has the store: every commit of LMDB waits for the disk, and nobody else should. Its
 * commits are in LMDB's own order (pages, flush, head, flush), so the machine may stop at any moment.
 */
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { createMerge, type Merge } from '../merge.ts';
import { createReading, type Reading } from '../reading.ts';
import { createRoomCheck } from '../room.ts';
import { corruptionOf } from './lmdb-file.ts';
import { backUp, salvage } from './store-copies.ts';
import { openStoreFile, type StoreFile } from './store-file.ts';
import { createStoreLog, DamagedLogError, type StoreLog } from './store-log.ts';
import type {
  Corruption,
  MergeFailure,
  NumberedAnswer,
  NumberedRequest,
  StoreAnswers,
  StoreRequest,
} from './store-protocol.ts';

let store: StoreFile;
let file: string;
let checkRoom: (bytes: number) => void;
let log: StoreLog;
let merge: Merge;
let reading: Reading | undefined;
let isInterrupted = false;
let isClosing = false;

const handlers: {
  [Kind in StoreRequest['kind']]: (
    request: Extract<StoreRequest, { kind: Kind }>,
  ) => StoreAnswers[Kind] | Promise<StoreAnswers[Kind]>;
} = {
  open({ directory }) {
    file = join(directory, 'data.mdb');
    const corruption = corruptionOf(file);
    if (corruption !== undefined) return { corruption: `${file}: ${corruption}` };
    store = openStoreFile(directory);
    checkRoom = createRoomCheck(directory);
    return unlessDamaged(async () => {
      log = createStoreLog(store, () => isClosing);
      merge = createMerge({ store, log, checkRoom, isClosing: () => isClosing, onFailure: tellFailure });
      return { sequence: log.sequence };
    });
  },

  prepareRead({ operations }) {
    return unlessDamaged(async () => {
      const { overlay } = await log.take(Number.POSITIVE_INFINITY, bufferOf(operations));
      reading = createReading(store, overlay);
      return { lastId: overlay.lastId };
    });
  },

  read() {
    const records = reading?.next() ?? new Uint8Array();
    if (records.length === 0) reading = undefined;
    return records;
  },

  async commit({ operations, sequence }) {
    await merge.room();
    checkRoom(operations.length);
    for (const prefix of log.commit(bufferOf(operations), sequence)) merge.purge(prefix);
    merge.beginIfDue();
    return undefined;
  },

  backUp({ directory }) {
    isInterrupted = false;
    return backUp(store, directory, () => isInterrupted);
  },

  interrupt() {
    isInterrupted = true;
    return undefined;
  },

  salvage: ({ from, directory }) => salvage(from, directory),

  async close() {
    isInterrupted = true;
    isClosing = true;
    await store?.close();
    return undefined;
  },
};

async function unlessDamaged<Answer>(look: () => Promise<Answer>): Promise<Answer | Corruption> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof DamagedLogError)) throw error;
    return { corruption: `${file}: ${error.message}` };
  }
}

function tellFailure(mergeFailure: Error): void {
  parentPort?.postMessage({ mergeFailure } satisfies MergeFailure);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

parentPort?.on('message', async ({ number, request }: NumberedRequest) => {
  const answer = (reply: NumberedAnswer, transfer: ArrayBuffer[] = []) =>
    parentPort?.postMessage(reply, transfer);
  try {
    const handle = handlers[request.kind] as (
      request: StoreRequest,
    ) => Promise<StoreAnswers[keyof StoreAnswers]>;
    const result = await handle(request);
    answer({ number, answer: result }, result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []);
  } catch (error) {
    answer({ number, error: error as Error });
  }
  if (request.kind === 'close') parentPort?.close();
});
