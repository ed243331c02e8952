import { type FileHandle, open } from 'node:fs/promises';
import type { Change } from '../data/changes.ts';
import { bytesOf, endOf, marks, readOperation, wholeOperations } from './operations.ts';

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
const pieceBytes = 1024 * 1024;

/** Reads a file from its beginning, in order, to its end or to the first operation that is not whole. */
export async function readOperations(file: string, take: (change: Change) => void): Promise<Reading> {
  const handle = await open(file);
  try {
    const { size: bytes } = await handle.stat();
    let wholeBytes = 0;
    const found = (isEnded: boolean, isCutShort: boolean) => ({ bytes, wholeBytes, isEnded, isCutShort });
    for (let atOnce = pieceBytes; ; ) {
      const left = bytes - wholeBytes;
      const piece = Buffer.allocUnsafeSlow(Math.min(atOnce, left)); // of its own, as values may stay in it
      await handle.read(piece, 0, piece.length, wholeBytes);
      const { end, isEnded } = takeWhole(piece, wholeBytes === 0, take);
      wholeBytes += end;
      if (isEnded) return found(wholeBytes + marks.end.length === bytes, false);
      if (wholeBytes === bytes) return found(false, true);
      atOnce = pieceBytes;
      if (end > 0) continue;
      const needed = bytesOf(piece);
      if (needed > left) return found(false, !(await hasMore(handle, wholeBytes, left)));
      if (needed <= piece.length) return found(false, false);
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
function takeWhole(piece: Buffer, isFirst: boolean, take: (change: Change) => void) {
  let start = 0;
  for (let end = endOf(piece, 0); end !== undefined; end = endOf(piece, start)) {
    const read = readOperation(piece.subarray(start, end));
    if (read === undefined || (read.kind === 'begin') !== (isFirst && start === 0)) break;
    if (read.kind === 'end') return { end: start, isEnded: true };
    if (read.kind !== 'begin') take(read);
    start = end;
  }
  return { end: start, isEnded: false };
}
