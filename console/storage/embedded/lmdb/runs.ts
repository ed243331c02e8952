/** Long runs of records that a list passes over, such as a thousand applications before the first machine: LMDB counts them, and no key is read. */
import type { LmdbDatabase, LmdbKey } from './lmdb-environment.ts';

/** One that is shorter is gone through one by one. */
const shortest = 32;

export interface Run {
  /** Its last key. */
  readonly last: LmdbKey;
  readonly count: number;
}

/**
 * @param records  by their only part
 * @param index    has those that are passed over, under `head`
 * @param after    where it begins: this one is not part of it
 * @param most     a longer one is cut off there
 * @returns undefined where less than {@link shortest} of them follow each other there
 */
export function runBehind(
  records: Pick<LmdbDatabase<unknown>, 'has' | 'countFrom'>,
  index: Pick<LmdbDatabase<unknown>, 'has' | 'keysUnder'>,
  {
    head,
    after,
    most,
  }: { readonly head: LmdbKey; readonly after: LmdbKey | undefined; readonly most: number },
): Run | undefined {
  let run: Run | undefined;
  // Each piece twice as long as the one before: where there is no run, that has cost the look at one short piece.
  for (let length = shortest; (run?.count ?? 0) + length <= most; length *= 2) {
    const from: LmdbKey | undefined = run?.last ?? after;
    const isPassed = from !== undefined && index.has([...head, ...from]);
    const start = from ? [...head, ...from] : head;
    const [edge] = [...index.keysUnder(head, { from: start, offset: length - (isPassed ? 0 : 1), limit: 1 })];
    if (!edge) return run;
    const last = edge.slice(head.length);
    const isThere = from !== undefined && records.has(from);
    // As many records as entries: there is no other between them.
    if (records.countFrom(from, last) !== length + (isThere ? 1 : 0)) return run;
    run = { last, count: (run?.count ?? 0) + length };
  }
  return run;
}
