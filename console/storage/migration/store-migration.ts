/**
 * Everything that lies in a store, from one engine to another: page by page, so that memory stays flat; each page with
 * the place where it ends in one commit, so that whatever ends it can be gone on with; and compared at the end, record
 * by record. What is sealed stays sealed: nothing of it is opened.
 */
import { ProblemError, problems } from '../../../platform/errors.ts';
import {
  type StoreContents,
  type StorePart,
  type StorePlace,
  type StoreTarget,
  storeParts,
} from './store-contents.ts';
import { type CollectionSum, sumsOf } from './store-sums.ts';

export interface MigrationProgress {
  readonly step: 'writing' | 'comparing' | 'checking';
  readonly part: StorePart;
  readonly done: number;
  /** 0: not known. */
  readonly of: number;
}

/**
 * @returns what both stores hold
 * @throws {ProblemError} `conflict` when the target is not what the source is: nobody starts on it
 */
export async function migrateStore(
  source: StoreContents,
  target: StoreTarget,
  onProgress: (progress: MigrationProgress) => void,
): Promise<readonly CollectionSum[]> {
  const place = target.place ?? { part: storeParts[0] };
  for (const part of storeParts.slice(storeParts.indexOf(place.part)))
    await writePart(part, part === place.part ? place.after : undefined);
  const sums = await sumsOf(source, (part, done, of) => onProgress({ step: 'comparing', part, done, of }));
  const differing = differences(sums, await sumsOf(target));
  if (differing.length > 0) throw notTheSame(differing);
  onProgress({ step: 'checking', part: 'registry', done: 0, of: 0 });
  const { damaged, unindexed, stray, miscounted, named } = await target.check();
  if (damaged + unindexed + stray + miscounted > 0) throw notTheSame([...named, 'its indexes or counts']);
  await source.confirmUnused();
  await target.finish();
  return sums;

  async function writePart<P extends StorePart>(part: P, from: string | undefined): Promise<void> {
    const of = await source.size(part);
    let [after, done] = [from, 0];
    do {
      const { items, next } = await source.page(part, after);
      await target.write(part, items, next === undefined ? following(part) : { part, after: next });
      done += items.length;
      // What an earlier run has written is not counted, so there may be no end to name.
      onProgress({ step: 'writing', part, done, of: from === undefined ? of : 0 });
      after = next;
    } while (after !== undefined);
  }
}

/** Of the last one there is nothing behind: it is small, and written once more. */
function following(part: StorePart): StorePlace {
  return { part: storeParts[storeParts.indexOf(part) + 1] ?? part };
}

function differences(source: readonly CollectionSum[], target: readonly CollectionSum[]): readonly string[] {
  const names = [...new Set([...source, ...target].map(({ name }) => name))].sort();
  const of = (sums: readonly CollectionSum[], name: string) => sums.find((sum) => sum.name === name);
  return names
    .map((name) => ({ name, one: of(source, name), other: of(target, name) }))
    .filter(({ one, other }) => one?.digest !== other?.digest || one?.records !== other?.records)
    .map(({ name, one, other }) => `${name} (${one?.records ?? 0}, and there ${other?.records ?? 0})`);
}

function notTheSame(what: readonly string[]): ProblemError {
  return new ProblemError(
    problems.conflict,
    `What is in the target is not what is in the source: ${what.slice(0, 5).join(', ')}. Somebody has changed one of them since ` +
      'it was begun. Empty the target and begin anew; no console starts on it until then.',
  );
}
