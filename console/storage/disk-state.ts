/** What keeps a disk from taking writes, told apart from damage: following the advice for one of the others loses data. */

/** `full`: bytes, inodes or quota; `limit`: RLIMIT_FSIZE of the process. */
export type DiskState = 'read_only' | 'full' | 'limit' | 'no_permission';

const states: Readonly<Record<string, DiskState>> = {
  EROFS: 'read_only',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'limit',
  EACCES: 'no_permission',
  EPERM: 'no_permission',
  // As a database says them (SQLSTATE).
  '53100': 'full',
  '25006': 'read_only',
};

/** The same as LMDB says them: by number, Linux. */
const numbers: Readonly<Record<number, string>> = {
  1: 'EPERM',
  13: 'EACCES',
  27: 'EFBIG',
  28: 'ENOSPC',
  30: 'EROFS',
  122: 'EDQUOT',
};

/** @returns undefined when neither the error nor what caused it is of the disk */
export function diskStateOf(error: unknown): DiskState | undefined {
  for (let reason = error; reason instanceof Error; reason = reason.cause) {
    const { code } = reason as { code?: string | number };
    const state = states[typeof code === 'number' ? (numbers[code] ?? '') : (code ?? '')];
    if (state) return state;
  }
  return undefined;
}

export function isDiskError(error: unknown): boolean {
  return diskStateOf(error) !== undefined;
}
