/** One entry by its place, and those that led to one: by the ids that entries have in common. */

import type { Entry } from '../entry.ts';
import { readEntry } from '../erased-entry.ts';
import { blockOf } from '../segments/segment-form.ts';
import { type ListDeps, listEntries } from './entry-list.ts';
import { idsOf, termsOf } from './filter.ts';
import { blocksOf, stretchBlocks } from './posting.ts';
import { type TraceStep, traceSteps } from './trace.ts';

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

/**
 * Entries of this id, and of each id that they have the first: where a token, a grant and a session began.
 *
 * @returns as they were written, the oldest first
 */
export function traceEntries(id: string, deps: ListDeps): readonly Entry[] {
  const steps = traceSteps(id);
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    step = steps.next(answerTo(step.value, deps));
  }
}

function answerTo(asked: TraceStep, deps: ListDeps): readonly Entry[] {
  if ('filter' in asked) return listEntries(asked, deps).entries;
  const first = firstOf(asked.firstOf, deps);
  return first ? [first] : [];
}

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
