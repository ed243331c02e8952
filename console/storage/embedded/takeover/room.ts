import { stat, statfs } from 'node:fs/promises';
import { StorageRejectedError } from '../../storage.ts';
import type { StoreFiles } from '../store-files.ts';

/** A backup, and what is built beside the old store, which grows a little by its indexes. */
const factor = { withBackup: 2.5, withoutBackup: 1.5 } as const;

/** @throws {StorageRejectedError} `full`, before anything is written */
export async function checkRoomFor(
  { dataDir, registry, artifactsData }: StoreFiles,
  kind: keyof typeof factor,
): Promise<void> {
  const sizes = await Promise.all([registry, artifactsData].map(async (file) => (await stat(file)).size));
  const needed = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) * factor[kind]);
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new StorageRejectedError(
    'full',
    `${dataDir} holds a store of an earlier release. To take it over, with a backup first, ${megabytes(needed)} MiB ` +
      `have to be free there, and there are ${megabytes(free)} (df -h). Make room and start anew; nothing was changed`,
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}
