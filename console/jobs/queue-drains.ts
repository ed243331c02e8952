/** Items of a queue, taken one by one into a file: each is on the disk before the next is taken. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { ItemFile, ItemFiles, TakenItem } from './item-files.ts';
import { JobFailure, type JobKind, type JobWork } from './job-kind.ts';

export const drainKind = 'drain-queue';

export interface DrainInput {
  readonly queue: string;
  /** So many items at most. */
  readonly most: number;
  /** Of who has begun it: a person, a machine, the command line. */
  readonly actorKind: string;
}

/** What members are asked. They throw {@link ProblemError}s. */
export interface QueueCalls {
  size(queue: string): Promise<number>;
  /** @returns undefined for an empty one */
  poll(queue: string): Promise<TakenItem | undefined>;
  offer(queue: string, item: TakenItem): Promise<void>;
}

export interface QueueDrainsDeps {
  readonly files: Pick<ItemFiles, 'begin' | 'measure' | 'remove'>;
  readonly queues: QueueCalls;
}

/** Of lines in one file. */
export const mostFileBytes = 256 * 1024 ** 2;

export function createDrainKind({ files, queues }: QueueDrainsDeps): JobKind {
  return {
    event: 'queue.drained',
    async run(work) {
      const { queue } = inputOf(work.job);
      const total = await queues.size(queue).catch(notTaken);
      const file = await files.begin(work.job.id).catch(noFile);
      try {
        await take(work, { total, file, queues });
      } finally {
        await file.close();
      }
      work.signal.throwIfAborted();
      const { items, bytes } = file.size();
      if (items === 0) await files.remove(work.job.id);
      return { queue, items, bytes };
    },
    async leftBy(job) {
      const { items, bytes } = (await files.measure(job.id)) ?? { items: 0, bytes: 0 };
      if (items === 0) await files.remove(job.id);
      return { done: items, result: { queue: inputOf(job).queue, items, bytes } };
    },
    entryOf: ({ id, result }) => ({
      target: String(result?.queue ?? id),
      changes: { job: id, items: Number(result?.items ?? 0) },
    }),
  };
}

interface Taking extends Pick<QueueDrainsDeps, 'queues'> {
  /** In it before. */
  readonly total: number;
  readonly file: ItemFile;
}

async function take({ job, signal, report }: JobWork, { total, file, queues }: Taking): Promise<void> {
  const { queue, most } = inputOf(job);
  while (!signal.aborted && file.size().items < most && file.size().bytes < mostFileBytes) {
    const item = await queues.poll(queue).catch(maybeTaken);
    if (!item) return;
    await store(item, { queue, file, queues });
    const { items: done } = file.size();
    report({ done, total: Math.max(done, Math.min(most, total)), step: 'taking items' });
  }
}

/** What cannot be written goes back, at the end: nobody else has it. */
async function store(
  item: TakenItem,
  { queue, file, queues }: Omit<Taking, 'total'> & Pick<DrainInput, 'queue'>,
): Promise<void> {
  try {
    await file.append(item);
  } catch (cause) {
    const isBack = await queues.offer(queue, item).then(
      () => true,
      () => false,
    );
    const code = codeOf(cause);
    const became = isBack
      ? `The file cannot be written (${code}). The item that could not be written was put back, at the end of the queue.`
      : `The file cannot be written (${code}). One item could neither be written nor be put back, and is lost.`;
    throw new JobFailure('disk', became, { cause });
  }
}

function inputOf({ input }: Pick<JobWork['job'], 'input'>): DrainInput {
  return input as unknown as DrainInput;
}

function notTaken(error: unknown): never {
  throw failure(error, (why) => `${why} Nothing was taken.`);
}

function maybeTaken(error: unknown): never {
  const isUnknown =
    error instanceof ProblemError && [problems.badGateway, problems.upstreamTimeout].includes(error.problem);
  throw failure(error, (why) =>
    isUnknown
      ? `${why} The member may have given an item away that nobody got. What was taken before is in the file.`
      : `${why} What was taken before is in the file.`,
  );
}

function noFile(cause: unknown): never {
  const message = `The file cannot be made (${codeOf(cause)}). Nothing was taken.`;
  throw new JobFailure('disk', message, { cause });
}

/** @returns the same of what is a fault of this program */
function failure(error: unknown, said: (why: string) => string): unknown {
  if (!(error instanceof ProblemError)) return error;
  return new JobFailure(error.problem, said(error.message), { cause: error });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}
