/** `/api/v1/queues`: queues that are known by name, their sizes, and their items, which can be taken and not looked at. */
import { z } from 'zod';
import { listOf } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { view } from '../../operations/resource-fields.ts';
import {
  type ClusterNeeds,
  memberProblems,
  shown,
  shownFields,
  storable,
  storedFields,
  structureName,
} from './member-calls.ts';
import { offer, poll, sizeOf, withSizes } from './queue-calls.ts';
import {
  findStructure,
  listStructures,
  queueFields,
  type StructureNeeds,
  structureQuery,
} from './structure-lists.ts';

type QueueNeeds = ClusterNeeds & StructureNeeds;

/** So many items, and about so many bytes, are taken by one call. */
const mostDrained = 100;
const mostDrainedBytes = 1024 * 1024;

const item = view(shownFields).meta({ id: 'QueueItem' });
const queueView = view({
  ...queueFields,
  size: z.number().int().meta({ description: 'Items in it now.' }),
}).meta({ id: 'Queue' });
const listedQueue = view({
  ...queueFields,
  size: z.number().int().nullable().meta({
    description:
      'Items in it now, or when its history asked last where no member answers at once; null: nothing is known of it from the last hour.',
  }),
}).meta({ id: 'ListedQueue' });
const params = z.strictObject({ queue: structureName });
const changes = {
  access: 'write',
  params,
  hasVersion: false,
  isMaking: true,
  statuses: [200],
  problems: memberProblems,
} as const;

export const queueOperations: readonly Operation<QueueNeeds>[] = [
  operation({
    id: 'listQueues',
    method: 'GET',
    path: '/queues',
    summary:
      "Lists the queues that are known by name: from the members' configuration, roles, clients and calls of 30 days. There may be others.",
    access: 'read',
    query: structureQuery,
    answer: listOf(listedQueue),
    async run({ query, actor }, needs: QueueNeeds) {
      const page = await listStructures('listQueues', 'queue', query, actor, needs);
      return { body: { ...page, items: await withSizes(page.items, needs) } };
    },
  }),
  operation({
    id: 'readQueue',
    problems: memberProblems,
    method: 'GET',
    path: '/queues/{queue}',
    summary: 'Shows a queue, and how many items are in it.',
    access: 'read',
    params,
    answer: queueView,
    async run({ params: { queue }, actor }, needs: QueueNeeds) {
      const size = await sizeOf(queue, needs);
      return { body: { ...(await findStructure('queue', queue, actor, needs)), size } };
    },
  }),
  operation({
    ...changes,
    id: 'offerToQueue',
    method: 'POST',
    path: '/queues/{queue}/offer',
    summary: 'Puts an item at the end of a queue.',
    event: 'queue.offered',
    body: z.strictObject(storedFields),
    answer: view({ size: z.number().int().meta({ description: 'Items in it after that.' }) }).meta({
      id: 'OfferedItem',
    }),
    async run({ params: { queue }, body, isDryRun }, needs: QueueNeeds) {
      const value = storable(body);
      if (!isDryRun) await offer(queue, value, needs);
      const size = await sizeOf(queue, needs);
      return {
        body: { size: isDryRun ? size + 1 : size },
        target: queue,
        changes: { bytes: value.bytes.length },
      };
    },
  }),
  operation({
    ...changes,
    id: 'pollQueue',
    method: 'POST',
    path: '/queues/{queue}/poll',
    summary: 'Takes the first item of a queue away from everybody; null when there is none.',
    event: 'queue.polled',
    answer: z.strictObject({ item: item.nullable() }).meta({ id: 'PolledItem' }),
    async run({ params: { queue } }, needs: QueueNeeds) {
      const taken = await poll(queue, needs);
      return {
        body: { item: taken ? shown(taken) : null },
        target: queue,
        ...(taken ? { changes: { bytes: taken.bytes.length } } : { isUnchanged: true }),
      };
    },
  }),
  operation({
    ...changes,
    id: 'drainQueue',
    method: 'POST',
    path: '/queues/{queue}/drain',
    summary: 'Takes several items away, the first ones first; fewer than asked for when they are large.',
    event: 'queue.drained',
    body: z.strictObject({ most: z.number().int().min(1).max(mostDrained).meta({ example: 10 }) }),
    answer: view({
      items: z.array(item),
      left: z
        .number()
        .int()
        .nullable()
        .meta({ description: 'Items that are in it still; null when the member does not say.' }),
    }).meta({ id: 'DrainedItems' }),
    async run({ params: { queue }, body: { most } }, needs: QueueNeeds) {
      const { items, error } = await drain(queue, most, needs);
      // What has been taken is told, whatever became of the rest.
      if (error && items.length === 0) throw error;
      const left = await sizeOf(queue, needs).catch(() => null);
      return {
        body: { items, left },
        target: queue,
        ...(items.length > 0 ? { changes: { items: items.length } } : { isUnchanged: true }),
      };
    },
  }),
];

async function drain(queue: string, most: number, needs: ClusterNeeds) {
  const items: ReturnType<typeof shown>[] = [];
  let left = mostDrainedBytes;
  try {
    while (items.length < most && left > 0) {
      const taken = await poll(queue, needs);
      if (!taken) break;
      left -= taken.bytes.length;
      items.push(shown(taken));
    }
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}
