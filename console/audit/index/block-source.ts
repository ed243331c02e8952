/** Blocks of entries, each by one look at its file: files and their tables are kept at hand. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  blockEntries,
  blockOf,
  closedEnding,
  readTable,
  type Segment,
  unzipMembers,
} from '../segments/segment-form.ts';
import { entriesOfSegment } from '../segments/segment-reader.ts';
import { BlockLines } from './block-lines.ts';
import type { BlockRow } from './index-store.ts';

export interface BlockSourceDeps {
  /** Those that are there now. */
  readonly segmentsOf: (writer: string) => readonly Segment[];
}

/** For one question: it sees the segments that there were when it first asked for those of a writer. */
export interface BlockReader {
  /** @returns undefined when it is there no more, or cannot be read */
  read(writer: string, block: number, row: BlockRow): BlockLines | undefined;
  /** The same of several: to set up decompression costs as much as half a block. */
  readAll(writer: string, blocks: readonly BlockAt[]): readonly (BlockLines | undefined)[];
}

export interface BlockAt {
  readonly block: number;
  readonly row: BlockRow;
}

/** Where a segment ends a block may go on in the next: it has two parts then. */
interface Part {
  readonly bytes: Buffer;
  readonly isZipped: boolean;
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
      const segmentsSeen = (writer: string) => {
        const segments = seen.get(writer) ?? segmentsOf(writer);
        seen.set(writer, segments);
        return segments;
      };
      const readAll: BlockReader['readAll'] = (writer, blocks) => {
        const all = blocks.map((one) => partsOr(segmentsSeen, writer, one));
        const zipped = all.flat().filter(({ isZipped }) => isZipped);
        const unzipped = unzipMembers(zipped.map(({ bytes }) => bytes)).values();
        return all.map((parts, i) => {
          const whole = parts.flatMap(({ bytes, isZipped }) => {
            const plain = isZipped ? unzipped.next().value! : bytes;
            return plain instanceof Error ? [] : [plain];
          });
          if (parts.length === 0 || whole.length < parts.length) return undefined;
          const bytes = whole.length === 1 ? whole[0]! : Buffer.concat(whole);
          return new BlockLines(writer, blocks[i]!.block, bytes);
        });
      };
      return { readAll, read: (writer, block, row) => readAll(writer, [{ block, row }])[0] };
    },
    /** One of them has another content by now. */
    reopen: closeAll,
    close: closeAll,
  };

  function closeAll(): void {
    for (const { descriptor } of files.values()) closeSync(descriptor);
    files.clear();
  }

  /** @returns none when it is gone meanwhile, or damaged: verifying is what says so */
  function partsOr(
    segmentsSeen: BlockSourceDeps['segmentsOf'],
    writer: string,
    { block, row }: BlockAt,
  ): readonly Part[] {
    try {
      const segments = segmentsSeen(writer);
      const at = segments.findIndex(({ number }) => number === row.segment);
      const parts = at < 0 ? [] : [partOf(writer, segments[at]!, block, row.offset)];
      // It may be all that is left of it.
      const next = segments[at + 1];
      if (next?.header && blockOf(next.header.firstSeq) === block) parts.push(partOf(writer, next, block, 0));
      return parts;
    } catch {
      return [];
    }
  }

  function partOf(writer: string, segment: Segment, block: number, offset: number): Part {
    const file = fileOf(segment.path);
    const plain = (bytes: Buffer): Part => ({ bytes, isZipped: false });
    if (!file.isClosed) return plain(readOpen(file, writer, block, offset));
    const { table } = file;
    const i = block - blockOf(segment.header?.firstSeq ?? 0);
    if (!table) return plain(readSlowly(writer, segment, block));
    const [start, end] = [table[i], table[i + 1]];
    if (start === undefined || end === undefined) return plain(Buffer.alloc(0));
    return { bytes: readAt(file.descriptor, start, end - start), isZipped: true };
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
    const { lines } = new BlockLines(writer, block, bytes);
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
