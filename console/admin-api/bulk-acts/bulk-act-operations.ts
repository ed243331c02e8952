/** `/api/v1/jobs/bulk-acts`: one act on many things, as a job that does to each what its own operation does. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { BulkActInput } from '../../jobs/bulk-acts.ts';
import { jobActorOf } from '../../jobs/job-actor.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { checkAccess } from '../../operations/access-check.ts';
import type { Actor } from '../../operations/actor.ts';
import { checkInput } from '../../operations/input-check.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import type { PermissionsOf } from '../../operations/privileges.ts';
import { begun, findJob, jobId, jobView, viewOfJob } from '../jobs.ts';
import { isManyAct, manyActs, mostFound, mostNamed } from './acts.ts';

export interface BulkActNeeds {
  readonly jobs: Jobs;
  readonly permissionsOf: PermissionsOf;
  /** Of the table that these stand in too. */
  readonly operationNamed: (id: string) => Promise<Operation>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const names = manyActs.map((act) => act.operation) as [string, ...string[]];
const body = z
  .strictObject({
    operation: z.enum(names).meta({ description: 'What is done to each.', example: 'disableUser' }),
    ids: z
      .array(z.string().min(1).max(256))
      .min(1)
      .max(mostNamed)
      .exactOptional()
      .meta({ description: 'Of the things, as their list has them.', example: ['grace', 'linus'] }),
    query: z
      .record(z.string().max(64), z.string().max(512))
      .exactOptional()
      .meta({ description: 'In their place: all that the list of such things finds by this.' }),
    most: z.number().int().min(1).max(mostFound).exactOptional().meta({
      description: 'With `query`: when it finds more by the time that the job begins, nothing is done.',
    }),
  })
  .refine(({ ids, query }) => (ids === undefined) !== (query === undefined), 'give ids or query')
  .refine(({ query, most }) => (query === undefined) === (most === undefined), 'most goes with query');

export const bulkActOperations: readonly Operation<BulkActNeeds>[] = [
  operation({
    id: 'createBulkAct',
    method: 'POST',
    path: '/jobs/bulk-acts',
    summary: 'Does the same to many things, as a job: to each what its own operation does.',
    description:
      'Whoever calls needs what the operation needs, with `query` what its list needs too, and of an operation that wants a sign-in of late, that. ' +
      'Each thing is done for itself, with its own entry in the audit, whose `requestId` is the job; one that is refused holds up no other. ' +
      'The `result` has how many are `done`, `waiting` for a second administrator and `failed`, and the first hundred `failures` (`id`, `code`, `detail`).',
    access: 'own',
    event: 'bulk_act.started',
    isMaking: true,
    hasVersion: false,
    body,
    answer: jobView,
    statuses: [200, 202],
    async run({ body: asked, actor, waitSeconds, isDryRun }, needs: BulkActNeeds) {
      const { jobs } = needs;
      const { list, param, job: kind } = manyActs.find((act) => act.operation === asked.operation)!;
      await checkMay(asked, list, actor, needs);
      const input: BulkActInput = {
        operation: asked.operation,
        param,
        list,
        ids: asked.ids ? [...new Set(asked.ids)] : null,
        query: asked.query ?? null,
        most: asked.most ?? mostNamed,
        actor: jobActorOf(actor),
      };
      const job = await jobs.add({
        kind,
        input: { ...input },
        startedBy: actor.id,
        resumable: false,
        unit: 'things',
      });
      const answer = begun(await jobs.wait(job, isDryRun ? 0 : waitSeconds * 1000));
      return { ...answer, changes: saidOf(input) };
    },
  }),
  operation({
    id: 'readBulkAct',
    method: 'GET',
    path: '/jobs/bulk-acts/{bulkAct}',
    summary: 'Shows an act on many things that the caller has begun; with `Prefer: wait=N` when it is over.',
    access: 'own',
    params: z.strictObject({ bulkAct: jobId }),
    answer: jobView,
    async run({ params: { bulkAct: id }, actor, waitSeconds }, { jobs }: BulkActNeeds) {
      const job = await findJob(id, jobs);
      if (!isManyAct(job.kind) || job.startedBy !== actor.id) {
        throw new ProblemError(problems.notFound, 'There is no such act of this caller, or not any more.');
      }
      return { body: viewOfJob(await jobs.wait(job, waitSeconds * 1000)) };
    },
  }),
];

/** @throws {ProblemError} what the operation, or the list, would be refused with */
async function checkMay(
  { operation: id, query }: z.output<typeof body>,
  list: string,
  actor: Actor,
  deps: BulkActNeeds,
): Promise<void> {
  checkAccess(await deps.operationNamed(id), actor, deps);
  if (query === undefined) return;
  const { query: schema, ...asked } = await deps.operationNamed(list);
  checkAccess(asked, actor, deps);
  if (query.cursor !== undefined || query.limit !== undefined)
    throw new ProblemError(problems.invalidRequest, 'A query of all has no cursor and no limit.');
  checkInput(schema!, query, '#', ['query']);
}

/** For the audit: each thing has an entry of its own. */
function saidOf({ operation: act, ids, query, most }: BulkActInput) {
  if (!query) return { operation: act, things: ids?.length ?? 0 };
  return { operation: act, query: new URLSearchParams(query).toString(), most };
}
