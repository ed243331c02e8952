/** Entries of many keys of one map, each read as whoever has asked reads one: whether it is there, of which type and how large. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { JobActor } from './job-actor.ts';
import { JobFailure, type JobKind, type JobWork } from './job-kind.ts';
import type { ReadRow, ReadRows } from './read-rows.ts';

export const readingKind = 'read-map-entries';

/** What is asked for lies elsewhere: a job is there for longer, and keys may say who somebody is. */
export interface MapReadingInput {
  readonly map: string;
  readonly keys: number;
  readonly actor: JobActor;
}

/** What the job asks of the operations: as who has asked for it, with what they may do at that moment. */
export interface ReadCalls {
  /**
   * Waits until the rate of who has asked has room for it.
   *
   * @returns undefined where there is no entry
   * @throws {ProblemError}
   * @throws when it waits and is broken off
   */
  read(
    input: MapReadingInput,
    jobId: string,
    key: string,
    signal: AbortSignal,
  ): Promise<Pick<ReadRow, 'type' | 'bytes'> | undefined>;
}

export interface MapReadingsDeps {
  readonly rows: Pick<ReadRows, 'keysOf' | 'store' | 'read'>;
  readonly calls: ReadCalls;
}

/** At the same time: a job is not to crowd out who else asks members. */
const atOnce = 8;

export function createMapReadingKind(deps: MapReadingsDeps): JobKind {
  const { rows } = deps;
  return {
    event: 'map.entries_read',
    async run(work) {
      const keys = await rows.keysOf(work.job.id);
      if (!keys)
        throw new JobFailure(
          'keys_gone',
          'The keys that it was asked for are not there any more: they are stored for 24 hours. Ask again.',
        );
      await readEach(work, keys, deps);
      return { ...resultOf(inputOf(work.job), await rows.read(work.job.id)) };
    },
    async leftBy(job) {
      const found = await rows.read(job.id);
      return { done: found.length, result: { ...resultOf(inputOf(job), found) } };
    },
    entryOf: ({ id, input, result }) => ({
      target: String((input as unknown as MapReadingInput).map),
      changes: {
        job: id,
        found: Number(result?.found ?? 0),
        missing: Number(result?.missing ?? 0),
        failed: Number(result?.failed ?? 0),
      },
    }),
  };
}

async function readEach(work: JobWork, keys: readonly string[], deps: MapReadingsDeps): Promise<void> {
  const { job, signal, report } = work;
  const say = (done: number) => report({ done, total: keys.length, step: 'reading entries' });
  say(0);
  for (let at = 0; at < keys.length; at += atOnce) {
    signal.throwIfAborted();
    const some = keys.slice(at, at + atOnce);
    const outcomes = await Promise.allSettled(some.map((key) => readOne(key, work, deps)));
    const broken = outcomes.findIndex(({ status }) => status === 'rejected');
    const whole = broken < 0 ? outcomes : outcomes.slice(0, broken);
    const found = whole.map((outcome) => (outcome as PromiseFulfilledResult<ReadRow>).value);
    if (found.length > 0) await deps.rows.store(job.id, at, found);
    say(at + found.length);
    if (broken >= 0) throw (outcomes[broken] as PromiseRejectedResult).reason;
  }
}

async function readOne(key: string, { job, signal }: JobWork, { calls }: MapReadingsDeps): Promise<ReadRow> {
  try {
    const entry = await calls.read(inputOf(job), job.id, key, signal);
    return { key, type: entry?.type ?? null, bytes: entry?.bytes ?? null, problem: null };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { problem, message } = error;
    // The others would be answered the same.
    if (problem === problems.insufficientScope) throw new JobFailure(problem, message, { cause: error });
    return { key, type: null, bytes: null, problem: { code: problem.code, detail: message } };
  }
}

function resultOf({ map }: MapReadingInput, rows: readonly ReadRow[]) {
  const failed = rows.filter(({ problem }) => problem !== null).length;
  const found = rows.filter(({ bytes }) => bytes !== null).length;
  return { map, found, missing: rows.length - found - failed, failed };
}

function inputOf({ input }: Pick<JobWork['job'], 'input'>): MapReadingInput {
  return input as unknown as MapReadingInput;
}
