/** Jobs: what takes longer than a page may, while it is worked on and for 30 days. */
import { renderDocument, renderPart } from '../../layout.tsx';
import { Said, Text, useText } from '../../texts/elements.tsx';
import { numberIn, saidIn, type Translate, type WordKey } from '../../texts/text.ts';
import { Ago, dateOf } from '../ago.tsx';
import { type BulkResult, Counts, hasFailures, Undo, type UndoModel } from '../bulk/outcome.tsx';
import { drainHref, readingHref } from '../cluster/structures.tsx';
import { DetailPage, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { Named } from '../history/named.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { Live } from '../live/live.tsx';
import { RowAct } from '../row-act.tsx';
import { State, type StateKind } from '../state.tsx';
import { ImportCounts, type ImportResult } from './import-result.tsx';
import { jobHref, jobsHref } from './job-address.ts';
import { jobTitle, type NamedJob } from './job-kinds.ts';

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

export interface JobsModel extends ListState {
  readonly jobs: readonly ShownJob[];
  readonly mayStop: boolean;
  readonly filters: FiltersModel;
}

export function renderJobs(model: JobsModel): string {
  return renderDocument(<Jobs {...model} />, model.frame.presentation);
}

function Jobs({ jobs, mayStop, ...list }: JobsModel) {
  const t = useText();
  return (
    <ListPage
      {...list}
      title={t('common.jobs')}
      about={t('jobs.about')}
      columns={[
        { title: t('jobs.job') },
        { title: t('common.state') },
        { title: t('jobs.progress') },
        { title: t('jobs.by'), isMinor: true },
        { title: t('jobs.began'), isMinor: true },
        { title: t('jobs.ended'), isMinor: true },
      ]}
      rows={jobs.map((job) => ({
        key: job.id,
        cells: [
          <a key="id" href={jobHref(job.id)}>
            <bdi>{jobTitle(job, t)}</bdi>
          </a>,
          <JobState key="state" {...job} />,
          progressText(job, t),
          <Starter key="by" {...job} />,
          <Ago key="began" at={new Date(job.startedAt ?? job.createdAt)} now={list.frame.now} />,
          <Ago key="ended" at={dateOf(job.endedAt)} now={list.frame.now} never={t('jobs.notYet')} />,
        ],
        act: mayStop && isRunning(job) && (
          <RowAct
            label={t('jobs.stopOne')}
            of={jobTitle(job, t)}
            since={new Date(job.createdAt)}
            href={jobHref(job.id)}
            act="stop"
          />
        ),
      }))}
      empty={
        <p>
          <Text id="jobs.none" gaps={{ command: <code>npx console backup</code> }} />
        </p>
      }
    />
  );
}

/** A person, or a program. */
export function Starter({
  startedBy,
  starterName,
  starterWords = startedBy,
}: Pick<ShownJob, 'startedBy' | 'starterName' | 'starterWords'>) {
  return starterName === undefined ? <bdi>{starterWords}</bdi> : <Named kind="user" id={starterName} />;
}

function progressText({ progress: { done, total, unit } }: ShownJob, t: Translate): string {
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

export interface JobModel {
  readonly frame: FrameModel;
  readonly job: ShownJob;
  readonly mayStop: boolean;
  /** For whoever has begun it. */
  readonly undo?: UndoModel | undefined;
  readonly notice?: string | undefined;
}

export function renderJob(model: JobModel): string {
  return renderDocument(<Job {...model} />, model.frame.presentation);
}

function Job(model: JobModel) {
  const t = useText();
  const { frame, job, mayStop, notice, undo } = model;
  const why = job.problem?.detail;
  return (
    <DetailPage
      frame={frame}
      path={[{ title: t('common.jobs'), href: jobsHref }]}
      title={jobTitle(job, t)}
      state={<JobState {...job} />}
      acts={
        isRunning(job) && (
          <>
            <Live />
            {mayStop && (
              <a class="button" href={`${jobHref(job.id)}?do=stop`}>
                {t('jobs.stop')}
              </a>
            )}
          </>
        )
      }
      notice={notice}
      problem={why === undefined ? undefined : (saidIn(t.language, why) ?? why)}
    >
      <JobParts {...model} />
      {undo && (
        <Part id="undo" title={t('frame.undo')}>
          <Undo {...undo} isForLong />
        </Part>
      )}
    </DetailPage>
  );
}

interface JobPartsModel {
  readonly frame: Pick<FrameModel, 'now' | 'presentation'>;
  readonly job: ShownJob;
}

/** What goes on while the page is open. */
export function jobParts(model: JobPartsModel): Readonly<Record<string, string>> {
  return { job: renderPart(<JobParts {...model} />, model.frame.presentation) };
}

function JobParts({ frame: { now }, job }: JobPartsModel) {
  const t = useText();
  return (
    <div id="job" class="parts">
      {isRunning(job) && <Progress {...job} />}
      {job.result && (
        <Part id="result" title={t('jobs.result')}>
          <Result job={job} result={job.result} />
          {job.kind === 'verify-audit' && <ToAudit />}
          {job.kind === 'read-map-entries' && <ToEntries id={job.id} map={String(job.result.map)} />}
          {job.kind === 'drain-queue' && <ToItems id={job.id} queue={String(job.result.queue)} />}
        </Part>
      )}
      <Facts facts={factsOf(job, now, t)} />
    </div>
  );
}

interface ResultProps extends Pick<JobPartsModel, 'job'> {
  readonly result: NonNullable<ShownJob['result']>;
}

function Result({ job, result }: ResultProps) {
  if (isOfMany(result)) return <Counts job={job} hrefOf={thingHref(String(result.operation))} />;
  if (job.kind.startsWith('import-')) return <ImportCounts {...(result as unknown as ImportResult)} />;
  return <Facts facts={resultFacts(result)} />;
}

function isOfMany(result: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray((result as Partial<BulkResult>).failures);
}

/** Where things are that an operation acts on. */
function thingHref(operation: string): (id: string) => string {
  const [, path] = places.find(([noun]) => noun.test(operation)) ?? [];
  return (id) => `${path ?? jobsHref}/${encodeURIComponent(id)}`;
}

/** Sessions of users are ended at the user, so that these come first. */
const places = [
  [/User/, '/access/users'],
  [/Client/, '/access/clients'],
  [/Application/, '/access/applications'],
  [/Role/, '/access/roles'],
  [/Session/, '/access/sessions'],
] as const;

/** Where the file is, if there is one. */
function ToItems({ id, queue }: { readonly id: string; readonly queue: string }) {
  const t = useText();
  return (
    <div class="actions">
      <a class="button" href={drainHref(queue, id)}>
        {t('drains.toFile')}
      </a>
    </div>
  );
}

/** For whoever has asked for it alone. */
function ToEntries({ id, map }: { readonly id: string; readonly map: string }) {
  const t = useText();
  return (
    <div class="actions">
      <a class="button" href={readingHref(map, id)}>
        {t('readings.toEntries')}
      </a>
      <span class="muted">{t('readings.toEntriesAbout')}</span>
    </div>
  );
}

function ToAudit() {
  const t = useText();
  return (
    <div class="actions">
      <a class="button" href="/observe/audit#verification">
        {t('common.auditLog')}
      </a>
    </div>
  );
}

function factsOf(job: ShownJob, now: Date, t: Translate): readonly Fact[] {
  const notYet = t('jobs.notYet');
  return [
    { name: t('jobs.job'), value: <Id>{job.id}</Id> },
    { name: t('common.state'), value: <JobState {...job} /> },
    { name: t('jobs.progress'), value: progressText(job, t) },
    ...(isRunning(job) ? [{ name: t('jobs.timeLeft'), value: timeLeft(job, now, t) }] : []),
    { name: t('jobs.begunBy'), value: <Starter {...job} /> },
    { name: t('jobs.askedFor'), value: <Ago at={new Date(job.createdAt)} now={now} /> },
    { name: t('jobs.began'), value: <Ago at={dateOf(job.startedAt)} now={now} never={notYet} /> },
    ...(isRunning(job)
      ? [
          { name: t('jobs.lastMoved'), value: <Ago at={new Date(job.updatedAt)} now={now} /> },
          {
            name: t('jobs.afterRestart'),
            value: job.resumable ? t('jobs.goesOn') : t('jobs.isInterrupted'),
          },
        ]
      : [{ name: t('jobs.ended'), value: <Ago at={dateOf(job.endedAt)} now={now} never={notYet} /> }]),
  ];
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

function resultFacts(result: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(result).map(([name, value]) => ({
    name,
    value: <bdi class="code">{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>,
  }));
}
