/** What a kind of job has to be: the work, and what becomes of it when its process is gone. */
import type { Problem } from '../../platform/errors.ts';
import type { OwnReason } from '../../platform/names/reason-codes.ts';
import type { Job, JobProgress } from './job.ts';

export interface JobWork {
  readonly job: Job;
  /** Cancelled, or the console stops. */
  readonly signal: AbortSignal;
  /** @param checkpoint  what is done for good by now */
  report(progress: Omit<JobProgress, 'unit'>, checkpoint?: Job['checkpoint']): void;
}

export interface JobKind {
  /** The audit event of its end. */
  readonly event: string;
  /** @returns the result. @throws {JobFailure} what it cannot do, in words for whoever asked */
  run(work: JobWork): Promise<Readonly<Record<string, unknown>>>;
  /** Puts away what nobody needs when it is over, or when it was interrupted and does not go on. */
  discard?(job: Job): Promise<void>;
  /** Of one that did not succeed: what it has done all the same, as its files have it. */
  leftBy?(job: Job): Promise<LeftBehind>;
  /** What its audit entry says; otherwise its target is the job. */
  entryOf?(job: Job): { readonly target: string; readonly changes: Readonly<Record<string, unknown>> };
}

export interface LeftBehind {
  readonly done: number;
  readonly result: Readonly<Record<string, unknown>>;
}

/** Why a job has failed; another error is a fault of this program, and is not shown. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
  readonly code: string;

  constructor(reason: OwnReason | Problem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = typeof reason === 'string' ? reason : reason.code;
  }
}
