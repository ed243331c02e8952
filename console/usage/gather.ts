/** Rows of several days as one for each kind of call. */
import { createPauses } from '../../platform/async/pauses.ts';
import { isOfCalls } from './needs.ts';
import { addedRow, keyOfRow, namesOfText, tokenRows, type UsageRow } from './usage-row.ts';

export interface Gathered {
  /** Calls, the most frequent first. */
  readonly calls: readonly UsageRow[];
  /** What tokens have asked for, by scope. */
  readonly asked: readonly UsageRow[];
  /** Calls as an administrator. */
  readonly administrator: UsageRow | undefined;
}

/** @param chunks  rows of one caller, or of several whose calls count as one's */
export async function gather(chunks: AsyncIterable<readonly UsageRow[]>): Promise<Gathered> {
  const found = new Map<string, UsageRow>();
  const pause = createPauses(1);
  for await (const rows of chunks) {
    for (const row of rows) {
      const key = keyOfRow(row);
      const known = found.get(key);
      found.set(key, known ? addedRow(known, row) : row);
    }
    await pause();
  }
  const all = [...found.values()];
  return {
    calls: all.filter(isOfCalls).sort((one, other) => other[5] - one[5]),
    asked: all.filter(([, , structure]) => structure === tokenRows.asked),
    administrator: all.find(([, , structure]) => structure === tokenRows.administrator),
  };
}

/** As the API shows it. */
export function shownCalls([, permission, structure, name, isAllowed, ...rest]: UsageRow) {
  const [calls, first, last, decisionId] = rest;
  return {
    permission,
    structure: structure || null,
    names: structure ? (namesOfText(name) ?? null) : [],
    isAllowed,
    calls,
    firstAt: new Date(first).toISOString(),
    lastAt: new Date(last).toISOString(),
    decisionId,
  };
}
