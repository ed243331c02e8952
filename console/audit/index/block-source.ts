/** Blocks of entries, each by one look at its file: files and their tables are kept at hand. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { prefixBytes } from '../chain.ts';
import {
  blockEntries,
  blockOf,
  closedEnding,
  readTable,
  type Segment,
  unzipBlock,
} from '../segments/segment-form.ts';
import { seqReader } from '../segments/segment-parts.ts';
import { entriesOfSegment } from '../segments/segment-reader.ts';
import type { BlockRow } from './index-store.ts';

/** Lines in order, each between two ends in the bytes. */
export interface BlockLines {
  readonly bytes: Buffer;
  readonly lines: readonly { readonly seq: number; readonly start: number; readonly end: number }[];
}

export interface BlockSourceDeps {
  /** Those that are there now. */
  readonly segmentsOf: (writer: string) => readonly Segment[];
}

/** For one question: it sees the segments that there were when it first asked for those of a writer. */
export interface BlockReader {
  /** @returns undefined when it is there no more, or cannot be read */
  read(writer: string, block: number, row: BlockRow): BlockLines | undefined;
}

interface OpenFile {
  readonly descriptor: number;
  /** Where each block begins; undefined: it is open, or somebody else has compressed it. */
  readonly table: readonly number[] | undefined;
  readonly isClosed: boolean;
}

const mostFiles = 32;
const lineEnd = 0x0a;
const openChunk = 64 * 1024;

export function createBlockSource({ segmentsOf }: BlockSourceDeps) {
  const files = new Map<string, OpenFile>();

  return {
    reader(): BlockReader {
      const seen = new Map<string, readonly Segment[]>();
      return {
        read(writer, block, row) {
          try {
            const segments = seen.get(writer) ?? segmentsOf(writer);
            seen.set(writer, segments);
            return readIn(segments, writer, block, row);
          } catch {
            return undefined; // gone meanwhile, or damaged: verifying is what says so
          }
        },
      };
    },
    /** One of them has another content by now. */
    reopen: closeAll,
    close: closeAll,
  };

  function closeAll(): void {
    for (const { descriptor } of files.values()) closeSync(descriptor);
    files.clear();
  }

  function readIn(segments: readonly Segment[], writer: string, block: number, row: BlockRow) {
    const at = segments.findIndex(({ number }) => number === row.segment);
    const parts = at < 0 ? [] : [partOf(writer, segments[at]!, block, row.offset)];
    // Where a segment ends, a block may go on in the next; and it may be all that is left of it.
    const next = segments[at + 1];
    if (next?.header && blockOf(next.header.firstSeq) === block) parts.push(partOf(writer, next, block, 0));
    if (parts.length === 0) return undefined;
    return linesOf(writer, block, parts.length === 1 ? parts[0]! : Buffer.concat(parts));
  }

  function partOf(writer: string, segment: Segment, block: number, offset: number): Buffer {
    const file = fileOf(segment.path);
    if (!file.isClosed) return readOpen(file, writer, block, offset);
    const { table } = file;
    const i = block - blockOf(segment.header?.firstSeq ?? 0);
    if (!table) return readSlowly(writer, segment, block);
    const [start, end] = [table[i], table[i + 1]];
    if (start === undefined || end === undefined) return Buffer.alloc(0);
    return unzipBlock(readAt(file.descriptor, start, end - start));
  }

  function fileOf(path: string): OpenFile {
    const known = files.get(path);
    // The closed form may have taken its place.
    if (known && !known.isClosed && !existsSync(path)) forget(path);
    else if (known) {
      files.delete(path);
      files.set(path, known);
      return known;
    }
    const opened = openFile(path);
    files.set(path, opened);
    if (files.size > mostFiles) forget(files.keys().next().value!);
    return opened;
  }

  function forget(path: string): void {
    const file = files.get(path);
    if (file) closeSync(file.descriptor);
    files.delete(path);
  }
}

function openFile(path: string): OpenFile {
  for (const isClosed of [true, false, true]) {
    try {
      const descriptor = openSync(isClosed ? path + closedEnding : path, 'r');
      const table = isClosed
        ? readTable((offset, bytes) => readAt(descriptor, offset, bytes), fstatSync(descriptor).size)
        : undefined;
      return { descriptor, table, isClosed };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`${path} is not there any more`);
}

function readAt(descriptor: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let filled = 0;
  while (filled < bytes) {
    const read = readSync(descriptor, buffer, filled, bytes - filled, offset + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

/** Up to a line that is of a later block, or the end of what is written. */
function readOpen({ descriptor }: OpenFile, writer: string, block: number, offset: number): Buffer {
  let bytes = readAt(descriptor, offset, openChunk);
  for (;;) {
    const { lines } = linesOf(writer, block, bytes);
    const behind = bytes.lastIndexOf(lineEnd) + 1;
    const isAll = (lines.at(-1)?.end ?? 0) + 1 < behind || lines.length === blockEntries;
    if (isAll) return bytes;
    const more = readAt(descriptor, offset + bytes.length, openChunk);
    if (more.length === 0) return bytes;
    bytes = Buffer.concat([bytes, more]);
  }
}

function readSlowly(writer: string, segment: Segment, block: number): Buffer {
  const lines: Buffer[] = [];
  for (const { seq, stored } of entriesOfSegment(segment, writer, {})) {
    if (blockOf(seq) === block) lines.push(stored, Buffer.of(lineEnd));
  }
  return Buffer.concat(lines);
}

function linesOf(writer: string, block: number, bytes: Buffer): BlockLines {
  const seqOf = seqReader(writer);
  const lines: { seq: number; start: number; end: number }[] = [];
  let start = 0;
  for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
    const seq = seqOf(bytes, start);
    if (blockOf(seq) === block) lines.push({ seq, start: start + prefixBytes, end });
    start = end + 1;
  }
  return { bytes, lines };
}
