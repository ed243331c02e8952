/** Puts a closed form in the place of a segment that nobody writes any more: a reader meets one or the other. */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { syncDirectory } from '../../../platform/files/durable-file.ts';
import {
  blockEntries,
  blockOf,
  closedEnding,
  gzipMember,
  headerLine,
  type Segment,
  type SegmentHeader,
  tableMember,
} from './segment-form.ts';
import type { StoredEntry } from './segment-reader.ts';

export const temporaryEnding = '.tmp';

export interface CloseSegmentDeps {
  readonly segment: Segment;
  readonly header: SegmentHeader;
  /** All of it, in order. */
  readonly entries: Iterable<StoredEntry>;
  /** The line that takes the place of an entry's; by default each stays as it is. */
  readonly replaced?: (entry: StoredEntry) => string | undefined;
}

/** Between two blocks whoever shares the thread has a turn. What a killed process leaves of it is begun anew. */
export async function closeSegment(deps: CloseSegmentDeps): Promise<void> {
  const { path } = deps.segment;
  const temporary = `${path}${closedEnding}${temporaryEnding}`;
  const { O_CREAT, O_TRUNC, O_WRONLY } = constants;
  const file = await open(temporary, O_CREAT | O_TRUNC | O_WRONLY, 0o600);
  try {
    await writeClosed(file, deps);
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(temporary, path + closedEnding);
  await syncDirectory(dirname(path));
  await rm(path, { force: true });
}

async function writeClosed(file: FileHandle, { header, entries, replaced }: CloseSegmentDeps): Promise<void> {
  const offsets: number[] = [];
  let offset = 0;
  let lines: Buffer[] = [];
  let block = blockOf(header.firstSeq);
  let count = 0;
  await write(gzipMember(Buffer.from(headerLine(header))));
  for (const entry of entries) {
    if (blockOf(entry.seq) !== block || count === blockEntries) await writeBlock();
    block = blockOf(entry.seq);
    count++;
    const line = replaced?.(entry);
    lines.push(line === undefined ? entry.stored : Buffer.from(line), lineEnd);
  }
  await writeBlock();
  await write(tableMember(offsets));

  async function writeBlock(): Promise<void> {
    if (count === 0) return;
    offsets.push(offset);
    await write(gzipMember(Buffer.concat(lines)));
    lines = [];
    count = 0;
    await nextTurn();
  }

  async function write(bytes: Buffer): Promise<void> {
    await file.writeFile(bytes);
    offset += bytes.length;
  }
}

const lineEnd = Buffer.from('\n');
