/**
 * Checks of imported hashes take longer than those of our own, and end when their owners sign in: so every failure takes
 * as long as the costliest of them, or the time would say who is there (S28).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { costOfHash, decoyOf } from './hashes.ts';

/** So many of the last checks are remembered: a busy machine is slower. */
const remembered = 16;
/** No check takes exactly as long as the one before, and the longer ones must not stand out. */
const margin = 1.25;
const stepMs = 50;

export interface EvenTime {
  /** Waits as long as a failure still has to take. @param ms  what its check took */
  wait(ms: number): Promise<void>;
}

/**
 * @param imported  the costliest of the imported hashes, or one like it; the same text as long as that has not changed
 * @param check     checks a hash that nobody has a password for, and says how many ms that took
 */
export function createEvenTime(
  imported: () => string | undefined,
  check: (hash: string) => Promise<number>,
): EvenTime {
  let measured: { readonly of: string; readonly ms: Promise<number> } | undefined;
  let lately: readonly number[] = [];

  return {
    async wait(ms) {
      const costliest = imported();
      if (costliest === undefined) return;
      lately = [ms, ...lately].slice(0, remembered);
      if (measured?.of !== costliest) measured = { of: costliest, ms: measure(costliest) };
      const longest = Math.max(await measured.ms, ...lately);
      const total = Math.ceil((longest * margin) / stepMs) * stepMs;
      await delay(total - ms);
    },
  };

  function measure(costliest: string): Promise<number> {
    return check(decoyOf(costliest)).catch(() => costOfHash(costliest));
  }
}
