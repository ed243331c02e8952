/** Lists of users and clients by their indexes, a page at a time; what comes or goes meanwhile moves no other one. */
import { foldedName } from '../../name-keys.ts';
import type {
  ClientFilter,
  GrowingCollection,
  GrowingRecords,
  Page,
  PageRequest,
  UserFilter,
} from '../../record-store.ts';
import type { ClientRecord, UserRecord } from '../../records.ts';
import { givenPart, lastPart, partBeginning } from './key-parts.ts';
import type { Environment, LmdbKey } from './lmdb-environment.ts';
import type { RecordAnswers } from './record-answers.ts';
import { DamagedRecordError } from './record-codec.ts';
import { indexUnder } from './record-indexes.ts';

/** A part of a list: the entries of an index whose keys begin so, in their order. */
interface Section<R> {
  /** Absent: the records themselves, by id. */
  readonly index?: LmdbKey;
  /** Only those whose next part begins so. */
  readonly beginning?: string;
  readonly isWanted?: (record: R) => boolean;
}

/** Entries that are read at once: about 1 ms. */
const sliceSize = 100;
const mostRecords = 500;

export type RecordPages = ReturnType<typeof createRecordPages>;

export function createRecordPages(environment: Environment, answers: RecordAnswers) {
  const index = environment.database<true>('record-index');

  function keysAfter({ index: prefix, beginning = '' }: Section<never>, source: GrowingCollection) {
    const database = prefix ? index : environment.bytes(source);
    const head = prefix ?? [];
    return (after: LmdbKey | undefined, limit: number): LmdbKey[] => {
      const from = after ?? (beginning === '' ? head : [...head, beginning]);
      const upTo = beginning === '' ? head : [...head, `${beginning}${lastPart}`];
      // One more: the first is the one after which the page begins, if it is still there.
      const found = [...database.under(head, { from, upTo, limit: limit + 1 })].map(({ key }) => key);
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
    { limit, after }: PageRequest,
  ): Promise<Page<GrowingRecords[C]>> {
    const most = Math.min(limit, mostRecords);
    const found: { readonly record: GrowingRecords[C]; readonly next: string }[] = [];
    const start = after === undefined ? undefined : placeOf(after, sections.length);
    for (let number = start?.section ?? 0; number < sections.length; number++) {
      const section = sections[number]!;
      const next = keysAfter(section as Section<never>, collection);
      let last = number === start?.section ? [...(section.index ?? []), ...start.parts] : undefined;
      for (;;) {
        const keys = environment.read(() => {
          const slice = next(last, sliceSize);
          for (const key of slice) {
            const record = whole(collection, key.slice(-1));
            if (!record || section.isWanted?.(record) === false) continue;
            const parts = key.slice(section.index?.length ?? 0);
            found.push({ record, next: `${number}${parts.join('\n')}` });
            if (found.length > most) break;
          }
          return slice;
        });
        if (found.length > most)
          return { records: found.slice(0, most).map(recordOf), next: found[most - 1]!.next };
        if (keys.length < sliceSize) break;
        last = [...keys.at(-1)!];
        // Whoever lists thousands must not hold up those who call meanwhile.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return { records: found.map(recordOf) };
  }

  return {
    users: ({ role, provider, beginning, ...request }: PageRequest & UserFilter) =>
      page('users', userSections({ role, provider, beginning }), request),
    clients: ({ ceilingRole, ...request }: PageRequest & ClientFilter) =>
      page(
        'clients',
        ceilingRole === undefined
          ? [{}]
          : [
              {
                index: indexUnder.ceilingRole(ceilingRole),
                isWanted: ({ maxRoles }: ClientRecord) => maxRoles?.includes(ceilingRole) === true,
              },
            ],
        request,
      ),
  };
}

function userSections({ role, provider, beginning }: UserFilter): Section<UserRecord>[] {
  if (role !== undefined) {
    return [{ index: indexUnder.role(role), isWanted: ({ roles }) => roles.includes(role) }];
  }
  if (provider !== undefined) {
    return [
      {
        index: indexUnder.provider(provider),
        isWanted: ({ federated }) => federated?.provider === provider,
      },
    ];
  }
  if (beginning === undefined) return [{ index: ['name'] }];
  const folded = foldedName(beginning);
  return (['name', 'email'] as const).map((by) => ({
    index: [by],
    beginning: partBeginning(folded),
    isWanted: (user) => beginningOf(user, folded) === by,
  }));
}

function recordOf<R>({ record }: { readonly record: R }): R {
  return record;
}

function isSame(one: LmdbKey, other: LmdbKey): boolean {
  return one.join('\0') === other.join('\0');
}

/** @param after  a `next`; any other text is a place in the order too */
function placeOf(after: string, sections: number): { readonly section: number; readonly parts: string[] } {
  const number = Number(after.slice(0, 1));
  const section = Number.isInteger(number) && number < sections ? number : 0;
  return { section, parts: after.slice(1).split('\n').slice(0, 2).map(givenPart) };
}

/** Whether this user is found by this beginning of a name or address, and by which. */
function beginningOf({ username, email }: UserRecord, beginning: string): 'name' | 'email' | undefined {
  if (foldedName(username).startsWith(beginning)) return 'name';
  return email !== undefined && foldedName(email).startsWith(beginning) ? 'email' : undefined;
}
