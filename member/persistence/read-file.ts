import { type FileHandle, open } from 'node:fs/promises';
import type { Change } from '../data/changes.ts';
import { bounds, bytesOf, endOf, readOperation, wholeOperations } from './operations.ts';

/** How far a file of operations is whole. */
export interface Reading {
  readonly bytes: number;
  /** Where the last operation ends that is whole, as all before it are; the mark of the end does not count. */
  readonly wholeBytes: number;
  /** Whether its last operation is the mark of the end: nothing was cut off. */
  readonly isEnded: boolean;
  /** Whether what follows is nothing, or the beginning of an operation. */
  readonly isCutShort: boolean;
}

/** What is read at once, unless one operation is larger. */
const chunkBytes = 1024 * 1024;

/** Reads a file from its beginning, in order, to its end or to the first operation that is not whole. */
export async function readOperations(file: string, take: (change: Change) => void): Promise<Reading> {
  const handle = await open(file);
  try {
    const { size: bytes } = await handle.stat();
    let wholeBytes = 0;
    const found = (isEnded: boolean, isCutShort: boolean) => ({ bytes, wholeBytes, isEnded, isCutShort });
    for (let atOnce = chunkBytes; ; ) {
      const left = bytes - wholeBytes;
      const chunk = Buffer.allocUnsafeSlow(Math.min(atOnce, left)); // of its own, as values may stay in it
      await handle.read(chunk, 0, chunk.length, wholeBytes);
      const { end, isEnded } = takeWhole(chunk, wholeBytes === 0, take);
      wholeBytes += end;
      if (isEnded) return found(wholeBytes + bounds.end.length === bytes, false);
      if (wholeBytes === bytes) return found(false, true);
      atOnce = chunkBytes;
      if (end > 0) continue;
      const needed = bytesOf(chunk);
      if (needed > left) return found(false, !(await hasMore(handle, wholeBytes, left)));
      if (needed <= chunk.length) return found(false, false);
      atOnce = needed;
    }
  } finally {
    await handle.close();
  }
}

/** Whether something whole follows: then it is a length that is damaged, and no write that was cut short. */
async function hasMore(handle: FileHandle, from: number, bytes: number): Promise<boolean> {
  const rest = Buffer.allocUnsafeSlow(bytes);
  await handle.read(rest, 0, bytes, from);
  return wholeOperations(rest).length > 0;
}

/** @returns where what was taken ends, and whether the mark of the end follows */
function takeWhole(chunk: Buffer, isFirst: boolean, take: (change: Change) => void) {
  let start = 0;
  for (let end = endOf(chunk, 0); end !== undefined; end = endOf(chunk, start)) {
    const read = readOperation(chunk.subarray(start, end));
    if (read === undefined || (read.kind === 'begin') !== (isFirst && start === 0)) break;
    if (read.kind === 'end') return { end: start, isEnded: true };
    if (read.kind !== 'begin') take(read);
    start = end;
  }
  return { end: start, isEnded: false };
}
