import { statfsSync } from 'node:fs';
import { type DiskState, diskStateOf } from '../disk-state.ts';
import { StorageRejectedError } from '../storage.ts';

const advice: Readonly<Record<Exclude<DiskState, 'full'>, string>> = {
  read_only:
    'its file system is mounted read-only. The system log (dmesg) may say why; mount it writable again and start anew',
  limit: 'the limit on the size of files (ulimit -f) is too small. Raise it and start anew',
  no_permission:
    'this process may not write there. Start it as the user that owns the directory, or give that to this user',
};

/** @returns what to tell instead of `error` when the disk is to blame: nothing is damaged then */
export function errorOfDisk(error: unknown, dataDir: string): StorageRejectedError | undefined {
  const state = diskStateOf(error);
  if (!state || error instanceof StorageRejectedError) return undefined;
  const what = state === 'full' ? whatIsFull(dataDir) : advice[state];
  const message = `${dataDir} cannot be written: ${what}. What is stored there is not damaged`;
  return new StorageRejectedError(state, message, { cause: error });
}

const littleBytes = 1024 * 1024;

/** ENOSPC means bytes or inodes; of quotas the file system says nothing. */
function whatIsFull(dataDir: string): string {
  const { bavail, bsize, files, ffree } = statfsSync(dataDir);
  if (files > 0 && ffree === 0) return 'no inode is left (df -i). Remove files there and start anew';
  if (bavail * bsize < littleBytes) return 'there is no room left (df -h). Make room and start anew';
  return 'there is no room left for it, or a quota is used up (df -h, df -i, quota). Make room and start anew';
}
