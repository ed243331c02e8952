/**
 * Reads what writers have left, whether they are still writing or not: no console is needed for it, and none is
 * disturbed. Calls wait for the disk, so they are for threads that may.
 */
import { closeSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { prefixBytes } from '../chain.ts';
import {
  readHeader,
  type Segment,
  type SegmentHeader,
  segmentFile,
  segmentNumber,
  writerName,
} from './segment-form.ts';
import {
  type EntryRange,
  lineEnd,
  type OpenedSegment,
  openSegment,
  partsOf,
  readAt,
  seqReader,
} from './segment-parts.ts';

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
    for (const { bytes, offset, step } of partsOf(opened, segment, seqOf, range)) {
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

const brace = 0x7b;

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
