/**
 * The end of all sessions that there are when it begins: page by page, so that it takes as little memory for a million as
 * for ten, and a few at a time, so that nobody waits for a token. It goes on after a restart.
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import {
  type BulkFailure,
  type BulkResult,
  endsAll,
  handled,
  mostFailures,
  nothingDone,
  stopped,
} from './bulk-acts.ts';
import type { JobActor } from './job-actor.ts';
import type { JobKind, JobWork } from './job-kind.ts';

export const endAllKind = 'end-all-sessions';
/** As it stands in the audit and in the result. */
export const endAllOperation = 'endAllSessions';

export interface SessionEndsInput {
  readonly reason: string | null;
  readonly actor: JobActor;
}

export interface FoundSession {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** What the job asks of the operations: as who has asked for it, with what they may do at that moment. */
export interface SessionEndCalls {
  /** How many there are; undefined: more than are counted. */
  count(): Promise<number | undefined>;
  /** The session by which it was asked for, as lists have it; undefined: by none, or it has ended. */
  ownOf(actor: JobActor): Promise<string | undefined>;
  /** @param after  where the page before has ended. @throws {StorageUnavailableError} */
  page(
    after: string | undefined,
  ): Promise<{ readonly sessions: readonly FoundSession[]; readonly next: string | null }>;
  /** @throws {ProblemError} `not_found` for one that has ended meanwhile */
  end(actor: JobActor, jobId: string, id: string): Promise<void>;
}

interface Checkpoint {
  /** Of the page that is worked on; null: the first. */
  readonly cursor: string | null;
  /** Of that page, those that were refused: they are still in it. */
  readonly refused: readonly string[];
  readonly result: BulkResult;
}

/** A session right after changes of its account begins some seconds later than it did, so that it counts: it ends too. */
const aheadMs = 5_000;
/** Side by side they share the commits of the store. */
const atOnce = 8;
const step = 'acting on each';

/** @param calls  what it asks. @returns a kind that goes on from the page that it had come to */
export function createSessionEndsKind(calls: SessionEndCalls): JobKind {
  return {
    event: 'bulk_act.ended',
    run: async (work) => ({ ...(await endEach(work, calls)) }),
    async leftBy({ checkpoint }) {
      const result = (checkpoint as Checkpoint | null)?.result ?? nothingDone(endAllOperation, 0);
      return { done: handled(result), result: { ...result } };
    },
    entryOf: ({ id, result }) => ({
      target: endAllOperation,
      changes: { job: id, done: Number(result?.done ?? 0), failed: Number(result?.failed ?? 0) },
    }),
  };
}

async function endEach({ job, signal, report }: JobWork, calls: SessionEndCalls): Promise<BulkResult> {
  const { actor } = job.input as unknown as SessionEndsInput;
  const before = job.checkpoint as Checkpoint | null;
  const counted = before ? undefined : await calls.count();
  let total = counted ?? job.progress.total;
  let result = before?.result ?? nothingDone(endAllOperation, total ?? 0);
  let cursor = before?.cursor ?? null;
  let refused = new Set(before?.refused);
  // Last: whoever looks at the job sees it to its end.
  const own = await calls.ownOf(actor);
  const say = () => report({ done: handled(result), total, step }, { cursor, refused: [...refused], result });
  say();
  for (;;) {
    const { sessions, next } = await calls.page(cursor ?? undefined);
    // Whoever has signed in again since then stays.
    const meant = sessions.filter(
      ({ id, startedAt }) => startedAt <= job.createdAt + aheadMs && id !== own && !refused.has(id),
    );
    for (let at = 0; at < meant.length; at += atOnce) {
      signal.throwIfAborted();
      await Promise.all(meant.slice(at, at + atOnce).map(({ id }) => end(id)));
      say();
    }
    if (next === null) break;
    cursor = next;
    refused = new Set();
  }
  signal.throwIfAborted();
  if (own !== undefined) await end(own);
  result = { ...result, left: 0 };
  total = handled(result);
  say();
  return result;

  async function end(id: string): Promise<void> {
    try {
      await calls.end(actor, job.id, id);
      result = { ...result, done: result.done + 1, left: Math.max(0, result.left - 1) };
    } catch (error) {
      if (!(error instanceof ProblemError) || endsAll(error)) return stopped(error);
      // It has ended by itself, or was ended by somebody else.
      if (error.problem === problems.notFound) return;
      refused.add(id);
      const failure: BulkFailure = { id, code: error.problem.code, detail: error.message };
      const failures = [...result.failures, failure].slice(0, mostFailures);
      result = { ...result, failed: result.failed + 1, left: Math.max(0, result.left - 1), failures };
    }
  }
}
