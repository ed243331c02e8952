/** One act on many things: each by itself, so that what is refused holds up nothing else, and is told. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { BulkChanges } from './bulk-changes.ts';
import type { JobActor } from './job-actor.ts';
import { JobFailure, type JobKind, type JobWork } from './job-kind.ts';

export interface BulkActInput {
  /** On one thing. */
  readonly operation: string;
  /** What names it. */
  readonly param: string;
  /** The operation that lists such things. */
  readonly list: string;
  readonly ids: readonly string[] | null;
  /** In the place of ids: of the list. */
  readonly query: Readonly<Record<string, string>> | null;
  /** In the place of both: the job whose changes are taken back. */
  readonly undoes?: string;
  /** With it: jobs that took back some of these before they ended, which are done with. */
  readonly without?: readonly string[];
  /** When the query finds more, nothing is done. */
  readonly most: number;
  readonly actor: JobActor;
}

/** What the job asks of the operations: as who has asked for it, with what they may do at that moment. */
export interface BulkCalls {
  /** @throws {ProblemError} @throws {JobFailure} who has asked is here no longer */
  page(input: BulkActInput, jobId: string, cursor: string | undefined): Promise<FoundThings>;
  /** @throws as {@link page} */
  act(input: BulkActInput, job: ActingJob, thing: ActedThing): Promise<ActOutcome>;
}

export interface ActingJob {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** How many things it has changed so far that can be taken back. */
  readonly undoable: number;
}

export interface ActedThing {
  readonly id: string;
  /** Only while it is of this one. */
  readonly version?: string;
}

export interface ActOutcome {
  /** Or it waits for a second administrator. */
  readonly outcome: 'done' | 'waiting';
  /** It is another one by that, and that is stored for its Undo. */
  readonly isUndoable: boolean;
}

export interface FoundThings {
  readonly ids: readonly string[];
  readonly next: string | null;
}

export interface BulkFailure {
  readonly id: string;
  readonly code: string;
  readonly detail: string;
}

export interface BulkResult {
  readonly operation: string;
  readonly done: number;
  /** Of those that are done, what can be taken back: the others were so before, or cannot. */
  readonly undoable: number;
  readonly waiting: number;
  readonly failed: number;
  /** Of those that there were, how many were not come to. */
  readonly left: number;
  /** The first of them. */
  readonly failures: readonly BulkFailure[];
}

/** That a job names; the audit has all. */
export const mostFailures = 100;

export interface BulkActsDeps {
  readonly calls: BulkCalls;
  readonly changes: Pick<BulkChanges, 'read' | 'count'>;
}

export function createBulkActKind(deps: BulkActsDeps): JobKind {
  return {
    event: 'bulk_act.ended',
    async run(work) {
      const input = inputOf(work.job);
      return { ...(await actOnEach(work, await thingsOf(work, input, deps), deps)) };
    },
    async leftBy(job) {
      const result = await resultOfKilled(job, deps.changes);
      return { done: handled(result), result: { ...result } };
    },
    entryOf: ({ id, input, result }) => ({
      target: String((input as unknown as BulkActInput).operation),
      changes: {
        job: id,
        done: Number(result?.done ?? 0),
        waiting: Number(result?.waiting ?? 0),
        failed: Number(result?.failed ?? 0),
      },
    }),
  };
}

/** Of a process that was killed: what it has changed since its last report is done too, and can be taken back. */
async function resultOfKilled(
  job: Pick<JobWork['job'], 'id' | 'input' | 'checkpoint'>,
  changes: BulkActsDeps['changes'],
): Promise<BulkResult> {
  const input = inputOf(job);
  const reported =
    (job.checkpoint as BulkResult | null) ?? nothingDone(input.operation, input.ids?.length ?? 0);
  const undoable = await changes.count(job.id, reported.undoable);
  const since = undoable - reported.undoable;
  return {
    ...reported,
    undoable,
    done: reported.done + since,
    left: Math.max(0, reported.left - since),
  };
}

async function thingsOf(
  work: JobWork,
  input: BulkActInput,
  { calls, changes }: BulkActsDeps,
): Promise<readonly ActedThing[]> {
  if (input.undoes !== undefined) return changesLeft(input.undoes, input.without ?? [], changes);
  const ids = input.ids ?? (await allFound(work, input, calls));
  return ids.map((id) => ({ id }));
}

async function changesLeft(
  jobId: string,
  earlier: readonly string[],
  changes: BulkActsDeps['changes'],
): Promise<readonly ActedThing[]> {
  const all = await changes.read(jobId);
  const undone = new Set<string>();
  for (const undoing of earlier) for (const { id } of await changes.read(undoing)) undone.add(id);
  return all.filter(({ id }) => !undone.has(id));
}

/** Before the first is done, so that none is passed over because another has gone. */
async function allFound(
  { job, signal, report }: JobWork,
  input: BulkActInput,
  calls: BulkCalls,
): Promise<readonly string[]> {
  const all = new Set<string>();
  let cursor: string | undefined;
  do {
    const { ids, next } = await calls.page(input, job.id, cursor).catch(stopped);
    for (const id of ids) all.add(id);
    if (all.size > input.most) {
      throw new JobFailure(
        problems.conflict,
        'More are found by now than this was asked for. Nothing was done: look at them, and ask again.',
      );
    }
    report({ done: 0, total: null, step: 'finding them' });
    cursor = next ?? undefined;
  } while (cursor !== undefined && !signal.aborted);
  return [...all];
}

async function actOnEach(
  { job, signal, report }: JobWork,
  things: readonly ActedThing[],
  { calls }: BulkActsDeps,
): Promise<BulkResult> {
  const input = inputOf(job);
  const { id: jobId, createdAt } = job;
  let result = nothingDone(input.operation, things.length);
  const say = () =>
    report({ done: handled(result), total: things.length, step: 'acting on each' }, { ...result });
  say();
  for (const thing of things) {
    signal.throwIfAborted();
    result = { ...(await outcomeOf(thing)), left: result.left - 1 };
    say();
  }
  return result;

  async function outcomeOf(thing: ActedThing): Promise<BulkResult> {
    const { id } = thing;
    try {
      const acting = { id: jobId, createdAt, undoable: result.undoable };
      const { outcome, isUndoable } = await calls.act(input, acting, thing);
      const undoable = result.undoable + (isUndoable ? 1 : 0);
      return { ...result, [outcome]: result[outcome] + 1, undoable };
    } catch (error) {
      if (!(error instanceof ProblemError) || endsAll(error)) return stopped(error);
      const failure = { id, code: error.problem.code, detail: error.message };
      const failures = [...result.failures, failure].slice(0, mostFailures);
      return { ...result, failed: result.failed + 1, failures };
    }
  }
}

/** Whether the others would be answered the same. */
export function endsAll({ problem }: ProblemError): boolean {
  return problem === problems.insufficientScope || problem.status >= 500;
}

/** @throws {JobFailure} in the words of the problem. @throws what is none */
export function stopped(error: unknown): never {
  if (!(error instanceof ProblemError)) throw error;
  throw new JobFailure(error.problem, error.message, { cause: error });
}

export function nothingDone(operation: string, left: number): BulkResult {
  return { operation, done: 0, undoable: 0, waiting: 0, failed: 0, left, failures: [] };
}

/** How many were come to. */
export function handled({ done, waiting, failed }: BulkResult): number {
  return done + waiting + failed;
}

function inputOf({ input }: Pick<JobWork['job'], 'input'>): BulkActInput {
  return input as unknown as BulkActInput;
}
