/**
 * Writes the entries of one writer: chains them, writes them to its segments, signs check-points, and closes what is full.
 * Its calls wait for the disk, so it is for a thread of its own, or for a command that has nothing else to do.
 */
import { closeSync, fdatasyncSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Chain, chainStart, createChain, hasPrefix, linkCharacters, prefixBytes } from './chain.ts';
import { checkpointLine, type SigningKey, type WriterHead } from './checkpoint.ts';
import { placeOf } from './entry.ts';
import {
  createSegment,
  isEmptyFile,
  type OpenFile,
  reopenSegment,
  writeWhole,
} from './segments/segment-file.ts';
import {
  mostSegmentEntries,
  type Segment,
  type SegmentHeader,
  segmentFile,
} from './segments/segment-form.ts';
import { entriesOfSegment, lastEntryOf, segmentsOf, writersOf } from './segments/segment-reader.ts';

export interface WriterLimits {
  readonly segmentBytes: number;
  readonly segmentMs: number;
  readonly checkpointEntries: number;
}

export const writerLimits: WriterLimits = {
  segmentBytes: 64 * 1024 * 1024,
  segmentMs: 24 * 60 * 60 * 1000,
  checkpointEntries: 10_000,
};

export interface WriterDeps {
  /** `audit` of the data directory. */
  readonly directory: string;
  /** Its name; nobody else writes under it. */
  readonly writer: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly limits?: WriterLimits;
  /** Gets each check-point as it is stored, when it is on the disk. */
  readonly onCheckpoint: (line: string) => void;
  /** A segment that is full, or was found so. */
  readonly onFull: (segment: Segment) => void;
}

export type Writer = ReturnType<typeof openWriter>;

/** What was found is not what was written: nobody writes on behind it. */
export class BrokenChainError extends Error {
  override readonly name = 'BrokenChainError';
}

/**
 * Goes on where the writer ended. What is torn at the end is cut off: nobody was told that it is there.
 *
 * @throws {BrokenChainError}
 */
export function openWriter(deps: WriterDeps) {
  const { directory, writer, now, limits = writerLimits, onCheckpoint, onFull } = deps;
  const own = join(directory, writer);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const found = openLast(deps);
  const { chain } = found;
  let { file, seq } = found;
  let key: SigningKey | undefined;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let sinceCheckpoint = found.unsigned;
  let heads = headsBeside(directory, writer);
  let headsAt = now();
  /** Of other consoles. */
  let elsewhere: Readonly<Record<string, WriterHead>> = {};
  /** Written and not synced yet. */
  let unsynced: string[] = [];

  function addLine(text: string): void {
    const bytes = Buffer.allocUnsafe(prefixBytes + Buffer.byteLength(text) + 1);
    const end = bytes.length - 1;
    bytes.write(text, prefixBytes);
    chain.add(bytes, prefixBytes, end);
    bytes.write(chain.linkText(), 0, 'latin1');
    bytes[linkCharacters] = 0x20;
    bytes[end] = 0x0a;
    pending.push(bytes);
    pendingBytes += bytes.length;
    seq++;
    if (file) file = { ...file, entries: file.entries + 1 };
  }

  function addCheckpoint(): void {
    if (!key || sinceCheckpoint === 0) return;
    const time = now();
    if (time - headsAt > headsMs) {
      heads = headsBeside(directory, writer);
      headsAt = time;
    }
    const own = { [writer]: { seq, link: chain.linkText() } };
    const said = { time, c: chain.head(), heads: { ...elsewhere, ...heads, ...own } };
    addLine(checkpointLine(placeOf(writer, seq + 1), said, key));
    sinceCheckpoint = 0;
    unsynced.push(pending.at(-1)!.toString('utf8', 0, pending.at(-1)!.length - 1));
  }

  function writePending(): void {
    // Without a file nothing of this writer has been written, whatever has been added.
    const first = { writer, number: 1, previous: chainStart, firstSeq: 1 };
    file ??= { ...createSegment(own, { ...first, time: now() }), entries: seq };
    if (pendingBytes === 0) return;
    const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
    writeWhole(file.descriptor, bytes, file.bytes);
    file = { ...file, bytes: file.bytes + bytes.length };
    pending = [];
    pendingBytes = 0;
  }

  function isFull({ bytes, entries, header }: OpenFile): boolean {
    if (entries === 0) return false;
    const age = now() - header.time;
    return bytes >= limits.segmentBytes || entries >= mostSegmentEntries || age >= limits.segmentMs;
  }

  function rotate(): void {
    if (!file) return;
    addCheckpoint();
    writePending();
    fdatasyncSync(file.descriptor);
    const { header, descriptor } = file;
    const number = header.number + 1;
    const next = createSegment(own, {
      writer,
      number,
      previous: chain.head(),
      firstSeq: seq + 1,
      time: now(),
    });
    closeSync(descriptor);
    file = next;
    onFull({ number: header.number, path: join(own, segmentFile(header.number)), header });
    reportCheckpoints();
  }

  function reportCheckpoints(): void {
    const synced = unsynced;
    unsynced = [];
    for (const line of synced) onCheckpoint(line);
  }

  return {
    writer,
    /** Of what has been added. */
    seq: () => seq,
    /** Of the segment that it writes. */
    path: () => file && join(own, segmentFile(file.header.number)),
    pendingBytes: () => pendingBytes,
    /** Check-points are signed with it from now on. */
    useKey(given: SigningKey): void {
      key = given;
    },
    /** Check-points say from now on how far these are too. */
    useHeads(given: Readonly<Record<string, WriterHead>>): void {
      elsewhere = given;
    },
    /** @param body  of an `EntryBody` */
    add(body: string): void {
      addLine(placeOf(writer, seq + 1) + body);
      if (++sinceCheckpoint >= limits.checkpointEntries) addCheckpoint();
    },
    /** Writes what has been added. @throws {Error} of the disk: what was added is kept for the next time */
    write(): void {
      writePending();
      if (file && isFull(file)) rotate();
    },
    /** Adds a check-point where there is news, and writes it. @returns what is to be synced */
    check(): number | undefined {
      addCheckpoint();
      this.write();
      return file?.descriptor;
    },
    /** What was written is on the disk. */
    synced: reportCheckpoints,
    /** Closes the segment early: whoever wants to change it finds it closed. */
    rotate,
    close(): void {
      try {
        addCheckpoint();
        writePending();
        if (file) fdatasyncSync(file.descriptor);
        reportCheckpoints();
      } finally {
        if (file) closeSync(file.descriptor);
        file = undefined;
      }
    },
  };
}

/** Other writers end, and new ones begin, rarely. */
const headsMs = 60_000;

interface Found {
  readonly file: OpenFile | undefined;
  readonly chain: Chain;
  readonly seq: number;
  /** Entries since the last check-point. */
  readonly unsigned: number;
}

/** Its chain is computed from the beginning of its last segment, whose first line has the `c` before. */
function openLast({ directory, writer, onFull }: WriterDeps): Found {
  const segments = segmentsOf(directory, writer);
  for (const segment of segments.slice(0, -1)) onFull(segment);
  const last = segments.at(-1);
  if (!last) return { file: undefined, chain: createChain(), seq: 0, unsigned: 0 };
  const { header } = last;
  if (!header) {
    // Killed before its first line was written.
    if (segments.length > 1 || !isEmptyFile(last.path))
      throw new BrokenChainError(`${last.path} has no header`);
    rmSync(last.path);
    return { file: undefined, chain: createChain(), seq: 0, unsigned: 0 };
  }
  const chain = createChain(header.previous);
  let seq = header.firstSeq - 1;
  let entries = 0;
  let unsigned = 0;
  let bytes = 0;
  for (const { stored, seq: said, offset } of entriesOfSegment(last, writer, {})) {
    if (said !== seq + 1 || !hasPrefix(stored, 0, stored.length))
      throw new BrokenChainError(`${last.path} has no entry ${seq + 1}`);
    const line = Buffer.from(stored);
    chain.add(line, prefixBytes, line.length);
    if (line.toString('latin1', 0, linkCharacters) !== chain.linkText())
      throw new BrokenChainError(`${last.path} was changed at entry ${said}`);
    seq = said;
    entries++;
    unsigned = stored.includes('"event":"audit.checkpoint"') ? 0 : unsigned + 1;
    bytes = offset + stored.length + 1;
  }
  const file = reopenSegment(last, header, bytes, entries) ?? next(last, header, chain, seq);
  return { file, chain, seq, unsigned };

  function next(closed: Segment, { number }: SegmentHeader, { head }: Chain, last: number): OpenFile {
    const given = { writer, number: number + 1, previous: head(), firstSeq: last + 1, time: Date.now() };
    onFull(closed);
    return createSegment(join(directory, writer), given);
  }
}

/** Of all but this one. */
function headsBeside(directory: string, writer: string): Readonly<Record<string, WriterHead>> {
  const others = writersOf(directory).filter((name) => name !== writer);
  return Object.fromEntries(
    others.flatMap((name) => {
      const last = lastEntryOf(directory, name);
      return last ? [[name, { seq: last.seq, link: last.stored.toString('latin1', 0, linkCharacters) }]] : [];
    }),
  );
}
