/** What the artifacts environment knows about the whole store. */

import { StorageRejectedError } from '../../storage.ts';
import type { Environment } from './lmdb-environment.ts';

/** Raised when an older console could no longer read the artifacts. 2: records have a sum; those of 1 are read. */
const formatVersion = 2;
const key = ['format'];

/**
 * The format is noted once the registry has been written, so its presence tells that there must be one.
 *
 * @returns whether this store was complete before, and whether its format has to be noted
 * @throws {StorageRejectedError} `newer`
 */
export function checkFormat(
  environment: Environment,
  path: string,
): { readonly isExpected: boolean; readonly isRecorded: boolean } {
  const found = environment.read(() => environment.database<number>('store').get(key));
  if (found !== undefined && found > formatVersion) {
    throw new StorageRejectedError(
      'newer',
      `${path} was written by a newer console (format ${found}, this one knows ${formatVersion}): ` +
        'start the newer console, or bring a backup back with: npx console restore <backup>',
    );
  }
  return { isExpected: found !== undefined, isRecorded: found === formatVersion };
}

export async function recordFormat(environment: Environment): Promise<void> {
  const store = environment.database<number>('store');
  await environment.write(() => store.put(key, formatVersion));
}
