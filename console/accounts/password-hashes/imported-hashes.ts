/** The imported hash that costs the most to check: every failed sign-in takes as long (S28). */
import type { Registry } from '../../storage/storage.ts';
import { costOfHash, decoyOf, needsReplacing } from './hashes.ts';

const id = 'costliest-imported-hash';

/** @returns one that costs the same, and that nobody has a password for; undefined when none was ever imported */
export function costliestImportedHash(registry: Pick<Registry, 'get'>): string | undefined {
  return registry.get('settings', id)?.value as string | undefined;
}

/**
 * To be durable before the first of them can be signed in with.
 *
 * @param hashes  from `readHash`
 */
export async function recordImportedHashes(registry: Registry, hashes: readonly string[]): Promise<void> {
  const isCostlier = (hash: string, recorded: string | undefined) =>
    recorded === undefined || costOfHash(hash) > costOfHash(recorded);
  // Those that cost as much as our own change nothing.
  const costliest = costliestOf(hashes.filter(needsReplacing));
  if (costliest === undefined || !isCostlier(costliest, costliestImportedHash(registry))) return;
  await registry.update((transaction) => {
    const recorded = transaction.get('settings', id)?.value as string | undefined;
    if (isCostlier(costliest, recorded)) transaction.put('settings', { id, value: decoyOf(costliest) });
  });
}

/** @param hashes  from `readHash` */
export function costliestOf(hashes: readonly string[]): string | undefined {
  return hashes.reduce<string | undefined>(
    (most, hash) => (most === undefined || costOfHash(hash) > costOfHash(most) ? hash : most),
    undefined,
  );
}
