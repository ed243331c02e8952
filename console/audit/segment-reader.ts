/**
 * Reads what writers have left, whether they are still writing or not: no console is needed for it, and none is
 * disturbed. Calls wait for the disk, so they are for threads that may.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { prefixBytes } from './chain.ts';
import {
  blockOf,
  closedEnding,
  readHeader,
  readTable,
  type SegmentHeader,
  segmentFile,
  segmentNumber,
  unzipBlocks,
  writerName,
} from './segment-form.ts';

export interface Segment {
  /** As its name says. */
  readonly number: number;
  /** Without the ending of a closed one: it may be closed between two calls. */
  readonly path: string;
  /** undefined: its first line is none. */
  readonly header: SegmentHeader | undefined;
}

/** An entry where it stands. */
export interface StoredEntry {
  readonly writer: string;
  readonly segment: number;
  /** Of its line; in a closed segment of the gzip member that has it. */
  readonly offset: number;
  /** As the line says; NaN when it does not begin as one of this writer. */
  readonly seq: number;
  /** Link, space and line, without the line's end; stays as it is. */
  readonly stored: Buffer;
}

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

/** @param directory  `audit` of a data directory, or a copy of it. @returns in order of their names */
export function writersOf(directory: string): readonly string[] {
  return namesIn(directory, true)
    .filter((name) => writerName.test(name))
    .sort();
}

/** In order. */
export function segmentsOf(directory: string, writer: string): readonly Segment[] {
  const numbers = new Set(
    namesIn(join(directory, writer), false).flatMap((name) => segmentNumber(name) ?? []),
  );
  return [...numbers]
    .sort((a, b) => a - b)
    .map((number) => {
      const path = join(directory, writer, segmentFile(number));
      return { number, path, header: headerOf(path) };
    });
}

/** Entries of a writer as they were written; what is half written is left out. */
export function entriesOf(
  directory: string,
  writer: string,
  range: EntryRange = {},
): Generator<StoredEntry, void> {
  return entriesIn(segmentsOf(directory, writer), writer, range);
}

/** The same of segments that are known already. */
export function* entriesIn(
  segments: readonly Segment[],
  writer: string,
  range: EntryRange = {},
): Generator<StoredEntry, void> {
  const { from = 0, until = Number.POSITIVE_INFINITY } = range;
  for (const [i, segment] of segments.entries()) {
    const next = segments[i + 1]?.header;
    if (next && next.firstSeq <= from) continue;
    if (segment.header && segment.header.firstSeq >= until) return;
    for (const entry of entriesOfSegment(segment, writer, range)) {
      if (entry.seq < from) continue;
      if (entry.seq >= until) return;
      yield entry;
    }
  }
}

/** The last one of a writer: its place and its link. @returns undefined where there is none */
export function lastEntryOf(directory: string, writer: string): StoredEntry | undefined {
  let last: StoredEntry | undefined;
  const range = { from: Number.MAX_SAFE_INTEGER, onDamage() {} };
  for (const segment of segmentsOf(directory, writer).toReversed()) {
    for (const entry of entriesOfSegment(segment, writer, range)) last = entry;
    if (last) return last;
  }
  return undefined;
}

/** The line, without its link. */
export function lineOf({ stored }: Pick<StoredEntry, 'stored'>): string {
  return stored.toString('utf8', prefixBytes);
}

/** Those from the block of `from` on, or earlier ones too. */
export function* entriesOfSegment(
  segment: Segment,
  writer: string,
  range: EntryRange,
): Generator<StoredEntry, void> {
  const seqOf = seqReader(writer);
  const opened = openSegment(segment.path);
  try {
    const parts = opened.isClosed ? partsOfClosed(opened, segment, range) : partsOfOpen(opened, seqOf, range);
    for (const { bytes, offset, step } of parts) {
      let start = 0;
      for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
        // The first line of a segment begins at once.
        if (bytes[start] !== brace || (step > 0 ? offset + start > 0 : offset > 0)) {
          const stored = bytes.subarray(start, end);
          yield {
            writer,
            segment: segment.number,
            offset: offset + start * step,
            seq: seqOf(bytes, start),
            stored,
          };
        }
        start = end + 1;
      }
    }
  } finally {
    closeSync(opened.descriptor);
  }
}

interface OpenedSegment {
  readonly descriptor: number;
  readonly isClosed: boolean;
  readonly bytes: number;
}

/** Whole lines, but for what is torn at the end. */
interface Part {
  readonly bytes: Buffer;
  /** In the file. */
  readonly offset: number;
  /** Whether a byte here is one there. */
  readonly step: 0 | 1;
}

const lineEnd = 0x0a;
const brace = 0x7b;
const chunkBytes = 1024 * 1024;

function openSegment(path: string): OpenedSegment {
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

function readAt({ descriptor }: Pick<OpenedSegment, 'descriptor'>, offset: number, bytes: number): Buffer {
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

function headerOf(path: string): SegmentHeader | undefined {
  let opened: OpenedSegment;
  try {
    opened = openSegment(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // its time has come meanwhile
    throw error;
  }
  try {
    const start = readAt(opened, 0, 1024);
    const bytes = opened.isClosed ? gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH }) : start;
    const end = bytes.indexOf(lineEnd);
    return end < 0 ? undefined : readHeader(bytes.toString('utf8', 0, end));
  } catch {
    return undefined; // no gzip member
  } finally {
    closeSync(opened.descriptor);
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

function namesIn(directory: string, isOfFolders: boolean): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => (isOfFolders ? entry.isDirectory() : entry.isFile()))
      .map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
