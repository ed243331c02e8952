import { valueWith, wholeOperations } from '../operations.ts';
import { logKey, logStart, readRecord } from '../records.ts';
import { createRoomCheck } from '../room.ts';
import { readableEntries } from './lmdb-file.ts';
import {
  abortableAndSynchronous,
  bytesOf,
  type KeyAndValue,
  openStoreFile,
  otherWork,
  type StoreFile,
  stepBytes,
  stepRecords,
  takeStep,
} from './store-file.ts';
import { progressIn } from './store-log.ts';
import type { Salvaged } from './store-protocol.ts';

/**
 * Copies one snapshot, a step at a time, so that commits go on and a copy can be interrupted.
 *
 * @returns whether it was completed
 */
export async function backUp(
  store: StoreFile,
  directory: string,
  isInterrupted: () => boolean,
): Promise<boolean> {
  const copy = openStoreFile(directory);
  const write = writerTo(copy, directory);
  store.resetReadTxn();
  const transaction = store.useReadTransaction();
  try {
    let start: Buffer | undefined;
    for (;;) {
      const range = start === undefined ? {} : { start, exclusiveStart: true };
      const step = takeStep(store.getRange({ ...range, transaction }));
      if (step.length === 0) return true;
      write(step);
      start = step.at(-1)!.key;
      await otherWork();
      if (isInterrupted()) return false;
    }
  } finally {
    transaction.done();
    await copy.close();
  }
}

/** Copies the records of a damaged file that are whole into a new store. */
export async function salvage(from: string, directory: string): Promise<Salvaged> {
  const copy = openStoreFile(directory);
  const write = writerTo(copy, directory);
  let records = 0;
  let batch: KeyAndValue[] = [];
  let bytes = 0;
  const writeBatch = () => {
    write(batch);
    batch = [];
    bytes = 0;
  };
  const isCurrent = readableEntries(from, (entry) => {
    const whole = wholePartOf(entry);
    if (whole === undefined) return;
    batch.push(whole.record);
    records += whole.count;
    bytes += whole.record.value.length;
    if (batch.length >= stepRecords || bytes >= stepBytes) writeBatch();
  });
  writeBatch();
  removeMerged(copy);
  await copy.close();
  return { records, isCurrent };
}

/** A part of the log is kept as far as its operations are whole. */
function wholePartOf({ key, value }: KeyAndValue): { record: KeyAndValue; count: number } | undefined {
  if (readRecord(key, value) !== undefined) return { record: { key, value }, count: 1 };
  if (key[0] !== logStart[0] || key.length !== logKeyBytes) return undefined;
  const whole = wholeOperations(value.subarray(4));
  if (whole.length === 0) return undefined;
  return { record: { key, value: valueWith(key, Buffer.concat(whole)) }, count: whole.length };
}

const logKeyBytes = logKey(0, 0).length;

/** Parts of the log that were out of date must not count for more than the records. */
function removeMerged(copy: StoreFile): void {
  const { merged } = progressIn(copy);
  const keys = [...copy.getKeys({ start: logStart, end: logKey(merged + 1, 0) })];
  copy.transactionSync(() => {
    for (const key of keys) copy.removeSync(key);
  }, abortableAndSynchronous);
}

function writerTo(copy: StoreFile, directory: string): (records: readonly KeyAndValue[]) => void {
  const checkRoom = createRoomCheck(directory);
  return (records) => {
    checkRoom(bytesOf(records));
    copy.transactionSync(() => {
      for (const { key, value } of records) copy.putSync(key, value);
    }, abortableAndSynchronous);
  };
}
