/**
 * Works on jobs in the one process that does so for all; those of one wait queue stand behind each other, and behind no others. It holds a lease on the one it works on;
 * of one whose lease has run out, the next process makes what its kind allows: it goes on from the checkpoint, or is
 * `interrupted`, with what was done.
 */
import { randomUUID } from 'node:crypto';
import { createSerial } from '../../platform/async/serial.ts';
import type { Audit, Logger } from '../../platform/log.ts';
import type { OwnReason } from '../../platform/names/reason-codes.ts';
import { isOver, type Job, type JobState } from './job.ts';
import { JobFailure, type JobKind } from './job-kind.ts';
import type { Jobs } from './jobs.ts';
import type { Uploads } from './uploads.ts';

export interface JobRunnerDeps {
  readonly jobs: Jobs;
  /** By name; loaded when a job of one comes. */
  readonly kinds: () => Promise<Readonly<Record<string, JobKind>>>;
  /** The wait queue of a job, which waits for those of no other one. */
  readonly waitQueueOf?: (job: Pick<Job, 'kind' | 'input' | 'startedBy'>) => string;
  readonly uploads: Pick<Uploads, 'discard'>;
  readonly audit: Audit;
  readonly log: Pick<Logger, 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface WaitQueue {
  readonly serial: ReturnType<typeof createSerial>;
  length: number;
}

const renewMs = 5_000;
const leaseMs = 20_000;
/** Progress is for people who look. */
const reportMs = 500;

export function createJobRunner({
  jobs,
  kinds,
  waitQueueOf = () => 'usual',
  uploads,
  audit,
  log,
  now,
}: JobRunnerDeps) {
  const holder = randomUUID();
  const waitQueues = new Map<string, WaitQueue>();
  const known = new Set<string>();
  const current = new Map<string, AbortController>();
  let isClosed = false;
  const unsubscribe = [
    jobs.onChange((job) => {
      if (job.state === 'queued') enqueue(job);
    }),
    jobs.onCancel((id) => {
      current.get(id)?.abort();
    }),
  ];
  const timer = setInterval(() => void takeUp(false).catch(report), leaseMs).unref();

  return {
    /** Takes up what an earlier process has left: the store has one owner, so that whoever worked on it is gone. */
    start: async () => {
      // Also one that has come since they were listed.
      const discard = (open: ReadonlySet<string>) => uploads.discard((id) => open.has(id) || known.has(id));
      await openJobs().then(discard).catch(report);
      await takeUp(true).catch(report);
    },
    /** Breaks off what is being done: the next start takes it up. */
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      for (const end of unsubscribe) end();
      for (const abort of current.values()) abort.abort();
      await Promise.all([...waitQueues.values()].map(({ serial }) => serial(async () => {})));
    },
  };

  async function openJobs(): Promise<ReadonlySet<string>> {
    return new Set((await jobs.list()).filter((job) => !isOver(job)).map(({ id }) => id));
  }

  async function takeUp(isStart: boolean): Promise<void> {
    for (const job of [...(await jobs.list())].reverse()) {
      const isLeft = isStart || !job.lease || job.lease.until < now();
      if (!isOver(job) && isLeft && job.lease?.holder !== holder) enqueue(job);
    }
  }

  function enqueue(job: Job): void {
    const { id } = job;
    if (known.has(id) || isClosed) return;
    known.add(id);
    const name = waitQueueOf(job);
    const waitQueue = waitQueues.get(name) ?? { serial: createSerial(), length: 0 };
    waitQueues.set(name, waitQueue);
    waitQueue.length += 1;
    waitQueue
      .serial(() => workOn(id))
      .catch(report)
      .finally(() => {
        known.delete(id);
        waitQueue.length -= 1;
        if (waitQueue.length === 0) waitQueues.delete(name);
      });
  }

  async function workOn(id: string): Promise<void> {
    const job = await jobs.find(id);
    if (isClosed || !job || isOver(job) || !(await jobs.take(job))) return;
    const kind = (await kinds())[job.kind];
    if (!kind)
      await end(job, 'failed', { problem: failure('unknown_kind', 'This console does not know how.') });
    else if (await jobs.isCancelled(job)) await end(job, 'cancelled', {}, kind);
    else if (job.state === 'running' && !job.resumable) await interrupt(job, kind);
    else await run(job, kind);
  }

  async function run(taken: Job, kind: JobKind): Promise<void> {
    const abort = new AbortController();
    current.set(taken.id, abort);
    const writing = createWriting({ ...taken, state: 'running', startedAt: taken.startedAt ?? now() });
    try {
      await writing.write();
      if (await jobs.isCancelled(taken)) abort.abort();
      const { signal } = abort;
      const result = await kind.run({ job: writing.job(), signal, report: writing.report });
      await end(await writing.close(), 'succeeded', { result }, kind);
    } catch (error) {
      const job = await writing.close();
      if (isClosed) await leave(job, kind);
      else if (abort.signal.aborted) await end(job, 'cancelled', {}, kind);
      else {
        if (!(error instanceof JobFailure)) log.error({ err: error, job: job.id }, 'a job failed');
        await end(job, 'failed', { problem: problemOf(error) }, kind);
      }
    } finally {
      current.delete(taken.id);
    }
  }

  /** The process stops in order. */
  async function leave(job: Job, kind: JobKind): Promise<void> {
    if (job.resumable) await jobs.record({ ...job, state: 'queued', updatedAt: now(), lease: leaseOf(0) });
    else await interrupt(job, kind);
  }

  async function interrupt(job: Job, kind: JobKind): Promise<void> {
    const detail = `The console stopped while it was ${job.progress.step}; what it had done until then does not go on. Ask for it again.`;
    await end(job, 'interrupted', { problem: failure('interrupted', detail) }, kind);
  }

  async function end(
    job: Job,
    state: JobState,
    { result = null, problem = null }: Partial<Pick<Job, 'result' | 'problem'>>,
    kind?: JobKind,
  ): Promise<void> {
    await kind?.discard?.(job).catch(report);
    const left = result === null ? await kind?.leftBy?.(job).catch(report) : undefined;
    const at = now();
    const over: Job = {
      ...job,
      state,
      result: left?.result ?? result,
      progress: left ? { ...job.progress, done: left.done } : job.progress,
      problem,
      updatedAt: at,
      endedAt: at,
      lease: null,
    };
    await jobs.record(over);
    const outcome = state === 'succeeded' ? 'success' : 'failure';
    const reason = problem?.code ?? (state === 'cancelled' ? ('cancelled' satisfies OwnReason) : undefined);
    const said = kind?.entryOf?.(over) ?? { target: job.id };
    if (kind) audit(kind.event, { outcome, actor: job.startedBy, ...said, reason });
  }

  /** Writes the job while it runs: what is new at most twice a second, and the lease every five. */
  function createWriting(begun: Job) {
    let job = begun;
    let isNew = false;
    const writes = createSerial();
    const write = () => {
      isNew = false;
      return writes(() => {
        job = { ...job, updatedAt: now(), lease: leaseOf(now() + leaseMs) };
        return jobs.record(job);
      });
    };
    let sinceWrite = 0;
    const ticking = setInterval(() => {
      sinceWrite += reportMs;
      if (!isNew && sinceWrite < renewMs) return;
      sinceWrite = 0;
      write().catch(report);
    }, reportMs).unref();
    return {
      job: () => job,
      write,
      report(progress: Omit<Job['progress'], 'unit'>, checkpoint?: Job['checkpoint']) {
        job = { ...job, progress: { ...job.progress, ...progress }, ...(checkpoint && { checkpoint }) };
        isNew = true;
      },
      async close(): Promise<Job> {
        clearInterval(ticking);
        await writes(async () => {});
        return job;
      },
    };
  }

  function leaseOf(until: number): Job['lease'] {
    return { holder, until };
  }

  function report(error: unknown): undefined {
    log.error({ err: error }, 'a job could not be recorded');
    return undefined;
  }
}

function problemOf(error: unknown): Job['problem'] {
  if (error instanceof JobFailure) return failure(error.code, error.message);
  return failure('server_error', 'Something went wrong here; the log of the console says what.');
}

function failure(code: string, detail: string): Job['problem'] {
  return { code, detail };
}
