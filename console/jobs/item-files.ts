/**
 * Items that were taken out of queues, kept in files until somebody has fetched them: a line of JSON for each, encrypted
 * where there is an encryption key (S79). A line is on the disk before the next item is taken.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../../platform/files/durable-file.ts';

export interface ItemFilesDeps {
  readonly dataDir: string;
  readonly cipher: {
    encrypt(text: string, label: string): string;
    open(stored: string, label: string): string;
  };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** As members had it. */
export interface TakenItem {
  /** Media type that was stored with it. */
  readonly type?: string | undefined;
  readonly bytes: Buffer;
}

export interface ItemFile {
  /** @returns when it is on the disk. @throws when it could not be written: the file is as before then */
  append(item: TakenItem): Promise<void>;
  /** Items, and the bytes of their lines. */
  size(): ItemsSize;
  close(): Promise<void>;
}

export interface ItemsSize {
  readonly items: number;
  readonly bytes: number;
}

/** So long after the last item they are kept. */
export const storedMs = 24 * 3_600_000;
const sweepMs = 600_000;
const namePattern = /^job_[0-9a-f]{32}$/;

export type ItemFiles = ReturnType<typeof createItemFiles>;

export function createItemFiles({ dataDir, cipher, now }: ItemFilesDeps) {
  const folder = join(dataDir, 'queue-items');
  const pathOf = (jobId: string) => join(folder, jobId);

  return {
    /** @throws where it cannot be made, or is there already */
    async begin(jobId: string): Promise<ItemFile> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const handle = await open(pathOf(jobId), 'wx', 0o600);
      await syncDirectory(folder);
      return appending(handle, (text, line) => cipher.encrypt(text, labelOf(jobId, line)));
    },
    /** Of one that nobody writes to any more; undefined where there is none, and for one without items. */
    async measure(jobId: string): Promise<ItemsSize | undefined> {
      const size = { items: 0, bytes: 0 };
      if ((await endOf(jobId)) === undefined) return undefined;
      for await (const text of read(jobId)) {
        size.items++;
        size.bytes += Buffer.byteLength(text);
      }
      return size.items === 0 ? undefined : size;
    },
    /** When it is removed by itself, epoch milliseconds; undefined where it is not there, or not any more. */
    endOf,
    /** Line by line, as whoever fetches it gets it. @throws {DecryptionError} with another key than that it was written with */
    read,
    /** @returns whether it was there */
    async remove(jobId: string): Promise<boolean> {
      const isThere = (await endOf(jobId)) !== undefined;
      await rm(pathOf(jobId), { force: true });
      if (isThere) await syncDirectory(folder);
      return isThere;
    },
    sweep,
    /** Removes what is too old now and then. @returns ends it */
    startSweeping(log: { warn(fields: object, message: string): void }): () => void {
      const run = () =>
        void sweep().catch((err: unknown) => log.warn({ err }, 'old files of items cannot be removed'));
      run();
      const timer = setInterval(run, sweepMs).unref();
      return () => clearInterval(timer);
    },
  };

  async function endOf(jobId: string): Promise<number | undefined> {
    const found = await stat(pathOf(jobId)).catch(unlessMissing);
    const end = found && Math.floor(found.mtimeMs) + storedMs;
    return end !== undefined && end > now() ? end : undefined;
  }

  async function* read(jobId: string): AsyncGenerator<string, void> {
    let line = 0;
    for await (const stored of wholeLines(pathOf(jobId))) {
      yield `${cipher.open(stored, labelOf(jobId, line++))}\n`;
    }
  }

  async function sweep(): Promise<void> {
    const names = await readdir(folder).catch(unlessMissing);
    for (const name of names ?? []) {
      if (namePattern.test(name) && (await endOf(name)) === undefined)
        await rm(pathOf(name), { force: true });
    }
  }
}

export function lineOf({ type, bytes }: TakenItem): string {
  return JSON.stringify({ type: type ?? null, value: bytes.toString('base64') });
}

/** A line is opened at its place in its file alone. */
export function labelOf(jobId: string, line: number): string {
  return `line ${line + 1} of the items of ${jobId}`;
}

function appending(handle: FileHandle, encrypted: (text: string, line: number) => string): ItemFile {
  let [items, bytes, length] = [0, 0, 0];
  return {
    async append(item) {
      const text = lineOf(item);
      const line = Buffer.from(`${encrypted(text, items)}\n`);
      try {
        await handle.appendFile(line);
        await handle.datasync();
      } catch (error) {
        // What came through of it would spoil the next line.
        await handle.truncate(length).catch(() => {});
        throw error;
      }
      length += line.length;
      items += 1;
      bytes += Buffer.byteLength(text) + 1;
    },
    size: () => ({ items, bytes }),
    close: () => handle.close(),
  };
}

/** What a kill has cut off at the end is none. */
async function* wholeLines(path: string): AsyncGenerator<string, void> {
  let before: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const parts = chunk.split('\n');
    before.push(parts[0]!);
    if (parts.length === 1) continue;
    yield before.join('');
    yield* parts.slice(1, -1);
    before = [parts.at(-1)!];
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
