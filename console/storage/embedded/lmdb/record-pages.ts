/** Lists of users and clients by their indexes, a page at a time; what comes or goes meanwhile moves no other one. */
import { createPauses, type Pauses } from '../../../../platform/async/pauses.ts';
import { lastPart } from '../../engine/key-parts.ts';
import { createPaging, type ReadSlice, type Slice, type SliceRequest } from '../../engine/record-paging.ts';
import { clientSections, type Section, userSectionsFor } from '../../engine/record-sections.ts';
import type {
  ClientFilter,
  GrowingCollection,
  GrowingRecords,
  PageRequest,
  UserFilter,
  UserOrder,
} from '../../record-store.ts';
import { filledGeneration } from './index-filling.ts';
import type { Environment, LmdbKey } from './lmdb-environment.ts';
import type { RecordAnswers } from './record-answers.ts';
import { DamagedRecordError } from './record-codec.ts';
import { type Run, runBehind } from './runs.ts';

/** Entries that are read at once at most, and how long that may go on: whoever lists thousands holds up nobody. */
const sliceSize = 60;
const sliceMs = 0.5;

export function createRecordPages(environment: Environment, answers: RecordAnswers) {
  const index = environment.database<true>('record-index');
  const meta = environment.database<number>('record-meta');
  const filled = () => environment.read(() => filledGeneration({ meta }));
  /** Each list has a pause of its own. */
  const paging = () => createPaging(slicesWith(createPauses(sliceMs)), sliceSize);
  const slicesWith =
    (pause: Pauses): ReadSlice =>
    (collection, section, request) =>
      readSlice(collection, section, request, pause);

  async function readSlice<C extends GrowingCollection>(
    collection: C,
    section: Section<GrowingRecords[C]>,
    request: SliceRequest,
    pause: Pauses,
  ): Promise<Slice<GrowingRecords[C]>> {
    if (request.after) await pause();
    return environment.read(() => {
      const run = runOf(section, collection, request);
      if (run) return { entries: [{ key: run.last, record: undefined }], read: run.count, isOver: false };
      const keys = keysOf(section, collection, request);
      const isPassed = passingOver(section, keys);
      const entries: { key: LmdbKey; record: GrowingRecords[C] | undefined }[] = [];
      for (const key of keys) {
        entries.push({ key, record: isPassed(key) ? undefined : whole(collection, key.slice(-1)) });
        if (pause.areDue()) break;
      }
      return { entries, isOver: entries.length === keys.length && keys.length < request.limit };
    });
  }

  function keysOf(
    { index: given, beginning = '' }: Pick<Section<never>, 'index' | 'beginning'>,
    source: GrowingCollection,
    { after, limit, isReversed: reverse }: SliceRequest,
  ): LmdbKey[] {
    const head = given ?? [];
    const database = given ? index : environment.bytes(source);
    const first = beginning === '' ? head : [...head, beginning];
    const end = beginning === '' ? head : [...head, `${beginning}${lastPart}`];
    const range = reverse
      ? { from: first, upTo: after ?? end, reverse }
      : { from: after ?? first, upTo: end };
    // One more: the first is the one after which the page begins, if it is still there.
    const found = [...database.keysUnder(head, { ...range, limit: limit + 1 })];
    return found.filter((key) => after === undefined || !isSame(key, after)).slice(0, limit);
  }

  /** Many in a row that are not wanted. */
  function runOf(
    { index: given, without }: Pick<Section<never>, 'index' | 'without'>,
    source: GrowingCollection,
    { after, mostRead, isReversed }: SliceRequest,
  ): Run | undefined {
    // Entries of an index stand in another order than those that are passed over.
    if (!without || given || isReversed) return undefined;
    return runBehind(environment.bytes(source), index, { head: without, after, most: mostRead });
  }

  /** Which of these keys are those of records that are not wanted: they need not be read to see that. */
  function passingOver(
    { index: given, without }: Pick<Section<never>, 'index' | 'without'>,
    keys: readonly LmdbKey[],
  ): (key: LmdbKey) => boolean {
    const [first, last] = [keys[0], keys.at(-1)];
    if (!without || given || !first || !last) return () => false;
    const [from, upTo] = String(first.at(-1)) <= String(last.at(-1)) ? [first, last] : [last, first];
    const range = { from: [...without, ...from], upTo: [...without, ...upTo] };
    const passed = new Set(Array.from(index.keysUnder(without, range), (key) => key.at(-1)));
    return (key) => passed.has(key.at(-1)!);
  }

  /** @returns undefined for a damaged one: a list leaves it out */
  function whole<C extends GrowingCollection>(collection: C, key: LmdbKey): GrowingRecords[C] | undefined {
    try {
      return answers.stored(collection, key)?.record;
    } catch (error) {
      if (error instanceof DamagedRecordError) return undefined;
      throw error;
    }
  }

  return {
    users: async (asked: PageRequest & UserFilter & UserOrder) => {
      const { role, eligibleRole, provider, status, beginning, ...request } = asked;
      const filter = { role, eligibleRole, provider, status, beginning };
      const sections = environment.read(() =>
        userSectionsFor(filter, {
          after: request.after,
          isFilled: filledGeneration({ meta }) >= 1,
          count: (by) => answers.count('users', by),
        }),
      );
      return paging()('users', sections, request);
    },
    clients: (asked: PageRequest & ClientFilter & UserOrder) =>
      paging()('clients', clientSections(asked, filled()), asked),
  };
}

function isSame(one: LmdbKey, other: LmdbKey): boolean {
  return one.join('\0') === other.join('\0');
}
