import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MemberLog } from '../log.ts';
import { makePrivateDirectory } from './private-files.ts';

export interface BackupsDeps {
  readonly backupDir: string;
  /** Copies one consistent state into a directory that is not there yet; `false` when it was interrupted. */
  readonly copy: (directory: string, interruption: AbortSignal) => Promise<boolean>;
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
export function createBackups({ backupDir, copy, log, now }: BackupsDeps): Backups {
  let running: { readonly end: Promise<void>; readonly interruption: AbortController } | undefined;

  async function run(directory: string, interruption: AbortSignal): Promise<void> {
    const partial = `${directory}.partial`;
    try {
      makePrivateDirectory(partial);
      const isComplete = await copy(join(partial, 'store'), interruption);
      if (isComplete) {
        renameSync(partial, directory);
        log.info({ directory }, 'backup written');
        return;
      }
      log.warn({ directory }, 'backup interrupted');
    } catch (error) {
      log.error({ err: error, directory }, 'backup failed');
    }
    rmSync(partial, { recursive: true, force: true });
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
