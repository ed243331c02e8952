import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MemberLog } from '../log.ts';
import type { DataFile } from './directory.ts';
import { makePrivateDirectory, privateFile } from './private-files.ts';

export interface BackupsDeps {
  readonly backupDir: string;
  /** Hands over the files that have everything up to now, which stay as they are meanwhile. */
  readonly withFiles: (work: (files: readonly DataFile[]) => Promise<void>) => Promise<void>;
  readonly log: Pick<MemberLog, 'info' | 'warn' | 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface Backups {
  /** Starts one; `false` while another one is being written. */
  start(): boolean;
  /** Ends the one that is being written, if any, and removes what it has written. */
  interrupt(): Promise<void>;
}

/**
 * Each backup is a directory `backup-<epoch milliseconds>`, whole when it has that name; a member that
 * has it as its `base-dir` starts with what it holds.
 */
export function createBackups({ backupDir, withFiles, log, now }: BackupsDeps): Backups {
  let running: { readonly end: Promise<void>; readonly interruption: AbortController } | undefined;

  async function run(directory: string, signal: AbortSignal): Promise<void> {
    const partial = `${directory}.partial`;
    try {
      const data = join(partial, 'data');
      makePrivateDirectory(data);
      await withFiles(async (files) => {
        for (const { path } of files) {
          const copy = createWriteStream(join(data, basename(path)), { mode: privateFile, flush: true });
          await pipeline(createReadStream(path), copy, { signal });
        }
      });
      signal.throwIfAborted();
      await rename(partial, directory);
      log.info({ directory }, 'backup written');
      return;
    } catch (error) {
      if (signal.aborted) log.warn({ directory }, 'backup interrupted');
      else log.error({ err: error, directory }, 'backup failed');
    }
    await rm(partial, { recursive: true, force: true });
  }

  return {
    start() {
      if (running !== undefined) return false;
      const directory = join(backupDir, `backup-${now()}`);
      const interruption = new AbortController();
      const end = run(directory, interruption.signal).finally(() => {
        running = undefined;
      });
      running = { end, interruption };
      return true;
    },
    async interrupt() {
      if (running === undefined) return;
      running.interruption.abort();
      await running.end;
    },
  };
}
