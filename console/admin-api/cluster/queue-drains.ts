/** `/api/v1/queues/{queue}/drains`: items that are taken into a file by a job, for whoever has asked for it to fetch. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { ItemFiles } from '../../jobs/item-files.ts';
import { isOver, type Job } from '../../jobs/job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type DrainInput, drainKind } from '../../jobs/queue-drains.ts';
import { DecryptionError } from '../../keys/encryption.ts';
import type { Actor } from '../../operations/actor.ts';
import { type Cursors, listOf, listQuery } from '../../operations/lists.ts';
import { type Answer, type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { jobStates } from '../jobs.ts';
import { structureName } from './member-calls.ts';

export interface DrainNeeds {
  readonly jobs: Jobs;
  readonly itemFiles: Pick<ItemFiles, 'endOf' | 'read' | 'remove'>;
  readonly cursors: Cursors;
}

const mostItems = 100_000;
/** Lines of what is fetched. */
const answerType = 'application/x-ndjson';

const drainId = z.string().regex(/^job_[0-9a-f]{32}$/);
const text = z.string();
const drainView = view({
  id: drainId.meta({ description: 'That of its job, too.' }),
  queue: structureName,
  state: z.enum(jobStates),
  most: z.number().int(),
  items: z.number().int().meta({ description: 'Taken by now.' }),
  total: z.number().int().nullable().meta({ description: 'Items that it expects; null before it runs.' }),
  bytes: z.number().int().nullable().meta({ description: 'Of what is fetched; null before it is over.' }),
  storedUntil: dateTime
    .nullable()
    .meta({ description: 'Until then the file can be fetched; null: there is none, or not any more.' }),
  startedBy: text,
  problem: view({ code: text, detail: text }).nullable(),
  createdAt: dateTime,
  endedAt: dateTime.nullable(),
}).meta({ id: 'QueueDrain' });
const queueParams = z.strictObject({ queue: structureName });
const params = z.strictObject({ queue: structureName, drain: drainId });
const own = 'Only whoever has begun it, and Admin, has it.';

export const queueDrainOperations: readonly Operation<DrainNeeds>[] = [
  operation({
    id: 'startQueueDrain',
    method: 'POST',
    path: '/queues/{queue}/drains',
    summary: 'Begins to take items into a file of the console, the first ones first, one by one.',
    description:
      'An item is on the disk before the next one is taken. It ends when the queue is empty, at the number asked for, or at 256 MiB.',
    access: 'write',
    event: 'queue.drain_started',
    hasVersion: false,
    isMaking: true,
    params: queueParams,
    body: z.strictObject({ most: z.number().int().min(1).max(mostItems).meta({ example: 5000 }) }),
    answer: drainView,
    statuses: [200, 202],
    async run({ params: { queue }, body: { most }, actor, waitSeconds, isDryRun }, needs: DrainNeeds) {
      const input: DrainInput = { queue, most, actorKind: actor.kind };
      const asked = { kind: drainKind, input: { ...input }, startedBy: actor.id, resumable: false };
      const begun = await needs.jobs.add({ ...asked, unit: 'items' });
      const job = await needs.jobs.wait(begun, isDryRun ? 0 : waitSeconds * 1000);
      return {
        ...(await answerOf(job, needs)),
        status: isOver(job) ? 200 : 202,
        target: queue,
        changes: { job: job.id, most },
        headers: { Location: `/api/v1/queues/${encodeURIComponent(queue)}/drains/${job.id}` },
      };
    },
  }),
  operation({
    id: 'listQueueDrains',
    method: 'GET',
    path: '/queues/{queue}/drains',
    summary: 'Lists what was taken out of a queue into files in the last 30 days, the newest first.',
    description: own,
    access: 'read',
    params: queueParams,
    query: listQuery({}),
    answer: listOf(drainView),
    async run({ params: { queue }, query, actor }, needs: DrainNeeds) {
      const { limit = 50 } = query;
      const list = `listQueueDrains ${queue}`;
      const after = needs.cursors.read(list, query);
      const all = (await needs.jobs.list()).filter((job) => isDrainOf(job, queue) && mayHave(actor, job));
      const rest = after === undefined ? all : all.filter(({ id }) => id < after);
      const items = rest.slice(0, limit);
      const last = rest.length > limit ? items.at(-1) : undefined;
      return {
        body: {
          items: await Promise.all(items.map((job) => viewOf(job, needs))),
          next: last ? needs.cursors.write(list, query, last.id) : null,
          count: { value: all.length, isExact: true },
        },
      };
    },
  }),
  operation({
    id: 'readQueueDrain',
    method: 'GET',
    path: '/queues/{queue}/drains/{drain}',
    summary: 'Shows how far it is; with `Prefer: wait=N` when it is over, or after N seconds.',
    description: own,
    access: 'read',
    params,
    answer: drainView,
    async run({ params: asked, actor, waitSeconds }, needs: DrainNeeds) {
      return answerOf(await needs.jobs.wait(await found(asked, actor, needs), waitSeconds * 1000), needs);
    },
  }),
  operation({
    id: 'stopQueueDrain',
    method: 'POST',
    path: '/queues/{queue}/drains/{drain}/stop',
    summary: 'Stops it after the item that is being taken; what was taken stays in the file.',
    description: own,
    access: 'write',
    event: 'job.cancelled',
    hasVersion: false,
    params,
    answer: drainView,
    statuses: [200, 202],
    problems: [409],
    async run({ params: asked, actor, waitSeconds, isDryRun }, needs: DrainNeeds) {
      const job = await found(asked, actor, needs);
      if (isOver(job)) throw new ProblemError(problems.conflict, 'This job is over.');
      if (!isDryRun) await needs.jobs.cancel(job);
      const newest = await needs.jobs.wait(job, isDryRun ? 0 : waitSeconds * 1000);
      return { ...(await answerOf(newest, needs)), status: isOver(newest) ? 200 : 202, target: job.id };
    },
  }),
  operation({
    id: 'fetchQueueItems',
    method: 'GET',
    path: '/queues/{queue}/drains/{drain}/items',
    summary: 'Gives what was taken: a line of JSON for each item, with its type and its value in base64.',
    description: `${own} It can be fetched again until it is removed, or 24 hours are over.`,
    access: 'read',
    readEvent: 'queue.items_fetched',
    isLong: true,
    params,
    answerType,
    problems: [409],
    async run({ params: asked, actor }, needs: DrainNeeds) {
      const job = await withFile(asked, actor, needs);
      await checkReadable(job, needs);
      return {
        stream: needs.itemFiles.read(job.id),
        target: asked.queue,
        asked: { job: job.id },
        headers: {
          'Content-Type': answerType,
          'Content-Disposition': `attachment; filename="items-${job.id}.jsonl"`,
        },
      };
    },
  }),
  operation({
    id: 'deleteQueueItems',
    method: 'DELETE',
    path: '/queues/{queue}/drains/{drain}/items',
    summary: 'Removes the file. Whoever has not fetched it cannot get its items any more.',
    description: own,
    access: 'write',
    isDangerous: true,
    event: 'queue.items_removed',
    hasVersion: false,
    params,
    problems: [409],
    async run({ params: asked, actor, isDryRun }, needs: DrainNeeds) {
      const job = await withFile(asked, actor, needs);
      if (!isDryRun) await needs.itemFiles.remove(job.id);
      return { target: asked.queue, changes: { job: job.id } };
    },
  }),
];

type Asked = z.infer<typeof params>;

function isDrainOf({ kind, input }: Job, queue: string): boolean {
  return kind === drainKind && input.queue === queue;
}

/** A machine may have the name of a person. */
function mayHave(actor: Actor, { startedBy, input }: Job): boolean {
  if (actor.kind === 'local' || actor.roles.includes('Admin')) return true;
  return startedBy === actor.id && input.actorKind === actor.kind;
}

/** @throws {ProblemError} `not_found`: what is not theirs is not there for others */
async function found({ queue, drain }: Asked, actor: Actor, { jobs }: DrainNeeds): Promise<Job> {
  const job = await jobs.find(drain);
  if (job && isDrainOf(job, queue) && mayHave(actor, job)) return job;
  throw new ProblemError(problems.notFound, 'There is nothing of this id, or not any more.');
}

/** @throws {ProblemError} `not_found`; `conflict` before it is over */
async function withFile(asked: Asked, actor: Actor, needs: DrainNeeds): Promise<Job> {
  const job = await found(asked, actor, needs);
  if (!isOver(job)) throw new ProblemError(problems.conflict, 'Items are still being taken: stop it first.');
  if ((await needs.itemFiles.endOf(job.id)) !== undefined) return job;
  throw new ProblemError(problems.notFound, 'There is no file of it here, or not any more.');
}

/** Before anything is answered. @throws {ProblemError} `conflict` with another encryption key than that of its time */
async function checkReadable({ id }: Job, { itemFiles }: DrainNeeds): Promise<void> {
  try {
    for await (const _first of itemFiles.read(id)) return;
  } catch (cause) {
    if (!(cause instanceof DecryptionError)) throw cause;
    throw new ProblemError(problems.conflict, cause.message, { cause });
  }
}

async function answerOf(job: Job, needs: DrainNeeds): Promise<Answer> {
  return { body: await viewOf(job, needs) };
}

async function viewOf(job: Job, { itemFiles }: DrainNeeds): Promise<z.infer<typeof drainView>> {
  const { id, state, progress, result, startedBy, problem, createdAt, endedAt } = job;
  const { queue, most } = job.input as unknown as DrainInput;
  const storedUntil = isOver(job) ? await itemFiles.endOf(id) : undefined;
  return {
    ...{ id, queue, state, most, startedBy, problem },
    items: progress.done,
    total: progress.total,
    bytes: typeof result?.bytes === 'number' ? result.bytes : null,
    storedUntil: storedUntil === undefined ? null : new Date(storedUntil).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}
