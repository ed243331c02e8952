/**
 * Entries by filters, of all consoles, the newest or the oldest first: by the index of what is asked for that few entries have, and of
 * those that it gives at most {@link mostChecked}, so that no page takes long, whatever it finds.
 */
import { type Database, type Statement, statement } from '../../storage/postgres/database.ts';
import { saysChange } from '../../storage/postgres/schema/changes-schema.ts';
import { prefixBytes } from '../chain.ts';
import type { Entry } from '../entry.ts';
import { readEntry } from '../erased-entry.ts';
import type { Place } from '../index/entry-list.ts';
import { type EntryFilter, isMatch } from '../index/filter.ts';
import { objectText, success, termOf } from './entry-row.ts';

export interface RowPage {
  readonly entries: readonly Entry[];
  /** undefined: there are no more. */
  readonly next?: Place | undefined;
}

interface ListedRow {
  readonly writer: string;
  readonly seq: number;
  readonly latest: number;
  readonly stored: Buffer;
}

type PlaceRow = Omit<ListedRow, 'stored'>;

/** What is not found by an index is read, each entry from another page of the table: some milliseconds for so many. */
const mostChecked = 1000;
const most = '9223372036854775807';

/**
 * Parameters: what the filter asks for, each null where it asks for nothing, then the place and the times. What is asked for
 * first has the fewest entries, as a rule.
 */
const order = [
  ...(['id', 'decision', 'object', 'actor', 'member'] as const),
  ...(['client', 'event', 'outcome', 'objectKind', 'eventGroup'] as const),
];
type Asked = (typeof order)[number];

/** Two that have an index together: each alone is of many, and both are of few. */
const pairs = [
  ['object', 'outcome'],
  ['actor', 'outcome'],
  ['actor', 'event'],
  ['member', 'outcome'],
  ['event', 'outcome'],
] as const satisfies readonly (readonly [Asked, Asked])[];

/** By what a list goes: one, two, what has changed something, or the times alone. */
type Lead = readonly Asked[] | 'changes';

const leads: readonly Lead[] = [
  ...([['id'], ['decision'], ...pairs, ['object']] satisfies Lead[]),
  // Of machines nearly all entries are calls.
  'changes',
  ...order.map((asked) => [asked]),
  [],
];

const otherColumns: Partial<Record<Asked, string>> = {
  id: 'ids',
  decision: 'ids',
  objectKind: 'object_kind',
  eventGroup: 'event_group',
};

const columnOf = (asked: Asked) => otherColumns[asked] ?? asked;
const parameterOf = (asked: Asked) => `$${order.indexOf(asked) + 1}::bigint`;
const place = '$11::bigint, $12::bigint, $13::bigint';

/** Which way a list goes through an index. */
interface Way {
  readonly sense: 'asc' | 'desc';
  /** How what is still to come stands to the place of the page. */
  readonly than: '>=' | '<=';
  /** How all of the values that are asked for stand to what is asked for. */
  readonly valueThan: '>=' | '<=';
  /** Where the times end. */
  readonly times: string;
}

const newestFirst: Way = {
  sense: 'desc',
  than: '<=',
  valueThan: '>=',
  times: '($14::bigint is null or latest >= $14)',
};
/** After a clock that went back entries stand behind later ones. */
const oldestFirst: Way = {
  sense: 'asc',
  than: '>=',
  valueThan: '<=',
  times: '($15::bigint is null or latest < $15 + (select coalesce(max(most_back), 0) from audit_chain))',
};

const placesIn = ({ sense }: Way, of = '') =>
  ['latest', 'chain', 'seq'].map((column) => `${of}${column} ${sense}`).join(', ');
const isToCome = ({ than, times }: Way) => `(latest, chain, seq) ${than} (${place}) and ${times}`;

interface Source {
  readonly text: string;
  /** Of its index: a page ends where it has enough, without a sort of all that it might look at. */
  readonly order: string;
}

/** Those of these values, in the order of their index: said so that no other index will do, however many there are. */
function ofValues(way: Way, columns: readonly string[], parameters: readonly string[]): string {
  const [named, given] = [columns.join(', '), parameters.join(', ')];
  const values = columns.map((column, n) => `${column} as by_value_${n}`).join(', ');
  // The last of two is told of, since its index has only those that say something.
  const isThere = columns.length > 1 ? ` and ${columns.at(-1)} is not null` : '';
  return `(select *, ${values} from audit_entry
    where (${named}) ${way.valueThan} (${given}) and (${named}, latest, chain, seq) ${way.than} (${given}, ${place})
      and ${way.times}${isThere}
    order by ${columns.map((column) => `${column} ${way.sense}`).join(', ')}, ${placesIn(way)} limit ${mostChecked + 1})`;
}

/** By the index of what is asked for, or by the times. */
function sourceOf(lead: Lead, way: Way): Source {
  const [isBehind, byPlace] = [isToCome(way), placesIn(way)];
  if (lead === 'changes')
    return { text: `(select * from audit_entry where ${saysChange} and ${isBehind})`, order: byPlace };
  const [by] = lead;
  if (by === undefined) return { text: `(select * from audit_entry where ${isBehind})`, order: byPlace };
  const parameters = lead.map(parameterOf);
  // Sorted afterwards: else the planner might look for a few ids along all times.
  if (columnOf(by) === 'ids')
    return {
      text: `(with found as materialized (select * from audit_entry where ids @> array[${parameters[0]}])
      select * from found where ${isBehind})`,
      order: byPlace,
    };
  const text =
    by === 'client'
      ? `(${ofValues(way, ['client'], parameters)} union all ${ofValues(way, ['other_client'], parameters)})`
      : ofValues(way, lead.map(columnOf), parameters);
  return { text, order: `${lead.map((_, n) => `by_value_${n} ${way.sense}`).join(', ')}, ${byPlace}` };
}

const checks = order.map((asked) => {
  const parameter = parameterOf(asked);
  if (columnOf(asked) === 'ids') return `(${parameter} is null or ids @> array[${parameter}])`;
  const isIt = `${columnOf(asked)} = ${parameter}`;
  return `(${parameter} is null or ${asked === 'client' ? `(${isIt} or other_client = ${parameter})` : isIt})`;
});
/** Always: a parameter has to be somewhere. */
const isAsked = `(true or ${order.map((asked) => `${parameterOf(asked)} is null`).join(' or ')} or $14::bigint is null
  or $15::bigint is null or $16::boolean or $17::int is null or $18::boolean)`;

const listText = (
  { text, order: inOrder }: Source,
  way: Way,
) => `select writer, found.seq, found.latest, found.stored from (
    select * from (select * from ${text} candidates order by ${inOrder} limit ${mostChecked}) checked
      where ${checks.join(' and ')} and (not $16::boolean or outcome is null)
        and (not $18::boolean or ${saysChange})
        and event is not null and ($14::bigint is null or time >= $14) and ($15::bigint is null or time < $15)
        and not repeats
      order by ${inOrder} limit $17) found
  join audit_chain on audit_chain.id = found.chain order by ${placesIn(way, 'found.')}`;

/** Of the first that such a page has not looked at. */
const restText = ({ text, order: inOrder }: Source) => `select writer, rest.seq, rest.latest from (
    select * from ${text} candidates where ${isAsked} order by ${inOrder} offset ${mostChecked} limit 1) rest
  join audit_chain on audit_chain.id = rest.chain`;

/** Without a name: a plan that is good for a client of two entries is bad for one of a million. */
const anew = '';

interface Statements {
  readonly list: Statement;
  readonly rest: Statement;
}

const statementsOf = (way: Way): ReadonlyMap<Lead, Statements> =>
  new Map(
    leads.map((lead) => {
      const source = sourceOf(lead, way);
      return [
        lead,
        { list: statement(anew, listText(source, way)), rest: statement(anew, restText(source)) },
      ];
    }),
  );
const fromNewest = statementsOf(newestFirst);
const fromOldest = statementsOf(oldestFirst);

const aboutPlace = statement(
  'audit_place',
  `select (select id from audit_chain where writer = $1::text) as id,
    (select coalesce(max(most_back), 0) from audit_chain) as "mostBack"`,
);

export async function listRows(
  database: Pick<Database, 'run'>,
  {
    filter,
    limit,
    from,
    isOldestFirst = false,
  }: {
    readonly filter: EntryFilter;
    readonly limit: number;
    readonly from?: Place | undefined;
    readonly isOldestFirst?: boolean | undefined;
  },
): Promise<RowPage> {
  const asked = askedOf(filter);
  const { list, rest } = (isOldestFirst ? fromOldest : fromNewest).get(
    leads.find((lead) => isAskedBy(lead, asked, filter))!,
  )!;
  const values = [
    ...order.map((name) => asked[name]),
    ...(await (isOldestFirst ? placeFromOldest : placeFromNewest)(database, from, filter)),
    ...[filter.since ?? null, filter.until ?? null, filter.outcome === success],
  ];
  const isChange = filter.isChange === true;
  const { rows } = await database.run<ListedRow>(list, [...values, limit + 1, isChange]);
  const entries = rows.slice(0, limit).flatMap(({ stored }) => {
    const entry = entryOf(stored);
    return entry && isMatch(entry, filter) ? [entry] : [];
  });
  const next = rows[limit] ?? (await database.run<PlaceRow>(rest, [...values, limit, isChange])).rows[0];
  return { entries, ...(next && { next: { latest: next.latest, writer: next.writer, seq: next.seq } }) };
}

function isAskedBy(
  lead: Lead,
  asked: Readonly<Record<Asked, string | null>>,
  { isChange }: EntryFilter,
): boolean {
  return lead === 'changes' ? isChange === true : lead.every((name) => asked[name] !== null);
}

/** @param stored  with its link. @returns undefined for what was erased */
export function entryOf(stored: Buffer): Entry | undefined {
  return readEntry(stored.subarray(prefixBytes));
}

function askedOf(filter: EntryFilter): Readonly<Record<Asked, string | null>> {
  const { actor, objectKind, objectId, client, event, outcome, member, decision, id } = filter;
  const isGroup = event?.endsWith('.*') === true;
  const isWhole = objectKind !== undefined && objectId !== undefined;
  const orNull = (text: string | undefined) => (text === undefined ? null : termOf(text));
  return {
    id: orNull(id),
    decision: orNull(decision),
    object: isWhole ? termOf(objectText(objectKind, objectId)) : null,
    actor: orNull(actor),
    member: orNull(member),
    client: orNull(client),
    event: isGroup ? null : orNull(event),
    outcome: outcome === success ? null : orNull(outcome),
    objectKind: orNull(objectKind),
    eventGroup: isGroup ? orNull(event.slice(0, -2)) : null,
  };
}

/** The first that may be on the page, from the oldest on. */
async function placeFromOldest(
  database: Pick<Database, 'run'>,
  from: Place | undefined,
  { since = 0 }: EntryFilter,
): Promise<readonly (number | string)[]> {
  if (!from || from.latest < since) return [since, 0, 0];
  const { rows } = await database.run<{ id: number | null }>(aboutPlace, [from.writer]);
  return [from.latest, rows[0]!.id ?? 0, from.seq];
}

/** The same from the newest on. */
async function placeFromNewest(
  database: Pick<Database, 'run'>,
  from: Place | undefined,
  { until }: EntryFilter,
): Promise<readonly (number | string)[]> {
  if (!from && until === undefined) return [most, most, most];
  const { rows } = await database.run<{ id: number | null; mostBack: number }>(aboutPlace, [
    from?.writer ?? null,
  ]);
  const { id, mostBack } = rows[0]!;
  // Of a clock that went back entries stand behind later ones.
  const last = until === undefined ? Number.POSITIVE_INFINITY : until + mostBack - 1;
  // Of a chain that is gone: what is older than that.
  if (from && from.latest <= last) return [from.latest, id ?? 0, from.seq];
  return [last, most, most];
}
