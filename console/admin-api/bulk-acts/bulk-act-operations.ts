/** `/api/v1/jobs/bulk-acts`: one act on many things, as a job that does to each what its own operation does. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { BulkActInput, BulkResult } from '../../jobs/bulk-acts.ts';
import type { BulkChanges } from '../../jobs/bulk-changes.ts';
import { isOver, type Job } from '../../jobs/job.ts';
import { jobActorOf } from '../../jobs/job-actor.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { endAllKind, endAllOperation } from '../../jobs/session-ends.ts';
import { checkAccess } from '../../operations/access-check.ts';
import type { Actor } from '../../operations/actor.ts';
import { checkInput } from '../../operations/input-check.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import type { PermissionsOf } from '../../operations/privileges.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { begun, findJob, jobId, jobView, viewOfJob } from '../jobs.ts';
import { isManyAct, type ManyAct, manyActs, mostFound, mostNamed } from './acts.ts';

export interface BulkActNeeds {
  readonly jobs: Jobs;
  readonly bulkChanges: BulkChanges;
  readonly approvals: { isRequired(operation: Operation): boolean };
  readonly permissionsOf: PermissionsOf;
  /** Of the table that these stand in too. */
  readonly operationNamed: (id: string) => Promise<Operation>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const names = manyActs.map((act) => act.operation) as [string, ...string[]];
const bulkActView = jobView
  .extend({
    undo: view({
      things: z
        .number()
        .int()
        .meta({ description: 'That it has changed and nothing took back: others were so before.' }),
      until: dateTime,
      undoneBy: jobId.nullable().meta({
        description:
          'The job that has taken it back, or does; null again when that ended before it had taken back all.',
      }),
    })
      .nullable()
      .meta({ description: 'Null: it goes on, it has changed nothing, or nothing takes it back.' }),
  })
  .meta({ id: 'BulkAct' });
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
      'The `result` has how many are `done` (of which `undoable` can be taken back), `waiting` for a second administrator and `failed`, and the first hundred `failures` (`id`, `code`, `detail`).',
    access: 'own',
    event: 'bulk_act.started',
    isMaking: true,
    hasVersion: false,
    body,
    answer: jobView,
    statuses: [200, 202],
    async run({ body: asked, actor, waitSeconds, isDryRun }, needs: BulkActNeeds) {
      const { jobs } = needs;
      const { list, param } = manyActs.find((act) => act.operation === asked.operation)!;
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
      const job = await jobs.add({ ...newAct(input), startedBy: actor.id });
      const answer = begun(await jobs.wait(job, isDryRun ? 0 : waitSeconds * 1000));
      return { ...answer, changes: saidOf(input) };
    },
  }),
  operation({
    id: 'readBulkAct',
    method: 'GET',
    path: '/jobs/bulk-acts/{bulkAct}',
    summary: 'Shows a bulk action that the caller has begun; with `Prefer: wait=N` when it is over.',
    access: 'own',
    params: z.strictObject({ bulkAct: jobId }),
    answer: bulkActView,
    async run({ params: { bulkAct }, actor, waitSeconds }, needs: BulkActNeeds) {
      const job = await needs.jobs.wait(await findOwn(bulkAct, actor, needs), waitSeconds * 1000);
      const undo = await undoOf(job, needs);
      return { body: { ...viewOfJob(job), undo: undo && viewOfUndo(undo) } };
    },
  }),
  operation({
    id: 'undoBulkAct',
    method: 'POST',
    path: '/jobs/bulk-acts/{bulkAct}/undo',
    summary: 'Takes back what a bulk action has changed, as a job: disables or enables these again.',
    description:
      'Within 24 hours, once, by whoever has begun the act, and who may do the opposite; again when that was stopped or broke off, for what is left. It takes back what that act has changed and nothing else: not what was so before, and not what somebody has changed since, which is among the `failures` (`precondition_failed`).',
    access: 'own',
    event: 'bulk_act.started',
    hasVersion: false,
    params: z.strictObject({ bulkAct: jobId }),
    answer: jobView,
    statuses: [200, 202],
    problems: [409],
    async run({ params: { bulkAct }, actor, waitSeconds, isDryRun }, needs: BulkActNeeds) {
      const job = await findOwn(bulkAct, actor, needs);
      const input = await undoInput(job, actor, needs);
      const undoing = await needs.jobs.add({ ...newAct(input), startedBy: actor.id });
      if (!isDryRun) await needs.bulkChanges.setUndoneBy(job, undoing.id);
      const answer = begun(await needs.jobs.wait(undoing, isDryRun ? 0 : waitSeconds * 1000));
      return { ...answer, changes: { operation: input.operation, undoes: job.id } };
    },
  }),
];

/** @throws {ProblemError} `not_found`: of others it is not spoken */
async function findOwn(id: string, actor: Actor, { jobs }: BulkActNeeds): Promise<Job> {
  const job = await findJob(id, jobs);
  const isAct = isManyAct(job.kind) || job.kind === endAllKind;
  if (isAct && job.startedBy === actor.id) return job;
  throw new ProblemError(problems.notFound, 'There is no such act of this caller, or not any more.');
}

/** @returns null where nothing can be taken back */
async function undoOf(job: Job, needs: BulkActNeeds) {
  const until = needs.bulkChanges.endOf(job);
  if (!isOver(job) || undoingAct(job) === undefined || until <= needs.now()) return null;
  const { undoable, ...soFar } = await undoneSoFar(job, needs);
  const things = undoableOf(job) - undoable;
  return things > 0 ? { things, until: new Date(until).toISOString(), ...soFar } : null;
}

function viewOfUndo({ things, until, undoneBy }: NonNullable<Awaited<ReturnType<typeof undoOf>>>) {
  return { things, until, undoneBy };
}

interface UndoneSoFar {
  /** Null: nothing takes it back, or what did ended too early. */
  readonly undoneBy: string | null;
  /** Jobs that ended before all was taken back, the last at the end. */
  readonly brokenOff: readonly string[];
  /** How many things these took back. */
  readonly undoable: number;
}

async function undoneSoFar(job: Job, { jobs, bulkChanges }: BulkActNeeds): Promise<UndoneSoFar> {
  const undoneBy = await bulkChanges.undoneBy(job.id);
  if (undoneBy === undefined) return { undoneBy: null, brokenOff: [], undoable: 0 };
  const last = await jobs.find(undoneBy);
  if (!last || !isOver(last) || last.state === 'succeeded') return { undoneBy, brokenOff: [], undoable: 0 };
  const { without = [] } = last.input as unknown as BulkActInput;
  const earlier = await Promise.all(without.map((id) => jobs.find(id)));
  const undoable = [...earlier, last].reduce((sum, one) => sum + (one ? undoableOf(one) : 0), 0);
  return { undoneBy: null, brokenOff: [...without, undoneBy], undoable };
}

function undoableOf({ result }: Job): number {
  return Number((result as BulkResult | null)?.undoable ?? 0);
}

/** @throws {ProblemError} `conflict`; what the opposite act would be refused with */
async function undoInput(job: Job, actor: Actor, needs: BulkActNeeds): Promise<BulkActInput> {
  const act = undoingAct(job);
  const undo = await undoOf(job, needs);
  if (!act || !undo) throw new ProblemError(problems.conflict, 'There is nothing here that could be undone.');
  checkAccess(await needs.operationNamed(act.operation), actor, needs);
  const { undoneBy, brokenOff, things } = undo;
  const isFirst = undoneBy === null && (await needs.bulkChanges.takeUndo(job, brokenOff.at(-1) ?? null));
  if (!isFirst) throw new ProblemError(problems.conflict, 'This was undone already.');
  const { operation: name, param, list } = act;
  const asked = { ids: null, query: null, most: things, actor: jobActorOf(actor) };
  return { operation: name, param, list, undoes: job.id, without: brokenOff, ...asked };
}

function undoingAct({ kind }: Job): ManyAct | undefined {
  const undo = manyActs.find(({ job }) => job === kind)?.undo;
  return manyActs.find((act) => act.operation === undo);
}

function newAct(input: BulkActInput) {
  const { job: kind } = manyActs.find(({ operation: name }) => name === input.operation)!;
  return { kind, input: { ...input }, resumable: false, unit: 'things' };
}

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
  if (id === 'endSession' && Object.keys(query).length === 0) await checkIsNoWayRound(deps);
}

/** @throws {ProblemError} `approval_required` */
async function checkIsNoWayRound({ approvals, operationNamed }: BulkActNeeds): Promise<void> {
  if (!approvals.isRequired(await operationNamed(endAllOperation))) return;
  throw new ProblemError(
    problems.approvalRequired,
    'All sessions are ended by POST /api/v1/sessions/end-all, with which a second administrator has to agree.',
  );
}

/** For the audit: each thing has an entry of its own. */
function saidOf({ operation: act, ids, query, most }: BulkActInput) {
  if (!query) return { operation: act, things: ids?.length ?? 0 };
  return { operation: act, query: new URLSearchParams(query).toString(), most };
}
