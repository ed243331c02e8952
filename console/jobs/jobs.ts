/** The jobs of this installation, kept with what sign-ins leave: each change of one is durable, and all processes hear of it. */
import type { ArtifactStore } from '../storage/storage.ts';
import { timeOrderedId } from '../storage/time-ordered-id.ts';
import { isOver, type Job } from './job.ts';

export type Jobs = ReturnType<typeof createJobs>;

export interface JobsDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get' | 'list' | 'count' | 'remove' | 'onPut'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type NewJob = Pick<Job, 'kind' | 'input' | 'startedBy' | 'resumable'> & {
  readonly id?: string;
  readonly unit: string;
};

/** As long as a lease: by then whoever took it has written its own, or is gone. */
const turnSeconds = 20;
const storedSeconds = 30 * 86_400;
/** Of all kinds; beyond them the list says that it does not know how many there are. */
export const mostListed = 5000;
const pageSize = 500;

export function createJobs({ artifacts, now }: JobsDeps) {
  return {
    newId,
    /** Durable when it resolves. */
    async add({ id = newId(), unit, ...asked }: NewJob): Promise<Job> {
      const at = now();
      const job: Job = {
        ...asked,
        id,
        state: 'queued',
        progress: { done: 0, total: null, unit, step: 'waiting' },
        checkpoint: null,
        result: null,
        problem: null,
        createdAt: at,
        startedAt: null,
        updatedAt: at,
        endedAt: null,
        lease: null,
      };
      await record(job);
      return job;
    },
    find,
    /** The newest first. */
    async list(): Promise<readonly Job[]> {
      const jobs: Job[] = [];
      let after: string | undefined;
      do {
        const page = await artifacts.list('Job', pageSize, after);
        jobs.push(...page.map(({ artifact }) => artifact.payload as unknown as Job));
        after = page.length === pageSize ? page.at(-1)!.key : undefined;
      } while (after !== undefined && jobs.length < mostListed);
      return jobs.sort((one, other) => (one.id < other.id ? 1 : -1));
    },
    /** One that is over, and of no use to anybody. */
    remove: ({ id }: Pick<Job, 'id'>): Promise<void> => artifacts.remove('Job', id),
    /** For the one process that works on it. */
    record,
    /** Whoever works on it stops at the next occasion. */
    async cancel({ id }: Job): Promise<void> {
      await artifacts.put('JobCancellation', id, { payload: { id }, expiresAt: expiry(now()) });
    },
    isCancelled: async ({ id }: Pick<Job, 'id'>): Promise<boolean> =>
      (await artifacts.get('JobCancellation', id)) !== undefined,
    /** @returns whether the caller is the one who takes it over from whoever had it last, among processes too */
    async take({ id, lease }: Job): Promise<boolean> {
      const turn = lease ? `${lease.holder} ${lease.until}` : 'first';
      return (await artifacts.count('JobTurn', `${id} ${turn}`, turnSeconds)).count === 1;
    },
    /** Tells of each job that changes, wherever. @returns a function that ends the subscription */
    onChange,
    onCancel: (listener: (id: string) => void): (() => void) =>
      artifacts.onPut('JobCancellation', ({ payload }) => listener(String(payload.id))),
    /** Resolves with the job when it is over, or as it is after `ms`. */
    async wait(job: Job, ms: number): Promise<Job> {
      if (isOver(job) || ms <= 0) return job;
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const unsubscribe = onChange((changed) => {
        if (changed.id === job.id && isOver(changed)) end();
      });
      const timer = setTimeout(end, ms);
      try {
        // It may have ended before anybody listened.
        const newest = await find(job.id);
        if (!newest || isOver(newest)) return newest ?? job;
        await ended;
        return (await find(job.id)) ?? job;
      } finally {
        clearTimeout(timer);
        unsubscribe();
      }
    },
  };

  function newId(): string {
    return `job_${timeOrderedId(now()).replaceAll('-', '')}`;
  }

  async function find(id: string): Promise<Job | undefined> {
    const found = await artifacts.get('Job', id);
    return found && (found.payload as unknown as Job);
  }

  /** Tells of each job that changes, wherever. @returns a function that ends the subscription */
  function onChange(listener: (job: Job) => void): () => void {
    return artifacts.onPut('Job', ({ payload }) => listener(payload as unknown as Job));
  }

  async function record(job: Job): Promise<void> {
    const payload = { ...job } as unknown as Record<string, unknown>;
    await artifacts.put('Job', job.id, { payload, expiresAt: expiry(job.createdAt) });
  }
}

function expiry(fromMs: number): number {
  return Math.floor(fromMs / 1000) + storedSeconds;
}
