/** One job, while it is worked on and for 30 days. */
import { renderDocument, renderPart } from '../../../layout.tsx';
import { useText } from '../../../texts/elements.tsx';
import { saidIn, type Translate } from '../../../texts/text.ts';
import { Ago, dateOf } from '../../ago.tsx';
import { type BulkResult, Counts, Undo, type UndoModel } from '../../bulk/outcome.tsx';
import { drainHref, readingHref } from '../../cluster/structures.tsx';
import { DetailPage, type Fact, Facts, Id, Part } from '../../detail.tsx';
import type { FrameModel } from '../../frame.tsx';
import { Live } from '../../live/live.tsx';
import { ImportCounts, type ImportResult } from './import-result.tsx';
import { jobHref, jobsHref } from './job-address.ts';
import { jobTitle } from './job-kinds.ts';
import {
  isRunning,
  JobState,
  Progress,
  progressText,
  type ShownJob,
  Starter,
  timeLeft,
} from './job-parts.tsx';

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

function resultFacts(result: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(result).map(([name, value]) => ({
    name,
    value: <bdi class="code">{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>,
  }));
}
