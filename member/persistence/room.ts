import { statfsSync } from 'node:fs';

/** There is too little room on the disk for a write; it was not begun. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

/** Beside the records: the pages above them in the tree, the list of free pages, the heads. */
const spareBytes = 1024 * 1024;
/** A record fills its last page in part, and pages are copied before they are changed. */
const growth = 4;
/** With so much room it is enough to look from time to time. */
const plentyBytes = 256 * 1024 * 1024;
const lookMs = 100;

/**
 * Looks for room before LMDB writes, since LMDB must not find out by itself: lmdb 3.5.6 writes its
 * message about a full disk beyond the end of the memory it has for it, which ends the process sooner
 * or later.
 *
 * @returns a check that throws {@link NoRoomError} unless `bytes` of records may be written
 */
export function createRoomCheck(directory: string): (bytes: number) => void {
  let known = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;

  return function checkRoom(bytes) {
    const needed = bytes * growth + spareBytes;
    const now = performance.now();
    if (known - needed < plentyBytes || now - lookedAt > lookMs) {
      const { bavail, bsize } = statfsSync(directory);
      known = bavail * bsize;
      lookedAt = now;
    }
    if (known < needed) {
      throw new NoRoomError(
        `${directory}: ${known} bytes are free on its disk, ${needed} are needed for this write`,
      );
    }
    known -= needed;
  };
}
