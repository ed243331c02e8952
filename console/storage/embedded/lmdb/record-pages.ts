/** Lists of users and clients by their indexes, a page at a time; what comes or goes meanwhile moves no other one. */
import { createPauses } from '../../../../platform/async/pauses.ts';
import { foundBy, isInClientList, wordsOfName } from '../../client-lists.ts';
import { foldedName } from '../../name-keys.ts';
import type {
  ClientFilter,
  GrowingCollection,
  GrowingRecords,
  Page,
  PageRequest,
  UserFilter,
  UserOrder,
} from '../../record-store.ts';
import type { ClientRecord, UserRecord } from '../../records.ts';
import { beginningOf, isInList, leadOf, type UserLead } from '../../user-lists.ts';
import { areIndexesFilled } from './index-filling.ts';
import { givenPart, keyPart, lastPart, partBeginning } from './key-parts.ts';
import type { Environment, LmdbKey } from './lmdb-environment.ts';
import type { RecordAnswers } from './record-answers.ts';
import { DamagedRecordError } from './record-codec.ts';
import { indexUnder } from './record-indexes.ts';

/** A part of a list: the entries of an index whose keys begin so, in their order. */
interface Section<R> {
  /** One character, which places in the list begin with. */
  readonly name: string;
  /** Absent: the records themselves, by id. */
  readonly index?: LmdbKey;
  /** Only those whose next part begins so. */
  readonly beginning?: string;
  /** @param part  the first part of the key behind `index` */
  readonly isWanted?: (record: R, part: unknown) => boolean;
}

/** Entries that are read at once at most, and how long that may go on: whoever lists thousands holds up nobody. */
const sliceSize = 60;
const sliceMs = 0.5;
const mostRecords = 500;

export function createRecordPages(environment: Environment, answers: RecordAnswers) {
  const index = environment.database<true>('record-index');
  const meta = environment.database<number>('record-meta');
  const isFilled = () => environment.read(() => areIndexesFilled({ meta }));

  function keysAfter(
    { index: prefix, beginning = '' }: Pick<Section<never>, 'index' | 'beginning'>,
    source: GrowingCollection,
    reverse: boolean,
  ) {
    const database = prefix ? index : environment.bytes(source);
    const head = prefix ?? [];
    const first = beginning === '' ? head : [...head, beginning];
    const end = beginning === '' ? head : [...head, `${beginning}${lastPart}`];
    return (after: LmdbKey | undefined, limit: number): LmdbKey[] => {
      const range = reverse
        ? { from: first, upTo: after ?? end, reverse }
        : { from: after ?? first, upTo: end };
      // One more: the first is the one after which the page begins, if it is still there.
      const found = [...database.under(head, { ...range, limit: limit + 1 })].map(({ key }) => key);
      return found.filter((key) => after === undefined || !isSame(key, after)).slice(0, limit);
    };
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

  async function page<C extends GrowingCollection>(
    collection: C,
    sections: readonly Section<GrowingRecords[C]>[],
    { limit, after, mostRead = Infinity, isReversed = false }: PageRequest & UserOrder,
  ): Promise<Page<GrowingRecords[C]>> {
    const most = Math.min(limit, mostRecords);
    const found: { readonly record: GrowingRecords[C]; readonly place: string }[] = [];
    let read = 0;
    const pause = createPauses(sliceMs);
    const start = after === undefined ? undefined : placeOf(after, sections);
    for (const section of sections.slice(start && sections.indexOf(start.section))) {
      const next = keysAfter(section, collection, isReversed);
      const placeAt = (key: LmdbKey) => section.name + key.slice(section.index?.length ?? 0).join('\n');
      let last = section === start?.section ? [...(section.index ?? []), ...start.parts] : undefined;
      for (;;) {
        const wanted = Math.min(sliceSize, mostRead - read);
        const { keys, isOver } = environment.read(() => {
          const slice = next(last, wanted);
          let visited = 0;
          for (const key of slice) {
            read++;
            visited++;
            const record = whole(collection, key.slice(-1));
            const part = key[section.index?.length ?? 0];
            if (record && section.isWanted?.(record, part) !== false)
              found.push({ record, place: placeAt(key) });
            if (found.length > most || pause.areDue()) break;
          }
          return { keys: slice.slice(0, visited), isOver: visited === slice.length && visited < wanted };
        });
        if (found.length > most)
          return { records: found.slice(0, most).map(recordOf), next: found[most - 1]!.place };
        if (isOver) break;
        last = [...keys.at(-1)!];
        if (read >= mostRead) return { records: found.map(recordOf), next: placeAt(last) };
        await pause();
      }
    }
    return { records: found.map(recordOf) };
  }

  return {
    users: (asked: PageRequest & UserFilter & UserOrder) => {
      const { role, eligibleRole, provider, status, beginning, ...request } = asked;
      const filter = { role, eligibleRole, provider, status, beginning };
      return page('users', sectionsFor(filter, request.after), request);
    },
    clients: (asked: PageRequest & ClientFilter) => page('clients', clientSections(asked, isFilled()), asked),
  };

  /** What led at the first page leads through all of them. */
  function sectionsFor(filter: UserFilter, after: string | undefined): readonly Section<UserRecord>[] {
    const known =
      after && leads.find((lead) => userSections(lead, filter)?.some(({ name }) => name === after[0]));
    const indexed = isFilled() ? filter : { ...filter, status: undefined };
    const lead = known || environment.read(() => leadOf(indexed, (by) => answers.count('users', by)));
    return userSections(lead, filter) ?? [];
  }
}

const leads = [
  'name',
  'beginning',
  'role',
  'eligibleRole',
  'provider',
  'status',
] as const satisfies readonly UserLead[];

/** @returns undefined where this cannot lead through such a list */
function userSections(lead: UserLead, filter: UserFilter): Section<UserRecord>[] | undefined {
  const { role, eligibleRole, provider, status, beginning } = filter;
  const isWanted = (user: UserRecord) => isInList(user, filter);
  if (lead === 'role')
    return role === undefined ? undefined : [{ name: '2', index: indexUnder.role(role), isWanted }];
  if (lead === 'eligibleRole')
    return eligibleRole === undefined
      ? undefined
      : [{ name: '6', index: indexUnder.eligibleRole(eligibleRole), isWanted }];
  if (lead === 'provider')
    return provider === undefined
      ? undefined
      : [{ name: '3', index: indexUnder.provider(provider), isWanted }];
  if (lead === 'status')
    return status === undefined || status === 'active'
      ? undefined
      : [{ name: '4', index: indexUnder.status(status), isWanted }];
  if (lead === 'name')
    return beginning === undefined ? [{ name: '5', index: ['name'], isWanted }] : undefined;
  if (beginning === undefined) return undefined;
  const folded = foldedName(beginning);
  return (['name', 'email'] as const).map((by, number) => ({
    name: String(number),
    index: [by],
    beginning: partBeginning(folded),
    isWanted: (user) => beginningOf(user, folded) === by && isWanted(user),
  }));
}

/**
 * What leads is what few have.
 *
 * @param isFilled  else all are visited through, sooner than that some are missing
 */
function clientSections(
  filter: ClientFilter & Pick<PageRequest, 'after'>,
  isFilled: boolean,
): readonly Section<ClientRecord>[] {
  const { ceilingRole, beginning, kind, status } = filter;
  const isWanted = (client: ClientRecord) => isInClientList(client, filter);
  if (beginning !== undefined) {
    const isBy = (client: ClientRecord) => foundBy(client, beginning);
    const [word] = wordsOfName(beginning);
    const byId = {
      name: '1',
      index: ['client-name'],
      beginning: partBeginning(foldedName(beginning)),
      isWanted: (client: ClientRecord) => isBy(client)?.id !== undefined && isWanted(client),
    };
    const byWord = {
      name: '2',
      index: ['client-word'],
      beginning: partBeginning(word ?? ''),
      isWanted(client: ClientRecord, part: unknown) {
        const first = isBy(client)?.word;
        return first !== undefined && keyPart(first) === part && isWanted(client);
      },
    };
    if (word === undefined) return [byId];
    const byEach = {
      name: '5',
      isWanted: (client: ClientRecord) => isBy(client)?.word !== undefined && isWanted(client),
    };
    // Such a list goes on as it has begun.
    return isFilled && filter.after?.[0] !== byEach.name ? [byId, byWord] : [byId, byEach];
  }
  if (ceilingRole !== undefined) return [{ name: '0', index: indexUnder.ceilingRole(ceilingRole), isWanted }];
  if (!isFilled) return [{ name: '0', isWanted }];
  if (status === 'disabled') return [{ name: '3', index: indexUnder.disabledClient(), isWanted }];
  if (kind === 'application') return [{ name: '4', index: indexUnder.application(), isWanted }];
  return [{ name: '0', isWanted }];
}

function recordOf<R>({ record }: { readonly record: R }): R {
  return record;
}

function isSame(one: LmdbKey, other: LmdbKey): boolean {
  return one.join('\0') === other.join('\0');
}

/** @param after  a `next`; any other text is a place in the order too */
function placeOf<R>(
  after: string,
  sections: readonly Section<R>[],
): { readonly section: Section<R>; readonly parts: string[] } {
  const section = sections.find(({ name }) => name === after[0]) ?? sections[0]!;
  return { section, parts: after.slice(1).split('\n').slice(0, 2).map(givenPart) };
}
