/** The bytes of a segment, open or closed, from the block of an entry on: whole lines, part by part. */
import { fstatSync, openSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { prefixBytes } from '../chain.ts';
import { blockOf, closedEnding, readTable, type Segment, unzipBlocks } from './segment-form.ts';

export interface EntryRange {
  /** First `seq` that is wanted; by default all. */
  readonly from?: number;
  /** First that is not. */
  readonly until?: number;
  /** Told of each block that cannot be read, which is left out; without it, it throws {@link DamagedBlockError}. */
  readonly onDamage?: (damage: DamagedBlockError) => void;
}

/** A block of a closed segment is not what was written. */
export class DamagedBlockError extends Error {
  override readonly name = 'DamagedBlockError';
  readonly segment: number;
  /** The first that it should have, where that is known. */
  readonly seq: number;

  constructor(segment: number, seq: number, options?: ErrorOptions) {
    super(`segment ${segment} cannot be read from entry ${seq} on`, options);
    this.segment = segment;
    this.seq = seq;
  }
}

export interface OpenedSegment {
  readonly descriptor: number;
  readonly isClosed: boolean;
  readonly bytes: number;
}

/** Those from the block of `from` on, or earlier ones too. */
export function partsOf(
  opened: OpenedSegment,
  segment: Segment,
  seqOf: SeqOf,
  range: EntryRange,
): Generator<Part, void> {
  return opened.isClosed ? partsOfClosed(opened, segment, range) : partsOfOpen(opened, seqOf, range);
}

/** Whole lines, but for what is torn at the end. */
export interface Part {
  readonly bytes: Buffer;
  /** In the file. */
  readonly offset: number;
  /** Whether a byte here is one there. */
  readonly step: 0 | 1;
}

export const lineEnd = 0x0a;
const chunkBytes = 1024 * 1024;

/** @throws {Error} `ENOENT` */
export function openSegment(path: string): OpenedSegment {
  for (const [file, isClosed] of [
    [path + closedEnding, true],
    [path, false],
    // Closed at this moment.
    [path + closedEnding, true],
  ] as const) {
    try {
      const descriptor = openSync(file, 'r');
      return { descriptor, isClosed, bytes: fstatSync(descriptor).size };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw Object.assign(new Error(`${path} is not there any more`), { code: 'ENOENT' });
}

export function readAt(
  { descriptor }: Pick<OpenedSegment, 'descriptor'>,
  offset: number,
  bytes: number,
): Buffer {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  while (filled < bytes) {
    const read = readSync(descriptor, buffer, filled, bytes - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

function* partsOfOpen(opened: OpenedSegment, seqOf: SeqOf, { from = 0 }: EntryRange): Generator<Part, void> {
  let offset = from > 0 ? offsetBefore(opened, seqOf, from) : 0;
  while (offset < opened.bytes) {
    const bytes = readAt(opened, offset, Math.min(chunkBytes, opened.bytes - offset));
    const whole = bytes.lastIndexOf(lineEnd) + 1;
    if (whole === 0) return;
    yield { bytes: bytes.subarray(0, whole), offset, step: 1 };
    offset += whole;
  }
}

/** By halves: lines have their `seq` in order. @returns the beginning of a line that is not behind `from` */
function offsetBefore(opened: OpenedSegment, seqOf: SeqOf, from: number): number {
  let [low, high] = [0, opened.bytes];
  while (high - low > chunkBytes / 8) {
    const middle = Math.floor((low + high) / 2);
    const bytes = readAt(opened, middle, Math.min(2 * windowBytes, high - middle));
    const start = bytes.indexOf(lineEnd) + 1;
    const seq = start > 0 ? seqOf(bytes, start) : Number.NaN;
    if (seq <= from) low = middle + start;
    else high = middle;
  }
  return low;
}

/** More than the longest line. */
const windowBytes = 17 * 1024;

function* partsOfClosed(
  opened: OpenedSegment,
  { number, header }: Segment,
  { from = 0, onDamage }: EntryRange,
): Generator<Part, void> {
  const table = readTable((offset, bytes) => readAt(opened, offset, bytes), opened.bytes);
  const firstBlock = blockOf(header?.firstSeq ?? 0);
  const damaged = (error: unknown, seq: number) => {
    const damage = new DamagedBlockError(number, seq, { cause: error });
    if (!onDamage) throw damage;
    onDamage(damage);
  };
  if (!table) {
    yield* wholeOf(opened, (error) => damaged(error, header?.firstSeq ?? 0));
    return;
  }
  const last = table.length - 2;
  const first = header ? Math.min(Math.max(0, blockOf(from) - firstBlock), Math.max(0, last)) : 0;
  // Who looks at one block does not wait for many.
  for (let i = first, count = 1; i <= last; i += count, count = Math.min(2 * count, mostAtOnce)) {
    const ends = table.slice(i, i + count + 1);
    const bytes = readAt(opened, ends[0]!, ends.at(-1)! - ends[0]!);
    for (const [k, block] of unzipBlocks(bytes, ends).entries()) {
      if (block instanceof Error) damaged(block, Math.max(header?.firstSeq ?? 0, (firstBlock + i + k) * 64));
      else yield { bytes: block, offset: ends[k]!, step: 0 };
    }
  }
}

/** Blocks: to set up decompression costs as much as half a block. */
const mostAtOnce = 32;

/** Compressed by somebody else, or with an end that is not what was written. */
function* wholeOf(opened: OpenedSegment, onDamage: (error: unknown) => void): Generator<Part, void> {
  try {
    const bytes = gunzipSync(readAt(opened, 0, opened.bytes), { maxOutputLength: 256 * 1024 * 1024 });
    yield { bytes, offset: 0, step: 1 };
  } catch (error) {
    onDamage(error);
  }
}

type SeqOf = (bytes: Buffer, start: number) => number;

/** The `seq` of a stored line, from its bytes: parsing all of it costs ten times as much. NaN when it is none of this writer. */
export function seqReader(writer: string): SeqOf {
  const before = Buffer.from(` {"v":1,"writer":"${writer}","seq":`);
  return (bytes, start) => {
    const at = start + prefixBytes - 1;
    if (bytes.compare(before, 0, before.length, at, Math.min(at + before.length, bytes.length)) !== 0)
      return Number.NaN;
    let seq = 0;
    let digit = at + before.length;
    for (let one = bytes[digit]! - 0x30; one >= 0 && one <= 9; one = bytes[++digit]! - 0x30)
      seq = seq * 10 + one;
    return digit === at + before.length || seq > Number.MAX_SAFE_INTEGER ? Number.NaN : seq;
  };
}
