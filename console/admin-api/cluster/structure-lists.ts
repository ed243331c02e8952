/** Lists of maps and queues: members tell none over REST, so names are gathered (docs/admin-api.md#maps-and-queues). */
import { z } from 'zod';
import { type Cursors, listQuery, pageOf } from '../../operations/lists.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { structureName } from './member-calls.ts';

interface KnownStructure {
  readonly id: string;
  readonly sources: readonly ('roles' | 'clients' | 'calls')[];
  readonly lastCallOn: number | undefined;
}

export interface StructureNeeds {
  readonly structureNames: {
    list(
      kind: 'map' | 'queue',
    ): Promise<{ readonly items: readonly KnownStructure[]; readonly isExact: boolean }>;
  };
  readonly cursors: Cursors;
}

export const structureQuery = listQuery({
  q: z.string().max(200).exactOptional().meta({ description: 'The beginning of a name.' }),
});

export const structureFields = {
  id: structureName,
  sources: z.array(z.enum(['roles', 'clients', 'calls'])).meta({
    description:
      'Where the name is known from; empty: from nowhere, and there may be such a one all the same.',
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
  { structureNames, cursors }: StructureNeeds,
) {
  const { items, isExact } = await structureNames.list(kind);
  const wanted = query.q === undefined ? items : items.filter(({ id }) => id.startsWith(query.q!));
  const page = pageOf(list, wanted, query, cursors);
  return { ...page, items: page.items.map(viewOf), count: { value: wanted.length, isExact } };
}

export async function findStructure(
  kind: 'map' | 'queue',
  name: string,
  { structureNames }: Pick<StructureNeeds, 'structureNames'>,
) {
  const { items } = await structureNames.list(kind);
  return viewOf(items.find(({ id }) => id === name) ?? { id: name, sources: [], lastCallOn: undefined });
}

function viewOf({ lastCallOn, ...structure }: KnownStructure) {
  return {
    ...structure,
    lastCallOn: lastCallOn === undefined ? null : new Date(lastCallOn).toISOString(),
  };
}
