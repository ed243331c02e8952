/** `/api/v1/jobs`: what takes longer than a call may, while it is worked on and for 30 days. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import { followJob } from '../jobs/follow-job.ts';
import { isOver, type Job } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { readingKind } from '../jobs/map-readings.ts';
import { drainKind } from '../jobs/queue-drains.ts';
import { type Cursors, defaultItems, type ListedQuery, listOf, listQuery } from '../operations/lists.ts';
import { type Answer, type Operation, operation } from '../operations/operation.ts';
import { dateTime, view } from '../operations/resource-fields.ts';
import { type Orders, sortedPageOf, sortParameter } from '../operations/sorted-lists.ts';

export interface JobNeeds {
  readonly jobs: Jobs;
  readonly cursors: Cursors;
}

export const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted'] as const;
export const jobId = z.string().regex(/^job_[0-9a-f]{32}$/);
const text = z.string();
export const jobView = view({
  id: jobId,
  kind: text.meta({ example: 'import-users' }),
  structure: view({ kind: z.enum(['map', 'queue']), name: text })
    .nullable()
    .meta({ description: 'Whose entries or items it is about.' }),
  state: z.enum(jobStates),
  progress: view({
    done: z.number().int(),
    total: z.number().int().nullable().meta({ description: 'Null: not known.' }),
    unit: text,
    step: text.meta({ description: 'What is done now, in words.' }),
  }),
  startedBy: text,
  resumable: z
    .boolean()
    .meta({ description: 'Whether another process goes on with it; otherwise it is `interrupted` then.' }),
  result: z.record(z.string(), z.unknown()).nullable(),
  problem: view({ code: text, detail: text }).nullable(),
  createdAt: dateTime,
  startedAt: dateTime.nullable(),
  updatedAt: dateTime,
  endedAt: dateTime.nullable(),
}).meta({ id: 'Job' });
const params = z.strictObject({ job: jobId });

const orders: Orders<Job> = {
  createdAt: ({ createdAt }) => createdAt,
  startedAt: ({ startedAt, createdAt }) => startedAt ?? createdAt,
  endedAt: ({ endedAt }) => endedAt,
};

export const jobOperations: readonly Operation<JobNeeds>[] = [
  operation({
    id: 'listJobs',
    method: 'GET',
    path: '/jobs',
    summary: 'Lists the jobs of the last 30 days, the newest first.',
    access: 'observe',
    query: listQuery({
      state: z.enum(jobStates).exactOptional(),
      kind: text.max(64).exactOptional(),
      sort: sortParameter(
        ['createdAt', 'startedAt', 'endedAt'],
        'By default `-createdAt`. One that has not started stands by when it was asked for; those that have not ended come last.',
      ),
    }),
    answer: listOf(jobView),
    async run({ query }, { jobs, cursors }: JobNeeds) {
      const { state, kind } = query;
      const all = (await jobs.list()).filter(
        (job) => (state === undefined || job.state === state) && (kind === undefined || job.kind === kind),
      );
      const { items, ...page } =
        sortedPageOf('listJobs', all, orders, query, cursors) ?? newestPage(all, query, cursors);
      return { body: { ...page, items: items.map(viewOfJob) } };
    },
  }),
  operation({
    id: 'readJob',
    method: 'GET',
    path: '/jobs/{job}',
    summary: 'Shows a job; with `Prefer: wait=N` when it is over, or after N seconds.',
    access: 'observe',
    params,
    answer: jobView,
    async run({ params: { job: id }, waitSeconds }, { jobs }: JobNeeds) {
      return { body: viewOfJob(await jobs.wait(await findJob(id, jobs), waitSeconds * 1000)) };
    },
  }),
  operation({
    id: 'followJob',
    method: 'GET',
    path: '/jobs/{job}/events',
    summary: 'Tells of a job as it goes on, until it is over: an event `job` for each change.',
    access: 'observe',
    params,
    answer: jobView,
    answerType: 'text/event-stream',
    isLong: true,
    async run({ params: { job: id } }, { jobs }: JobNeeds) {
      const job = await findJob(id, jobs);
      return { stream: followJob(job, jobs, (one) => JSON.stringify(viewOfJob(one))) };
    },
  }),
  operation({
    id: 'cancelJob',
    method: 'POST',
    path: '/jobs/{job}/cancel',
    summary: 'Stops a job as soon as the current step is done; what it has done stays.',
    access: 'write',
    event: 'job.cancelled',
    hasVersion: false,
    params,
    answer: jobView,
    statuses: [200, 202],
    problems: [409],
    async run({ params: { job: id }, waitSeconds, isDryRun }, { jobs }: JobNeeds) {
      const job = await findJob(id, jobs);
      if (isOver(job)) throw new ProblemError(problems.conflict, 'This job is over.');
      if (!isDryRun) await jobs.cancel(job);
      return begun(await jobs.wait(job, isDryRun ? 0 : waitSeconds * 1000));
    },
  }),
];

/** Ids are in the order in which jobs were asked for. */
function newestPage(all: readonly Job[], query: ListedQuery, cursors: Cursors) {
  const { limit = defaultItems } = query;
  const after = cursors.read('listJobs', query);
  const rest = after === undefined ? all : all.filter(({ id }) => id < after);
  const items = rest.slice(0, limit);
  const last = rest.length > limit ? items.at(-1) : undefined;
  const next = last ? cursors.write('listJobs', query, last.id) : null;
  return { items, next, count: { value: all.length, isExact: true } };
}

/** The answer of what has begun a job, or been waited for. */
export function begun(job: Job): Answer {
  return {
    status: isOver(job) ? 200 : 202,
    body: viewOfJob(job),
    target: job.id,
    headers: { Location: `/api/v1/jobs/${job.id}` },
  };
}

export function viewOfJob(job: Job) {
  const { id, kind, state, progress, startedBy, resumable, result, problem } = job;
  const { createdAt, startedAt, updatedAt, endedAt } = job;
  return {
    ...{ id, kind, structure: structureOf(job), state, progress, startedBy, resumable, result, problem },
    createdAt: at(createdAt),
    startedAt: startedAt === null ? null : at(startedAt),
    updatedAt: at(updatedAt),
    endedAt: endedAt === null ? null : at(endedAt),
  };
}

/** What a job is about that is about one map or one queue. */
export function structureOf({ kind, input }: Pick<Job, 'kind' | 'input'>) {
  if (kind === drainKind) return { kind: 'queue' as const, name: String(input.queue) };
  if (kind === readingKind) return { kind: 'map' as const, name: String(input.map) };
  return null;
}

/** @throws {ProblemError} `not_found` */
export async function findJob(id: string, jobs: Pick<Jobs, 'find'>): Promise<Job> {
  const job = await jobs.find(id);
  if (job) return job;
  throw new ProblemError(problems.notFound, 'There is no job of this id, or not any more.');
}

function at(ms: number): string {
  return new Date(ms).toISOString();
}
