/** Records that were read and are right by themselves, on the disk until all of them are checked. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { linesOf } from './sources/lines.ts';
import type { Fields } from './sources/source.ts';

export interface SpooledRecord {
  readonly line: number;
  readonly fields: Fields;
}

export interface Spool {
  add(record: SpooledRecord): Promise<void>;
  /** To be called before they are read. */
  finish(): Promise<void>;
  read(): AsyncGenerator<SpooledRecord>;
  /** Idempotent. */
  close(): Promise<void>;
}

const bufferedCharacters = 262_144;

export async function createSpool(path: string): Promise<Spool> {
  const file = await open(path, 'wx', 0o600);
  const writer = createTextWriter(file);
  return {
    close: () => file.close(),
    add: ({ line, fields }) => writer.write(`${JSON.stringify({ line, fields })}\n`),
    finish: () => writer.close(),
    async *read() {
      for await (const { bytes } of linesOf(createReadStream(path)))
        yield JSON.parse(bytes!.toString('utf8'));
    },
  };
}

export interface TextWriter {
  write(text: string): Promise<void>;
  /** What was written is on the disk. */
  close(): Promise<void>;
}

/** Writes some hundred kilobytes at a time. */
export function createTextWriter(file: FileHandle): TextWriter {
  let waiting: string[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    const text = waiting.join('');
    waiting = [];
    characters = 0;
    // Unlike `write`, it goes on until all of it is written, or says what is wrong.
    await file.appendFile(text);
  }

  return {
    async write(text) {
      waiting.push(text);
      characters += text.length;
      if (characters > bufferedCharacters) await flush();
    },
    async close() {
      try {
        await flush();
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}
