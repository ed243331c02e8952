/** Lists of maps and queues: members tell none over REST, so names are gathered (docs/admin-api.md#maps-and-queues). */
import { z } from 'zod';
import type { Pins } from '../../accounts/pins.ts';
import type { Actor } from '../../operations/actor.ts';
import { type Cursors, listQuery, pageOf } from '../../operations/lists.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { structureName } from './member-calls.ts';

interface KnownStructure {
  readonly id: string;
  readonly sources: readonly ('roles' | 'clients' | 'calls' | 'pinned')[];
  readonly lastCallOn: number | undefined;
}

export interface StructureNeeds {
  readonly structureNames: {
    list(
      kind: 'map' | 'queue',
    ): Promise<{ readonly items: readonly KnownStructure[]; readonly isExact: boolean }>;
  };
  readonly pins: Pick<Pins, 'of'>;
  readonly cursors: Cursors;
}

type NameNeeds = Pick<StructureNeeds, 'structureNames' | 'pins'>;

export const structureQuery = listQuery({
  q: z.string().max(200).exactOptional().meta({ description: 'The beginning of a name.' }),
});

export const structureFields = {
  id: structureName,
  sources: z.array(z.enum(['roles', 'clients', 'calls', 'pinned'])).meta({
    description:
      'Where the name is known from, `pinned` by the person who asks; empty: from nowhere, and there may be such a one all the same.',
  }),
  lastCallOn: dateTime.nullable().meta({
    description: 'The day of the last call through the console, of the last 30 days.',
  }),
};
export const structureView = view(structureFields);

/** @param list  the operation's id */
export async function listStructures(
  list: string,
  kind: 'map' | 'queue',
  query: z.infer<typeof structureQuery>,
  actor: Actor,
  needs: StructureNeeds,
) {
  const { items, isExact } = await namesFor(actor, kind, needs);
  const wanted = query.q === undefined ? items : items.filter(({ id }) => id.startsWith(query.q!));
  const page = pageOf(list, wanted, query, needs.cursors);
  return { ...page, items: page.items.map(viewOf), count: { value: wanted.length, isExact } };
}

export async function findStructure(kind: 'map' | 'queue', name: string, actor: Actor, needs: NameNeeds) {
  const { items } = await namesFor(actor, kind, needs);
  return viewOf(items.find(({ id }) => id === name) ?? { id: name, sources: [], lastCallOn: undefined });
}

/** Those that everybody is told, and the person's own pins among them. */
async function namesFor(actor: Actor, kind: 'map' | 'queue', { structureNames, pins }: NameNeeds) {
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

function viewOf({ lastCallOn, ...structure }: KnownStructure) {
  return {
    ...structure,
    lastCallOn: lastCallOn === undefined ? null : new Date(lastCallOn).toISOString(),
  };
}
