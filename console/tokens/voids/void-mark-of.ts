/** What a change of a record makes void: computed from the record as it is now, so that it does not matter who changed it. */
import { clientValidSince, validSince } from '../../accounts/validity.ts';
import { type VoidMark, voidMarkSeconds } from '../../accounts/void-marks.ts';
import type { RecordChange } from '../../storage/record-store.ts';

/**
 * @param known  whether there is a mark of this party: of another one that had the id earlier, perhaps
 * @param now    epoch milliseconds
 * @returns undefined when nothing was void, and nothing is: of what is new, and of what has lost nothing for long
 */
export function voidMarkOf(change: RecordChange, known: boolean, now: number): VoidMark | undefined {
  const { id } = change;
  const seconds = Math.ceil(now / 1000);
  const until = seconds + voidMarkSeconds;
  const party = change.collection === 'users' ? 'account' : 'client';
  const from = countsFrom(change);
  if (from === undefined) return { party, id, until };
  if (!known && (isFresh(change) || from <= seconds - voidMarkSeconds)) return undefined;
  return { party, id, from, until };
}

/** @returns undefined while nothing counts */
function countsFrom(change: RecordChange): number | undefined {
  if (change.record === undefined) return undefined;
  return change.collection === 'users' ? validSince(change.record) : clientValidSince(change.record);
}

function isFresh({ record }: RecordChange): boolean {
  return (record?.tokensValidFrom ?? 0) <= (record?.createdAt ?? 0);
}
