/** Sorts more than fits into memory: sorted runs in files, merged when they are read. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOf } from './sources/lines.ts';

/** Of one run, as long as it is in memory. */
const mostCharacters = 2_000_000;
const blockSize = 5000;

export interface SortedRuns {
  /** @param entry  without a line's end */
  add(entry: string): Promise<void>;
  /** All of them, sorted by their code units, block by block; afterwards nothing is added. */
  sorted(): AsyncGenerator<readonly string[]>;
}

/** @param name  of the files, within `directory` */
export function createSortedRuns(directory: string, name: string): SortedRuns {
  const files: string[] = [];
  let entries: string[] = [];
  let characters = 0;

  async function write(): Promise<void> {
    const file = join(directory, `${name}-${files.length}`);
    files.push(file);
    await writeFile(file, `${entries.sort().join('\n')}\n`, { mode: 0o600 });
    entries = [];
    characters = 0;
  }

  return {
    async add(entry) {
      entries.push(entry);
      characters += entry.length;
      if (characters > mostCharacters) await write();
    },
    async *sorted() {
      if (files.length === 0) {
        yield entries.sort();
        return;
      }
      if (entries.length > 0) await write();
      yield* merged(files.map(createCursor));
    },
  };
}

interface Cursor {
  /** The entry that comes next; undefined at the end. */
  head(): string | undefined;
  /** To be awaited only when it returns something. */
  advance(): Promise<void> | undefined;
}

async function* merged(cursors: readonly Cursor[]): AsyncGenerator<readonly string[]> {
  for (const cursor of cursors) await cursor.advance();
  let block: string[] = [];
  for (;;) {
    const least = leastOf(cursors);
    if (!least) break;
    block.push(least.head()!);
    const waiting = least.advance();
    if (waiting) await waiting;
    if (block.length === blockSize) {
      yield block;
      block = [];
    }
  }
  yield block;
}

function leastOf(cursors: readonly Cursor[]): Cursor | undefined {
  let least: Cursor | undefined;
  for (const cursor of cursors) {
    const head = cursor.head();
    if (head !== undefined && (least === undefined || head < least.head()!)) least = cursor;
  }
  return least;
}

function createCursor(file: string): Cursor {
  const blocks = blocksOf(file);
  let block: readonly string[] = [];
  let at = 0;

  async function refill(): Promise<void> {
    const { value } = await blocks.next();
    block = value ?? [];
    at = 0;
  }

  return {
    head: () => block[at],
    advance: () => (++at < block.length ? undefined : refill()),
  };
}

async function* blocksOf(file: string): AsyncGenerator<readonly string[], undefined> {
  let block: string[] = [];
  for await (const { bytes } of linesOf(createReadStream(file))) {
    block.push(bytes!.toString('utf8'));
    if (block.length < 500) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
  return undefined;
}
