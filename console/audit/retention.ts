/** Throws away whole files whose time has come, oldest first, and has an entry say so before. */
import { rmSync, statSync } from 'node:fs';
import { hashText } from './chain.ts';
import type { EntryFields } from './entry.ts';
import { closedEnding, type Segment, type SegmentHeader } from './segments/segment-form.ts';
import { segmentsOf, writersOf } from './segments/segment-reader.ts';

export interface RetentionLimits {
  /** Older files go; absent: at any age they stay. */
  readonly days?: number | undefined;
  /** Oldest files go until those of all writers together are no larger; absent: of any size. */
  readonly bytes?: number | undefined;
}

/** Files of one writer that go together. */
export interface Expired {
  readonly paths: readonly string[];
  /** What is said of it: the first that stays goes on from there. */
  readonly entry: EntryFields;
}

interface ClosedFile {
  readonly writer: string;
  readonly segment: Segment;
  /** Begins where this one ends. */
  readonly next: SegmentHeader;
  readonly bytes: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/** @param now  epoch milliseconds. @returns nothing has been removed yet */
export function expiredIn(
  directory: string,
  { days, bytes }: RetentionLimits,
  now: number,
): readonly Expired[] {
  const closed = writersOf(directory).flatMap((writer) => closedOf(directory, writer));
  const oldest = closed.toSorted((a, b) => a.next.time - b.next.time);
  let left = oldest.reduce((sum, file) => sum + file.bytes, 0);
  const gone = oldest.filter((file) => {
    // Its last entry is older than the file behind it.
    const isOld = days !== undefined && file.next.time < now - days * dayMs;
    if (!isOld && (bytes === undefined || left <= bytes)) return false;
    left -= file.bytes;
    return true;
  });
  return [...new Set(gone.map(({ writer }) => writer))].map((writer) =>
    expiredOf(
      writer,
      gone.filter((file) => file.writer === writer),
    ),
  );
}

function expiredOf(writer: string, files: readonly ClosedFile[]): Expired {
  const { next } = files.at(-1)!;
  const detail = { writer, seq: next.firstSeq - 1, c: hashText(next.previous), files: files.length };
  return {
    paths: files.map(({ segment }) => segment.path + closedEnding),
    entry: { event: 'audit.retention', outcome: 'success', actor: { kind: 'system', id: 'console' }, detail },
  };
}

/** Those behind which there is another one; the last one is still written. */
function closedOf(directory: string, writer: string): readonly ClosedFile[] {
  const segments = segmentsOf(directory, writer);
  return segments.flatMap((segment, i) => {
    const next = segments[i + 1]?.header;
    const bytes = next && sizeOf(segment.path + closedEnding);
    return next && bytes !== undefined ? [{ writer, segment, next, bytes }] : [];
  });
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

export function remove({ paths }: Expired): void {
  for (const path of paths) rmSync(path, { force: true });
}
