/**
 * The audit trail on the disk: each line of the console's audit, whether anybody reads the log or not (S100). One
 * JSON line an event in `audit/audit.jsonl` of the data directory, appended by other threads and synced once a
 * second; a file that is full is put aside, and the oldest of many goes.
 */
import { appendFileSync, write as writeToDescriptor } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Faults } from '../../platform/faults.ts';
import type { Logger } from '../../platform/log.ts';

export interface AuditTrailDeps {
  /** There already, and the store's own. */
  readonly dataDir: string;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly faults: Pick<Faults, 'lostAuditLines'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bytes after which a file is put aside, and how many such files are kept. */
  readonly limits?: { readonly fileBytes: number; readonly files: number };
}

const currentFile = 'audit.jsonl';
/** Lines that come within this time are written together: a write costs more than twenty of them. */
const gatherMs = 20;
const syncEveryMs = 1000;
const retryMs = 1000;
/** Of a disk that has taken nothing for long; what comes on top is counted as lost. */
const mostWaitingCharacters = 64 * 1024 * 1024;

/** Never throws: where the disk takes nothing, lines wait in memory and the log says so. */
export function openAuditTrail({
  dataDir,
  log,
  faults,
  now,
  limits = { fileBytes: 64 * 1024 * 1024, files: 16 },
}: AuditTrailDeps) {
  const directory = join(dataDir, 'audit');
  const path = join(directory, currentFile);
  let waiting = '';
  let file: FileHandle | undefined;
  let fileBytes = 0;
  let isSynced = true;
  let syncedAt = Number.NEGATIVE_INFINITY;
  let work: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  let isClosed = false;

  const atExit = () => {
    // What a thread writes at this moment is written all the same.
    if (waiting !== '') appendFileSync(path, waiting, { mode: 0o600 });
  };
  process.once('exit', atExit);

  return {
    /** @param line  one event, or several, each with its line end */
    write(line: string) {
      if (waiting.length > mostWaitingCharacters) {
        faults.lostAuditLines += line.split('\n').length - 1;
        return;
      }
      waiting += line;
      if (!work && !isFailing) begin();
    },
    /** Writes and syncs what waits. */
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await work;
      await writeAll();
      await forgetFile();
      process.off('exit', atExit);
    },
  };

  function begin(): void {
    work = writeAll().finally(() => {
      work = undefined;
      if (waiting !== '' && !isFailing && !isClosed) begin();
    });
  }

  async function writeAll(): Promise<void> {
    try {
      if (!isClosed) await delay(gatherMs);
      await writeWaiting();
      await sync();
      if (isFailing) log.info('the audit trail is written again');
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        log.error({ err: error }, 'the audit trail cannot be written: its lines wait in memory');
      isFailing = true;
      await forgetFile();
      later(retryMs);
    }
  }

  async function writeWaiting(): Promise<void> {
    while (waiting !== '') {
      file ??= await openCurrent();
      const text = waiting;
      waiting = '';
      const bytes = Buffer.from(text);
      try {
        await writeAllOf(bytes, file);
      } catch (error) {
        // From the beginning, on a line of its own: a reader leaves out what is there in part.
        waiting = text + waiting;
        throw error;
      }
      fileBytes += bytes.length;
      isSynced = false;
      if (fileBytes >= limits.fileBytes) await putAside();
    }
  }

  /** At most once a second: who asks for tokens each millisecond must not sync as often. */
  async function sync(): Promise<void> {
    if (isSynced) return;
    const due = syncedAt + syncEveryMs - performance.now();
    if (due > 0 && !isClosed) {
      later(due);
      return;
    }
    await file?.datasync();
    isSynced = true;
    syncedAt = performance.now();
  }

  function later(ms: number): void {
    if (isClosed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!work) begin();
    }, ms).unref();
  }

  async function openCurrent(): Promise<FileHandle> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const opened = await open(path, 'a+', 0o600);
    fileBytes = (await opened.stat()).size;
    // A killed process may have left half a line.
    if (fileBytes > 0 && (await lastByteOf(opened, fileBytes)) !== lineEnd) await opened.appendFile('\n');
    return opened;
  }

  async function putAside(): Promise<void> {
    await file?.datasync();
    await forgetFile();
    await rename(
      path,
      join(directory, `audit-${new Date(now()).toISOString().replaceAll(/[-:.]/g, '')}.jsonl`),
    );
    const aside = (await readdir(directory)).filter((name) => /^audit-.*\.jsonl$/.test(name)).sort();
    for (const name of aside.slice(0, Math.max(0, aside.length - limits.files))) {
      await rm(join(directory, name), { force: true });
    }
  }

  async function forgetFile(): Promise<void> {
    const closing = file;
    file = undefined;
    await closing?.close().catch(() => {});
  }
}

/** By the plain call: what promises and file handles add to it costs more than the lines. */
function writeAllOf(bytes: Buffer, { fd }: FileHandle): Promise<void> {
  return new Promise((resolve, reject) => {
    writeRest(0);

    function writeRest(from: number): void {
      writeToDescriptor(fd, bytes, from, bytes.length - from, null, (error, written) => {
        if (error) reject(error);
        else if (from + written < bytes.length) writeRest(from + written);
        else resolve();
      });
    }
  });
}

const lineEnd = 0x0a;

async function lastByteOf(file: FileHandle, bytes: number): Promise<number | undefined> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, bytes - 1);
  return buffer[0];
}
