/** When the whole store was looked through last, and what was found: a start need not do so again the same day. */
import type { DamageCount } from '../../storage.ts';
import type { Environment } from './lmdb-environment.ts';
import { countDamaged } from './store-check.ts';

const key = ['damage-count'];

/** @param now  epoch milliseconds */
export function createDamageCount(environment: Environment, now: () => number) {
  const store = environment.database<DamageCount | undefined>('store');
  return {
    lastDamageCount: (): DamageCount | undefined => environment.read(() => store.get(key)),
    async countDamaged(signal?: AbortSignal): Promise<number> {
      const damaged = await countDamaged(environment, signal);
      // Of a store that takes no writes the next start looks again.
      if (!signal?.aborted) {
        await environment.write(() => store.put(key, { damaged, endedAt: now() })).catch(() => {});
      }
      return damaged;
    },
  };
}

/** What was counted of the store that a copy was made of says nothing about the disk of the copy. */
export async function forgetDamageCount(environment: Environment): Promise<void> {
  await environment.write(() => environment.database('store').remove(key));
}
