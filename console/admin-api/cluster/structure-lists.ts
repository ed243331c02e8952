/** Lists of maps and queues: members tell none over REST, so names are gathered (docs/admin-api.md#maps-and-queues). */
import { z } from 'zod';
import type { Pins } from '../../accounts/pins.ts';
import type { ReadLastHour, StructureHour } from '../../metrics/call-history/last-hour.ts';
import type { Actor } from '../../operations/actor.ts';
import { type Cursors, listQuery, pageOf } from '../../operations/lists.ts';
import { dateTime } from '../../operations/resource-fields.ts';
import { type Orders, sortedPageOf, sortParameter } from '../../operations/sorted-lists.ts';
import { structureName } from './member-calls.ts';

interface KnownStructure {
  readonly id: string;
  readonly sources: readonly ('configuration' | 'roles' | 'clients' | 'calls' | 'pinned')[];
  readonly lastCallOn: number | undefined;
}

export interface StructureNeeds {
  readonly structureNames: {
    list(
      kind: 'map' | 'queue',
    ): Promise<{ readonly items: readonly KnownStructure[]; readonly isExact: boolean }>;
  };
  readonly pins: Pick<Pins, 'of'>;
  readonly readLastHour: ReadLastHour;
  readonly cursors: Cursors;
}

type NameNeeds = Omit<StructureNeeds, 'cursors'>;

export const structureQuery = listQuery({
  q: z.string().max(200).exactOptional().meta({ description: 'The beginning of a name.' }),
  sort: sortParameter(['id', 'lastCallOn'], 'By default `id`. Those without a known call come last.'),
});

const orders: Orders<KnownStructure> = {
  id: ({ id }) => id,
  lastCallOn: ({ lastCallOn }) => lastCallOn ?? null,
};

export const structureFields = {
  id: structureName,
  sources: z.array(z.enum(['configuration', 'roles', 'clients', 'calls', 'pinned'])).meta({
    description:
      'Where the name is known from, `configuration` of the members, `pinned` by the person who asks; empty: from nowhere, and there may be such a one all the same.',
  }),
  lastCallOn: dateTime.nullable().meta({
    description: 'The day of the last call through the console, of the last 30 days.',
  }),
};

const rate = z.number().nullable();
const ofLastHour =
  'Through the console, of the last hour, minute by minute; null where nothing is known of it';
/** Of a list, and of each. */
export const mapFields = {
  ...structureFields,
  callsPerSecond: rate.meta({ description: `${ofLastHour}.`, example: 1.4 }),
  hitShare: rate.meta({ description: `Reads that found an entry, of all. ${ofLastHour}.`, example: 0.98 }),
  meanValueBytes: rate.meta({ description: `Of values that were read or put. ${ofLastHour}.` }),
};
export const queueFields = {
  ...structureFields,
  offersPerSecond: rate.meta({ description: `${ofLastHour}.` }),
  pollsPerSecond: rate.meta({ description: `Polls that were given an item. ${ofLastHour}.` }),
  pollsWaiting: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'Polls that waited for an item when they were counted last, once a minute.' }),
};

export type StructureKind = 'map' | 'queue';

/** @param list  the operation's id */
export async function listStructures<K extends StructureKind>(
  list: string,
  kind: K,
  query: z.infer<typeof structureQuery>,
  actor: Actor,
  needs: StructureNeeds,
) {
  const { items, isExact } = await namesFor(actor, kind, needs);
  const wanted = query.q === undefined ? items : items.filter(({ id }) => id.startsWith(query.q!));
  const page =
    sortedPageOf(list, wanted, orders, query, needs.cursors) ?? pageOf(list, wanted, query, needs.cursors);
  return {
    ...page,
    items: await viewsOf(kind, page.items, needs),
    count: { value: wanted.length, isExact },
  };
}

export async function findStructure<K extends StructureKind>(
  kind: K,
  name: string,
  actor: Actor,
  needs: NameNeeds,
) {
  const { items } = await namesFor(actor, kind, needs);
  const found = items.find(({ id }) => id === name) ?? { id: name, sources: [], lastCallOn: undefined };
  return (await viewsOf(kind, [found], needs))[0]!;
}

/** Those that everybody is told, and the person's own pins among them. */
async function namesFor(
  actor: Actor,
  kind: StructureKind,
  { structureNames, pins }: Pick<NameNeeds, 'structureNames' | 'pins'>,
) {
  const { items, isExact } = await structureNames.list(kind);
  const own = actor.kind === 'user' ? await pins.of(actor.id) : [];
  const pinned = new Set(own.flatMap((pin) => (pin.kind === kind ? [pin.name] : [])));
  if (pinned.size === 0) return { items, isExact };
  const known: KnownStructure[] = items.map((one) =>
    pinned.delete(one.id) ? { ...one, sources: [...one.sources, 'pinned'] } : one,
  );
  for (const id of pinned) known.push({ id, sources: ['pinned'], lastCallOn: undefined });
  return { items: known.sort((one, other) => (one.id < other.id ? -1 : 1)), isExact };
}

async function viewsOf<K extends StructureKind>(
  kind: K,
  structures: readonly KnownStructure[],
  { readLastHour }: Pick<NameNeeds, 'readLastHour'>,
) {
  const hours = await readLastHour(structures.map(({ id }) => `${kind}:${id}`));
  return structures.map(({ lastCallOn, ...structure }, at) => ({
    ...structure,
    lastCallOn: lastCallOn === undefined ? null : new Date(lastCallOn).toISOString(),
    ...(figuresOf[kind](hours[at]!) as ReturnType<(typeof figuresOf)[K]>),
  }));
}

function mapFigures({ minutes, fine, denied, failed, found, missed, valueBytes, values }: StructureHour) {
  return {
    callsPerSecond: quotient(fine + denied + failed, minutes * 60),
    hitShare: quotient(found, found + missed),
    meanValueBytes: quotient(valueBytes, values),
  };
}

function queueFigures({ minutes, found, written, waiting, size }: StructureHour) {
  return {
    offersPerSecond: quotient(written, minutes * 60),
    pollsPerSecond: quotient(found, minutes * 60),
    pollsWaiting: waiting ?? null,
    size: size ?? null,
  };
}

const figuresOf = { map: mapFigures, queue: queueFigures };

/** To three digits: more would be noise. */
function quotient(value: number, by: number): number | null {
  return by === 0 ? null : Number((value / by).toPrecision(3));
}
