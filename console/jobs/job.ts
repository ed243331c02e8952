/** A job: what takes longer than a call may, and outlives whoever asked for it and the process that works on it. */

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

export interface JobProgress {
  readonly done: number;
  /** Null: not known. */
  readonly total: number | null;
  readonly unit: string;
  readonly step: string;
}

export interface JobProblem {
  readonly code: string;
  readonly detail: string;
}

export interface Job {
  /** Later ones sort later. */
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** What it was asked for, for its kind alone. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly progress: JobProgress;
  /** What is done for good: a resumable kind goes on from here. */
  readonly checkpoint: Readonly<Record<string, unknown>> | null;
  readonly startedBy: string;
  /** Another process goes on from its checkpoint when the one that works on it is gone. */
  readonly resumable: boolean;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly problem: JobProblem | null;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  /** Who works on it, and until when nobody else takes it over. */
  readonly lease: { readonly holder: string; readonly until: number } | null;
}

export function isOver({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}
