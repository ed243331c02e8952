/** What is said of a job, wherever it stands: how it is, who has begun it and how far it is. */

import { Said, useText } from '../../../texts/elements.tsx';
import { numberIn, type Translate, type WordKey } from '../../../texts/text.ts';
import { hasFailures } from '../../bulk/outcome.tsx';
import { Named } from '../../history/named.tsx';
import { State, type StateKind } from '../../state.tsx';
import type { NamedJob } from './job-kinds.ts';

/** As the admin API has it. */
export interface ShownJob extends NamedJob {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
  readonly progress: {
    readonly done: number;
    readonly total: number | null;
    readonly unit: string;
    readonly step: string;
  };
  readonly startedBy: string;
  /** Of a person, while there is the account. */
  readonly starterName?: string | undefined;
  /** Of a person whose page the reader may not open. */
  readonly starterWords?: string | undefined;
  readonly resumable: boolean;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly updatedAt: string;
  readonly endedAt: string | null;
}

export function isRunning({ state }: Pick<ShownJob, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

export const jobStates: Readonly<Record<ShownJob['state'], readonly [StateKind, WordKey]>> = {
  queued: ['unknown', 'jobs.queued'],
  running: ['ok', 'jobs.running'],
  succeeded: ['ok', 'jobs.done'],
  failed: ['danger', 'common.failed'],
  cancelled: ['off', 'jobs.stopped'],
  interrupted: ['warn', 'jobs.interrupted'],
};

/** Of an act on many, that some were refused is part of how it is. */
export function JobState({
  state,
  result = null,
}: Pick<ShownJob, 'state'> & Partial<Pick<ShownJob, 'result'>>) {
  const t = useText();
  if (state === 'succeeded' && hasFailures({ result }))
    return <State kind="warn">{t('jobs.doneExceptRefused', { n: Number(result!.failed) })}</State>;
  const [kind, word] = jobStates[state];
  return <State kind={kind}>{t(word)}</State>;
}

/** A person, or a program. */
export function Starter({
  startedBy,
  starterName,
  starterWords = startedBy,
}: Pick<ShownJob, 'startedBy' | 'starterName' | 'starterWords'>) {
  return starterName === undefined ? <bdi>{starterWords}</bdi> : <Named kind="user" id={starterName} />;
}

export function progressText({ progress: { done, total, unit } }: ShownJob, t: Translate): string {
  if (done === 0 && total === null) return '–';
  if (total === null) return amountText(done, unit, t);
  const shown = t('jobs.doneOf', { done, total });
  return withUnit(shown, total, unit, t);
}

/** Of what was worked on. */
export function amountText(done: number, unit: string, t: Translate): string {
  return withUnit(numberIn(t.language, done), done, unit, t);
}

/** @param n  the number that the unit belongs to */
function withUnit(done: string, n: number, unit: string, t: Translate): string {
  if (unit === 'lines') return t('jobs.lines', { n, done });
  if (unit === 'copies') return t('jobs.copies', { n, done });
  if (unit === 'entries') return t('jobs.entries', { n, done });
  if (unit === 'things') return t('bulk.things', { n, done });
  if (unit === 'keys') return t('readings.keys', { n, done });
  if (unit === 'items') return t('drains.items', { n, done });
  return `${done} ${unit}`.trim();
}

const steps: Readonly<Record<string, WordKey>> = {
  '': 'jobs.progress',
  waiting: 'jobs.waiting',
  'copying the store': 'jobs.copying',
  done: 'jobs.finished',
  'taking items': 'drains.takingItems',
  'reading entries': 'readings.step',
  'reading the audit': 'jobs.readingAudit',
  'finding them': 'bulk.finding',
  'acting on each': 'bulk.acting',
};

/** Of a job that runs. */
export function Progress({
  progress: { done, total, step },
}: {
  readonly progress: Omit<ShownJob['progress'], 'unit'>;
}) {
  const t = useText();
  const known = steps[step];
  return (
    <div class="progress">
      <label for="progress">{known === undefined ? <Said>{step}</Said> : t(known)}</label>
      {total === null ? <progress id="progress" /> : <progress id="progress" value={done} max={total} />}
    </div>
  );
}

interface TimedJob extends Pick<ShownJob, 'startedAt' | 'updatedAt'> {
  readonly progress: Pick<ShownJob['progress'], 'done' | 'total'>;
}

/** By how fast it was so far. */
export function timeLeft(
  { progress: { done, total }, startedAt, updatedAt }: TimedJob,
  now: Date,
  t: Translate,
): string {
  if (startedAt === null || total === null || done === 0) return t('jobs.notKnownYet');
  const tookMs = Date.parse(updatedAt) - Date.parse(startedAt);
  const leftMs = (tookMs / done) * (total - done) - (now.getTime() - Date.parse(updatedAt));
  const seconds = Math.max(0, Math.round(leftMs / 1000));
  return seconds < 90
    ? t('jobs.aboutSeconds', { n: seconds })
    : t('jobs.aboutMinutes', { n: Math.round(seconds / 60) });
}
