/** One entry by its place, and those that led to one: by the ids that entries have in common. */

import type { Entry } from '../entry.ts';
import { readEntry } from '../erased-entry.ts';
import { blockOf } from '../segments/segment-form.ts';
import { type ListDeps, listEntries } from './entry-list.ts';
import { idsOf, termsOf } from './filter.ts';
import { blocksOf, stretchBlocks } from './posting.ts';

export function findEntry(writer: string, seq: number, deps: ListDeps): Entry | undefined {
  const row = deps.rows.get(writer);
  const block = row && deps.store.block(row.id, blockOf(seq));
  const read = block && deps.source.read(writer, blockOf(seq), block);
  const line = read?.lines.find((one) => one.seq === seq);
  return read && line && readEntry(read.bytes.subarray(line.start, line.end));
}

/** The terms that no other entry of its block has. */
export function ownTermsOf({ writer, seq }: Entry, deps: ListDeps): readonly string[] {
  const row = deps.rows.get(writer);
  const block = row && deps.store.block(row.id, blockOf(seq));
  const read = block && deps.source.read(writer, blockOf(seq), block);
  const own = new Set<string>();
  const others = new Set<string>();
  for (const line of read?.lines ?? []) {
    const entry = readEntry(read!.bytes.subarray(line.start, line.end));
    for (const term of entry ? termsOf(entry) : []) (line.seq === seq ? own : others).add(term);
  }
  return [...own].filter((term) => !others.has(term));
}

/** Of an id, and of those that it leads to. */
const mostEntries = 200;
const mostIds = 50;

/**
 * Entries of this id, and of each id that they have the first: where a token, a grant and a session began.
 *
 * @returns as they were written, the oldest first
 */
export function traceEntries(id: string, deps: ListDeps): readonly Entry[] {
  const found = new Map<string, Entry>();
  for (const entry of listEntries({ filter: { id }, limit: mostEntries }, deps).entries) add(entry);
  const asked = new Set([id]);
  let waiting = idsToFollow();
  while (waiting.length > 0 && asked.size < mostIds) {
    for (const next of waiting.slice(0, mostIds - asked.size)) {
      asked.add(next);
      const first = firstOf(next, deps);
      if (first) add(first);
    }
    waiting = idsToFollow();
  }
  const signIn = signInBefore([...found.values()], deps);
  if (signIn) add(signIn);
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
function signInBefore(entries: readonly Entry[], deps: ListDeps): Entry | undefined {
  const begun = entries.filter(({ actor }) => actor?.session).sort((a, b) => (a.time < b.time ? -1 : 1))[0];
  if (!begun || entries.some(({ event }) => event === signInEvent)) return undefined;
  const { actor, source, time } = begun;
  const filter = { event: signInEvent, outcome: 'success', actor: actor!.id, until: Date.parse(time) + 1 };
  return listEntries({ filter, limit: 20 }, deps).entries.find((entry) => entry.source === source);
}

const signInEvent = 'login';

/** The oldest entry that has it. */
function firstOf(id: string, { rows, store, source }: ListDeps): Entry | undefined {
  let first: Entry | undefined;
  for (const [writer, row] of rows) {
    const found = firstOfWriter(writer, id, { rows: new Map([[writer, row]]), store, source });
    if (found && (!first || found.time < first.time)) first = found;
  }
  return first;
}

function firstOfWriter(writer: string, id: string, { rows, store, source }: ListDeps): Entry | undefined {
  const row = rows.get(writer)!;
  const stretches = [blockOf(row.firstSeq), blockOf(row.seq)].map((block) =>
    Math.floor(block / stretchBlocks),
  );
  for (let stretch = stretches[0]!; stretch <= stretches[1]!; stretch++) {
    const posting = store.posting(row.id, stretch, `i${id}`);
    for (const own of posting ? blocksOf(posting) : []) {
      const block = stretch * stretchBlocks + own;
      const place = store.block(row.id, block);
      const read = place && source.read(writer, block, place);
      for (const { start, end } of read?.lines ?? []) {
        const line = read!.bytes.subarray(start, end);
        const entry = line.includes(JSON.stringify(id).slice(1, -1)) ? readEntry(line) : undefined;
        if (entry && idsOf(entry).includes(id)) return entry;
      }
    }
  }
  return undefined;
}
