/** What led to an id: which entries to ask for, one question after the other, by the ids that entries have in common. */
import type { Entry } from '../entry.ts';
import { type EntryFilter, idsOf } from './filter.ts';

/** Entries by a filter, newest first; or the oldest one that has an id. */
export type TraceStep =
  | { readonly filter: EntryFilter; readonly limit: number }
  | { readonly firstOf: string };

/** Of an id, and of those that it leads to. */
const mostEntries = 200;
const mostIds = 50;
const signInEvent = 'login';

/**
 * Entries of this id, and of each id that they have the first: where a token, a grant and a session began.
 *
 * @returns as they were written, the oldest first
 */
export function* traceSteps(id: string): Generator<TraceStep, readonly Entry[], readonly Entry[]> {
  const found = new Map<string, Entry>();
  for (const entry of yield { filter: { id }, limit: mostEntries }) add(entry);
  const asked = new Set([id]);
  let waiting = idsToFollow();
  while (waiting.length > 0 && asked.size < mostIds) {
    for (const next of waiting.slice(0, mostIds - asked.size)) {
      asked.add(next);
      for (const first of yield { firstOf: next }) add(first);
    }
    waiting = idsToFollow();
  }
  const begun = signInAsked([...found.values()]);
  if (begun) {
    const signIns = yield { filter: begun.filter, limit: 20 };
    const signIn = signIns.find(({ source }) => source === begun.source);
    if (signIn) add(signIn);
  }
  return [...found.values()].sort((a, b) => Date.parse(a.time) - Date.parse(b.time) || a.seq - b.seq);

  function add(entry: Entry): void {
    found.set(`${entry.writer}-${entry.seq}`, entry);
  }

  function idsToFollow(): readonly string[] {
    const ids = new Set([...found.values()].flatMap(idsOf));
    return [...ids].filter((one) => !asked.has(one));
  }
}

/** A session begins behind the sign-in, which has no id of it yet: it is the last of this person from there. */
function signInAsked(
  entries: readonly Entry[],
): { filter: EntryFilter; source: string | undefined } | undefined {
  const begun = entries.filter(({ actor }) => actor?.session).sort((a, b) => (a.time < b.time ? -1 : 1))[0];
  if (!begun || entries.some(({ event }) => event === signInEvent)) return undefined;
  const { actor, source, time } = begun;
  const filter = { event: signInEvent, outcome: 'success', actor: actor!.id, until: Date.parse(time) + 1 };
  return { filter, source };
}
