/** A job on its way: a bar at a terminal, until it is over. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Reply, Tools } from '../runner/command.ts';
import { fields } from '../runner/output.ts';

/** As the API shows it. */
export interface JobView {
  readonly id: string;
  readonly kind: string;
  readonly structure: { readonly kind: 'map' | 'queue'; readonly name: string } | null;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
  readonly progress: {
    readonly done: number;
    readonly total: number | null;
    readonly unit: string;
    readonly step: string;
  };
  readonly startedBy: string;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

const everyMs = 200;

/** Looks again and again: a command has its console to itself, and a person sees it move. */
export async function followJob(
  begun: JobView,
  { api, progress }: Pick<Tools, 'api' | 'progress'>,
): Promise<Reply> {
  const bar = await progress?.();
  let job = begun;
  try {
    for (;;) {
      const { done, total, unit, step } = job.progress;
      bar?.report(job.kind, done, total ?? 0, ` ${unit}, ${step}`);
      if (job.endedAt !== null) break;
      await delay(everyMs);
      job = (await api.call('readJob', { params: { job: job.id } })).body as JobView;
    }
  } finally {
    bar?.close();
  }
  return { ...shownJob(job), hasFailed: job.state !== 'succeeded' };
}

/** @returns undefined for a job that is about no structure */
export function structureText(structure: JobView['structure']): string | undefined {
  return structure === null ? undefined : `${structure.kind} ${structure.name}`;
}

export function shownJob(job: JobView): Reply {
  const { id, kind, structure, state, progress, startedBy, result, problem, createdAt, endedAt } = job;
  const of = progress.total === null ? '' : ` of ${progress.total}`;
  const text = fields({
    job: id,
    kind,
    of: structureText(structure),
    state,
    done: `${progress.done}${of} ${progress.unit}, ${progress.step}`,
    'started by': startedBy,
    begun: createdAt,
    ended: endedAt ?? undefined,
    result: Object.entries(result ?? {}).map(([name, value]) => `${name}: ${said(value)}`),
    problem: problem?.detail,
  });
  return { text, json: job };
}

function said(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
