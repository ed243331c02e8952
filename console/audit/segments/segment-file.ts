/** The file of the segment that is written: made, opened again, and written whole or not at all. Calls wait for the disk. */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { headerLine, type Segment, type SegmentHeader, segmentFile } from './segment-form.ts';

export interface OpenFile {
  readonly descriptor: number;
  readonly header: SegmentHeader;
  /** That are good. */
  readonly bytes: number;
  readonly entries: number;
}

/** Cut off behind what is good. @returns undefined when it is closed already */
export function reopenSegment(
  { path }: Segment,
  header: SegmentHeader,
  bytes: number,
  entries: number,
): OpenFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const good = entries === 0 ? Buffer.byteLength(headerLine(header)) : bytes;
  if (fstatSync(descriptor).size !== good) ftruncateSync(descriptor, good);
  return { descriptor, header, bytes: good, entries };
}

/** With its first line, on the disk. @throws {Error} of the disk: nothing is left of it */
export function createSegment(directory: string, header: SegmentHeader): OpenFile {
  const path = join(directory, segmentFile(header.number));
  // What a failed try has left.
  rmSync(path, { force: true });
  const descriptor = openSync(path, 'wx+', 0o600);
  try {
    const bytes = Buffer.from(headerLine(header));
    writeWhole(descriptor, bytes, 0);
    fdatasyncSync(descriptor);
    syncFolder(directory);
    return { descriptor, header, bytes: bytes.length, entries: 0 };
  } catch (error) {
    closeSync(descriptor);
    rmSync(path, { force: true });
    throw error;
  }
}

function syncFolder(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** All of it, or what was there before. @param at  where it begins */
export function writeWhole(descriptor: number, bytes: Buffer, at: number): void {
  let written = 0;
  try {
    while (written < bytes.length)
      written += writeSync(descriptor, bytes, written, bytes.length - written, at + written);
  } catch (error) {
    ftruncateSync(descriptor, at);
    throw error;
  }
}

/** Nothing but a part of a first line. */
export function isEmptyFile(path: string): boolean {
  const descriptor = openSync(path, 'r');
  try {
    return fstatSync(descriptor).size < 64;
  } finally {
    closeSync(descriptor);
  }
}
