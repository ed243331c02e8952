/** One console per data directory (S77). */

import { isAlive, ownIdentity, type ProcessIdentity } from '../../../platform/process/process-identity.ts';
import { StorageRejectedError } from '../storage.ts';
import type { Environment } from './lmdb/lmdb-environment.ts';

const key = ['console'];

/**
 * Takes the instance lock. Check and entry are one transaction; the entry of a process that was
 * killed counts for nothing, so the next start succeeds at once.
 *
 * @returns a function that gives the lock back
 * @throws {StorageRejectedError} `locked`
 */
export async function takeInstanceLock(
  environment: Environment,
  dataDir: string,
): Promise<() => Promise<void>> {
  const holders = environment.database<ProcessIdentity>('instance');
  await environment.write(() => {
    const holder = holders.get(key);
    if (holder && isAlive(holder)) {
      throw new StorageRejectedError(
        'locked',
        `another console (process ${holder.pid}) uses ${dataDir}: stop it, or choose another data directory`,
      );
    }
    holders.put(key, ownIdentity());
  });
  return () => environment.write(() => holders.remove(key));
}

/** Forgets a process that came along with a copied environment. */
export async function forgetInstanceLock(environment: Environment): Promise<void> {
  const holders = environment.database<ProcessIdentity>('instance');
  await environment.write(() => holders.remove(key));
}
