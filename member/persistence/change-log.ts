import { closeSync, fdatasync, ftruncate, open, write as writeFile } from 'node:fs';
import { promisify } from 'node:util';
import { createSerial } from '../../platform/async/serial.ts';
import { syncDirectory } from '../../platform/files/durable-file.ts';
import type { DataDirectory } from './directory.ts';
import { bounds, type Operation } from './operations.ts';
import { privateFile } from './private-files.ts';

/**
 * What has changed since the last state was written: files that are only appended to, one after the other. What is
 * appended outlives the process at once, and after a flush the machine's stop as well.
 */
export interface ChangeLog {
  /** What the logs have together. */
  readonly bytes: number;
  /** Whether the disk may have lost some of it, so that a new state is due. */
  readonly isInDoubt: boolean;
  /** What a stop of the machine would lose. */
  readonly unflushedBytes: number;
  /**
   * Writes all or none, in the order of the calls; a disk that stands still holds up nobody else.
   *
   * @throws {NodeJS.ErrnoException} as a rejection
   */
  append(operations: readonly Operation[]): Promise<void>;
  /**
   * Resolves when the disk has all that was appended before.
   *
   * @throws {Error} when it may have lost some: from then on, until a new state has it
   */
  flush(): Promise<void>;
  /** Ends the file, and begins another one. */
  turn(): Promise<EndedLog>;
  /** The logs up to that number, of so many bytes together, have been removed: a state has what they had. */
  removed(upTo: number, bytes: number): Promise<void>;
  /** @returns whether the disk has all of it, and the mark of its end */
  close(): Promise<boolean>;
}

/** The last log of several. */
export interface EndedLog {
  readonly number: number;
  /** What it and those before it have together. */
  readonly bytes: number;
}

interface LogFile {
  readonly number: number;
  readonly descriptor: number;
  end: number;
  flushed: number;
  /** Whether the disk has its name. */
  isNamed: boolean;
}

const flushData = promisify(fdatasync);
const openFile = promisify(open);
const truncate = promisify(ftruncate);
const writeAt = promisify(writeFile);

/** @param last  the log to go on with, and where; `bytes` is what all of them have */
export async function openChangeLog(
  directory: DataDirectory,
  last: { readonly number: number; readonly end: number; readonly bytes: number } | undefined,
): Promise<ChangeLog> {
  let files: LogFile[] = [];
  let bytes = last?.bytes ?? 0;
  /** The file of which some may be lost: nothing that follows it could be read back. */
  let inDoubt: LogFile | undefined;
  const inOrder = createSerial();
  const flushInOrder = createSerial();

  if (last === undefined || last.end === 0) await begin(last?.number ?? 1);
  else {
    const descriptor = await openFile(directory.log(last.number), 'r+');
    await truncate(descriptor, last.end);
    files.push({ number: last.number, descriptor, end: last.end, flushed: 0, isNamed: true });
  }

  const current = (): LogFile => files.at(-1)!;

  async function begin(number: number): Promise<void> {
    const descriptor = await openFile(directory.log(number), 'w', privateFile);
    const file = { number, descriptor, end: 0, flushed: 0, isNamed: false };
    try {
      await write(file, bounds.begin);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    files.push(file);
  }

  async function write(file: LogFile, operations: Buffer): Promise<void> {
    let written = 0;
    try {
      while (written < operations.length) {
        const left = operations.length - written;
        const { bytesWritten } = await writeAt(
          file.descriptor,
          operations,
          written,
          left,
          file.end + written,
        );
        written += bytesWritten;
      }
    } catch (error) {
      if (written > 0) await truncate(file.descriptor, file.end);
      throw error;
    }
    file.end += written;
    bytes += written;
  }

  async function turnNow(): Promise<EndedLog> {
    const ended = current();
    await write(ended, bounds.end);
    const ofAll = bytes;
    try {
      await begin(ended.number + 1);
    } catch (error) {
      await takeBack(ended, bounds.end.length);
      throw error;
    }
    return { number: ended.number, bytes: ofAll };
  }

  async function takeBack(file: LogFile, some: number): Promise<void> {
    file.end -= some;
    bytes -= some;
    await truncate(file.descriptor, file.end);
  }

  async function flushAll(): Promise<void> {
    if (inDoubt !== undefined)
      throw new Error('some may be lost of what was written before: a new state is due');
    for (const file of files) {
      const { end, descriptor } = file;
      if (file.flushed === end) continue;
      await flushData(descriptor);
      if (!file.isNamed) await syncDirectory(directory.data);
      file.isNamed = true;
      file.flushed = end;
    }
    close((file) => file !== current() && file.flushed === file.end);
  }

  function close(isOver: (file: LogFile) => boolean): void {
    for (const { descriptor } of files.filter(isOver)) closeSync(descriptor);
    files = files.filter((file) => !isOver(file));
  }

  const flush = () =>
    flushInOrder(() =>
      flushAll().catch((error) => {
        inDoubt ??= current();
        throw error;
      }),
    );

  return {
    get bytes() {
      return bytes;
    },
    get isInDoubt() {
      return inDoubt !== undefined;
    },
    get unflushedBytes() {
      return files.reduce((sum, { end, flushed }) => sum + end - flushed, 0);
    },
    append: (operations) =>
      inOrder(async () => {
        if (operations.length === 0) return;
        if (inDoubt === current()) await turnNow();
        await write(current(), operations.length === 1 ? operations[0]! : Buffer.concat(operations));
      }),
    flush,
    turn: () => inOrder(turnNow),
    removed: (upTo, some) =>
      flushInOrder(async () => {
        bytes -= some;
        close(({ number }) => number <= upTo);
        if (inDoubt !== undefined && inDoubt.number <= upTo) inDoubt = undefined;
      }),
    async close() {
      try {
        await inOrder(() => write(current(), bounds.end));
        await flush();
        return true;
      } catch {
        return false; // the next start finds it as after a kill
      } finally {
        close(() => true);
      }
    },
  };
}
