import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
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
   * Writes all or none.
   *
   * @throws {NodeJS.ErrnoException}
   */
  append(operations: readonly Operation[]): void;
  /**
   * Resolves when the disk has all that was appended before.
   *
   * @throws {Error} when it may have lost some: from then on, until a new state has it
   */
  flush(): Promise<void>;
  /** Ends the file, and begins another one. @returns the number of the one that has ended */
  turn(): number;
  /** The logs up to that number, of so many bytes together, have been removed: a state has what they had. */
  removed(upTo: number, bytes: number): Promise<void>;
  /** @returns whether the disk has all of it, and the mark of its end */
  close(): Promise<boolean>;
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

/** @param last  the log to go on with, and where; `bytes` is what all of them have */
export function openChangeLog(
  directory: DataDirectory,
  last: { readonly number: number; readonly end: number; readonly bytes: number } | undefined,
): ChangeLog {
  let files: LogFile[] = [];
  let bytes = last?.bytes ?? 0;
  /** The file of which some may be lost: nothing that follows it could be read back. */
  let inDoubt: LogFile | undefined;
  let line: Promise<void> = Promise.resolve();

  if (last === undefined || last.end === 0) begin(last?.number ?? 1);
  else {
    const descriptor = openSync(directory.log(last.number), 'r+');
    ftruncateSync(descriptor, last.end);
    files.push({ number: last.number, descriptor, end: last.end, flushed: 0, isNamed: true });
  }

  const current = (): LogFile => files.at(-1)!;

  function begin(number: number): void {
    const descriptor = openSync(directory.log(number), 'w', privateFile);
    const file = { number, descriptor, end: 0, flushed: 0, isNamed: false };
    try {
      write(file, bounds.begin);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    files.push(file);
  }

  function write(file: LogFile, operations: Buffer): void {
    let written = 0;
    try {
      while (written < operations.length)
        written += writeSync(
          file.descriptor,
          operations,
          written,
          operations.length - written,
          file.end + written,
        );
    } catch (error) {
      if (written > 0) ftruncateSync(file.descriptor, file.end);
      throw error;
    }
    file.end += written;
    bytes += written;
  }

  function turn(): number {
    const ended = current();
    write(ended, bounds.end);
    try {
      begin(ended.number + 1);
    } catch (error) {
      takeBack(ended, bounds.end.length);
      throw error;
    }
    return ended.number;
  }

  function takeBack(file: LogFile, some: number): void {
    file.end -= some;
    bytes -= some;
    ftruncateSync(file.descriptor, file.end);
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

  function inTurn(work: () => void | Promise<void>): Promise<void> {
    const done = line.then(work);
    line = done.catch(() => {});
    return done;
  }

  const flush = () =>
    inTurn(() =>
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
    append(operations) {
      if (operations.length === 0) return;
      if (inDoubt === current()) turn();
      write(current(), operations.length === 1 ? operations[0]! : Buffer.concat(operations));
    },
    flush,
    turn,
    removed: (upTo, some) =>
      inTurn(() => {
        bytes -= some;
        close(({ number }) => number <= upTo);
        if (inDoubt !== undefined && inDoubt.number <= upTo) inDoubt = undefined;
      }),
    async close() {
      try {
        write(current(), bounds.end);
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
