/**
 * The files of a writer: `<n>.log` while it is written, one stored line after the other, and `<n>.log.gz` when it is
 * closed. Its first line says whose and which it is, and the whole `c` of the entry before. In a closed one that line and
 * each block of 64 entries are gzip members of their own, and the last member, which is empty, says where they begin: what
 * `zcat` reads is what was written.
 */
import { crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import { hashText, readHash } from '../chain.ts';

export const blockEntries = 64;
/** More than this the table of a closed segment could not hold. */
export const mostSegmentEntries = 1_000_000;

export interface SegmentHeader {
  readonly writer: string;
  /** From 1 on. */
  readonly number: number;
  /** `c` of the entry before. */
  readonly previous: Buffer;
  /** Of its first entry. */
  readonly firstSeq: number;
  /** Epoch milliseconds. */
  readonly time: number;
}

export interface Segment {
  /** As its name says. */
  readonly number: number;
  /** Without the ending of a closed one: it may be closed between two calls. */
  readonly path: string;
  /** undefined: its first line is none. */
  readonly header: SegmentHeader | undefined;
}

const digits = 8;
const fileName = /^(\d{8,12})\.log(\.gz)?$/;

/** Without the ending of a closed one. */
export function segmentFile(number: number): string {
  return `${String(number).padStart(digits, '0')}.log`;
}

export const closedEnding = '.gz';

/** @returns undefined for any other file */
export function segmentNumber(file: string): number | undefined {
  const found = fileName.exec(file);
  return found ? Number(found[1]) : undefined;
}

/** Names of writers are names of directories. */
export const writerName = /^[a-z0-9]{4,26}$/;

export function headerLine({ writer, number, previous, firstSeq, time }: SegmentHeader): string {
  const said = { writer, number, previous: hashText(previous), firstSeq, time: new Date(time).toISOString() };
  return `${JSON.stringify({ v: 1, segment: said })}\n`;
}

/** @param line  without its end. @returns undefined when it is none */
export function readHeader(line: string): SegmentHeader | undefined {
  try {
    const { v, segment } = JSON.parse(line);
    const { writer, number, firstSeq } = segment;
    const previous = readHash(segment.previous);
    const time = Date.parse(segment.time);
    const isWhole = v === 1 && writerName.test(writer) && previous && [number, firstSeq, time].every(isCount);
    return isWhole ? { writer, number, previous, firstSeq, time } : undefined;
  } catch {
    return undefined; // what is not of this form
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Which block of its writer an entry belongs to, whatever segments there are. */
export function blockOf(seq: number): number {
  return Math.floor(seq / blockEntries);
}

const gzipStart = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const gzipStartWithExtra = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff]);
/** Empty deflate data, its sum and its size. */
const gzipEmptyEnd = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const tableName = Buffer.from('CC');

/** One gzip member (RFC 1952 §2.3). */
export function gzipMember(bytes: Buffer): Buffer {
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(bytes), 0);
  end.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([gzipStart, deflateRawSync(bytes), end]);
}

/** The last member. @param offsets  where each block begins */
export function tableMember(offsets: readonly number[]): Buffer {
  const table = Buffer.alloc(4 * offsets.length + 4);
  offsets.forEach((offset, i) => {
    table.writeUInt32LE(offset, 4 * i);
  });
  table.writeUInt32LE(offsets.length, 4 * offsets.length);
  const lengths = Buffer.alloc(6);
  lengths.writeUInt16LE(4 + table.length, 0);
  tableName.copy(lengths, 2);
  lengths.writeUInt16LE(table.length, 4);
  return Buffer.concat([gzipStartWithExtra, lengths, table, gzipEmptyEnd]);
}

/** Of the table member besides its offsets: start, lengths, count, end. */
const tableRest = gzipStartWithExtra.length + 6 + 4 + gzipEmptyEnd.length;

/**
 * Where each block of a closed segment begins, and where the last one ends.
 *
 * @param read  bytes of the file from an offset
 * @returns undefined where somebody else has compressed it
 */
export function readTable(
  read: (offset: number, bytes: number) => Buffer,
  fileBytes: number,
): readonly number[] | undefined {
  if (fileBytes < tableRest) return undefined;
  const end = read(fileBytes - gzipEmptyEnd.length - 4, gzipEmptyEnd.length + 4);
  const count = end.readUInt32LE(0);
  const start = fileBytes - tableRest - 4 * count;
  if (start < 0 || count > mostSegmentEntries) return undefined;
  const offsets = Array.from({ length: count }, () => 0);
  const member = read(start, tableRest + 4 * count);
  for (let i = 0; i < count; i++) offsets[i] = member.readUInt32LE(gzipStartWithExtra.length + 6 + 4 * i);
  if (!member.equals(tableMember(offsets))) return undefined;
  const isRising = offsets.every((offset, i) => offset > (i === 0 ? 0 : offsets[i - 1]!) && offset < start);
  return isRising ? [...offsets, start] : undefined;
}

/** A block holds no more than it can: what claims to is no block. @throws when it is no gzip member */
export function unzipBlock(member: Buffer): Buffer {
  const size = member.length < 4 ? 0 : member.readUInt32LE(member.length - 4);
  // One byte more than it says that it holds, so that a single piece takes all of it.
  const chunkSize = Math.max(64, Math.min(size + 1, mostBlockBytes));
  return gunzipSync(member, { maxOutputLength: mostBlockBytes, chunkSize });
}

const mostBlockBytes = blockEntries * 17 * 1024;

/**
 * Of blocks that stand one behind the other.
 *
 * @param ends  where each begins and the last one ends, in the file; `members` begin with the first
 * @returns of each what it holds, or why it is no block
 */
export function unzipBlocks(members: Buffer, ends: readonly number[]): readonly (Buffer | Error)[] {
  const memberOf = (i: number) => members.subarray(ends[i]! - ends[0]!, ends[i + 1]! - ends[0]!);
  const all = ends.slice(1).map((_, i) => memberOf(i));
  return unzipTogether(members, all) ?? all.map(unzipOr);
}

/** Of blocks, wherever they stand. @returns of each what it holds, or why it is no block */
export function unzipMembers(all: readonly Buffer[]): readonly (Buffer | Error)[] {
  return (all.length > 1 ? unzipTogether(Buffer.concat(all), all) : undefined) ?? all.map(unzipOr);
}

function unzipOr(member: Buffer): Buffer | Error {
  try {
    return unzipBlock(member);
  } catch (error) {
    return error as Error;
  }
}

/** By the size that each member ends with. @returns undefined where that is not what they hold */
function unzipTogether(members: Buffer, all: readonly Buffer[]): readonly Buffer[] | undefined {
  const sizes = all.map((member) => (member.length < 4 ? Infinity : member.readUInt32LE(member.length - 4)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (all.length < 2 || sizes.some((size) => size > mostBlockBytes)) return undefined;
  try {
    // One byte more, so that a single piece takes all of it.
    const bytes = gunzipSync(members, { maxOutputLength: total, chunkSize: Math.max(64, total + 1) });
    if (bytes.length !== total) return undefined;
    let end = 0;
    return sizes.map((size) => {
      end += size;
      return bytes.subarray(end - size, end);
    });
  } catch {
    return undefined; // one of them is none: each by itself says which
  }
}
