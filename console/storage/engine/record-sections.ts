/** Which index entries a list of users or clients goes through, in every engine. */
import { foundBy, isInClientList, wordsOfName } from '../client-lists.ts';
import { foldedName } from '../name-keys.ts';
import type { ClientFilter, PageRequest, UserCount, UserFilter } from '../record-store.ts';
import type { ClientRecord, UserRecord } from '../records.ts';
import { beginningOf, isInList, leadOf, type UserLead } from '../user-lists.ts';
import { givenPart, keyPart, partBeginning } from './key-parts.ts';
import { type IndexKey, indexUnder } from './record-indexes.ts';

/** A part of a list: the entries of an index whose keys begin so, in their order. */
export interface Section<R> {
  /** One character, which places in the list begin with. */
  readonly name: string;
  /** Absent: the records themselves, by id. */
  readonly index?: IndexKey;
  /** Only those whose next part begins so. */
  readonly beginning?: string;
  /** Those that this index points at are not wanted: an engine that sees that sooner than it reads them passes over them. */
  readonly without?: IndexKey;
  /** @param part  the first part of the key behind `index` */
  readonly isWanted?: (record: R, part: unknown) => boolean;
}

const leads = [
  'name',
  'beginning',
  'role',
  'eligibleRole',
  'provider',
  'status',
] as const satisfies readonly UserLead[];

/**
 * @param after     the place that the page goes on from
 * @param isFilled  whether every user is in the index of states
 * @param count     as it is kept
 */
export function userSectionsFor(
  filter: UserFilter,
  {
    after,
    isFilled,
    count,
  }: { after: string | undefined; isFilled: boolean; count: (by: UserCount) => number },
): readonly Section<UserRecord>[] {
  const known =
    after && leads.find((lead) => userSections(lead, filter)?.some(({ name }) => name === after[0]));
  const indexed = isFilled ? filter : { ...filter, status: undefined };
  return userSections(known || leadOf(indexed, count), filter) ?? [];
}

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
 * @param filled  the generation of index entries that every client has: 1 of words, kind and status, 2 of the names of
 *   applications; below, more are visited, sooner than that some are missing
 */
export function clientSections(
  filter: ClientFilter & Pick<PageRequest, 'after'>,
  filled: number,
): readonly Section<ClientRecord>[] {
  const sections = clientSectionsOf(filter, filled);
  // Machines have no index of their own: they are the others.
  return filter.kind === 'machine'
    ? sections.map((section) => ({ ...section, without: indexUnder.application() }))
    : sections;
}

function clientSectionsOf(
  filter: ClientFilter & Pick<PageRequest, 'after'>,
  filled: number,
): readonly Section<ClientRecord>[] {
  const { ceilingRole, beginning, kind, status } = filter;
  const isWanted = (client: ClientRecord) => isInClientList(client, filter);
  if (beginning !== undefined) return sectionsOfBeginning(beginning, filter, filled, isWanted);
  if (ceilingRole !== undefined) return [{ name: '0', index: indexUnder.ceilingRole(ceilingRole), isWanted }];
  if (filled < 1) return [{ name: '0', isWanted }];
  if (status === 'disabled') return [{ name: '3', index: indexUnder.disabledClient(), isWanted }];
  if (kind === 'application') return [{ name: '4', index: indexUnder.application(), isWanted }];
  return [{ name: '0', isWanted }];
}

/** Those whose id begins so, then those of whom a word of the name does. */
function sectionsOfBeginning(
  beginning: string,
  { kind, after }: ClientFilter & Pick<PageRequest, 'after'>,
  filled: number,
  isWanted: (client: ClientRecord) => boolean,
): readonly Section<ClientRecord>[] {
  const isBy = (client: ClientRecord) => foundBy(client, beginning);
  const [word] = wordsOfName(beginning);
  const byId = {
    beginning: partBeginning(foldedName(beginning)),
    isWanted: (client: ClientRecord) => isBy(client)?.id !== undefined && isWanted(client),
  };
  const byWord = {
    beginning: partBeginning(word ?? ''),
    isWanted(client: ClientRecord, part: unknown) {
      const first = isBy(client)?.word;
      return first !== undefined && keyPart(first) === part && isWanted(client);
    },
  };
  const byEach = {
    name: '5',
    isWanted: (client: ClientRecord) => isBy(client)?.word !== undefined && isWanted(client),
  };
  const ofAll = { name: '1', index: ['client-name'], ...byId };
  const ofApplications = { name: '6', index: ['application-name'], ...byId };
  // A list goes on as it has begun.
  const begun = after?.[0] ?? '';
  const isOfApplications = kind === 'application' && filled >= 2 && !['1', '2', '5'].includes(begun);
  if (word === undefined) return [isOfApplications ? ofApplications : ofAll];
  if (isOfApplications) return [ofApplications, { name: '7', index: ['application-word'], ...byWord }];
  return filled < 1 || begun === byEach.name
    ? [ofAll, byEach]
    : [ofAll, { name: '2', index: ['client-word'], ...byWord }];
}

/** @param after  a `next`; any other text is a place in the order too */
export function placeOf<R>(
  after: string,
  sections: readonly Section<R>[],
): { readonly section: Section<R>; readonly parts: string[] } {
  const section = sections.find(({ name }) => name === after[0]) ?? sections[0]!;
  return { section, parts: after.slice(1).split('\n').slice(0, 2).map(givenPart) };
}
