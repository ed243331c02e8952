/** Counts what there was no room for, to say so in one entry when there is: nothing is left out in silence. */
import type { OwnReason } from '../../platform/names/reason-codes.ts';
import type { EntryBody } from './entry.ts';

/** Events have names by the dozen; what is counted on top goes under one. */
const mostEvents = 200;

export function createGap(bodyOf: EntryBody, now: () => number) {
  let counts = new Map<string, number>();
  let from = 0;

  return {
    count(event: string): void {
      if (counts.size === 0) from = now();
      const name = counts.has(event) || counts.size < mostEvents ? event : 'other';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    /** @returns the body of the entry; undefined when nothing was left out */
    report(): string | undefined {
      if (counts.size === 0) return undefined;
      const entries = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const detail = {
        entries,
        from: new Date(from).toISOString(),
        until: new Date(now()).toISOString(),
        events: Object.fromEntries(counts),
      };
      counts = new Map();
      return bodyOf(
        { event: 'audit.gap', outcome: 'failure', reason: 'no_room' satisfies OwnReason, detail },
        now(),
      );
    },
  };
}
