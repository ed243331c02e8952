import { type DiskState, diskStateOf } from '../disk-state.ts';
import { StorageRejectedError } from '../storage.ts';

const advice: Readonly<Record<DiskState, string>> = {
  read_only:
    'its file system is mounted read-only. The system log (dmesg) may say why; mount it writable again and start anew',
  full: 'there is no room left, or no inode (df -h, df -i). Make room and start anew',
  limit: 'the limit on the size of files (ulimit -f) is too small. Raise it and start anew',
  no_permission:
    'this process may not write there. Start it as the user that owns the directory, or give that to this user',
};

/** @returns what to tell instead of `error` when the disk is to blame: nothing is damaged then */
export function errorOfDisk(error: unknown, dataDir: string): StorageRejectedError | undefined {
  const state = diskStateOf(error);
  if (!state || error instanceof StorageRejectedError) return undefined;
  const message = `${dataDir} cannot be written: ${advice[state]}. What is stored there is not damaged`;
  return new StorageRejectedError(state, message, { cause: error });
}
