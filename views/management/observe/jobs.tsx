/** Jobs: what takes longer than a page may, while it is worked on and for 30 days. */
import { renderDocument, renderPart } from '../../layout.tsx';
import { Ago, dateOf } from '../ago.tsx';
import { DetailPage, type Fact, Facts, Id, Part } from '../detail.tsx';
import type { FiltersModel } from '../filters.tsx';
import type { FrameModel } from '../frame.tsx';
import { ListPage, type ListState } from '../list.tsx';
import { Live } from '../live.tsx';
import { State, type StateKind } from '../state.tsx';

/** As the admin API has it. */
export interface ShownJob {
  readonly id: string;
  readonly kind: string;
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';
  readonly progress: {
    readonly done: number;
    readonly total: number | null;
    readonly unit: string;
    readonly step: string;
  };
  readonly startedBy: string;
  readonly resumable: boolean;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly updatedAt: string;
  readonly endedAt: string | null;
}

export const jobsHref = '/observe/jobs';

export function jobHref(id: string): string {
  return `${jobsHref}/${encodeURIComponent(id)}`;
}

export function isRunning({ state }: Pick<ShownJob, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

export const jobStates: Readonly<Record<ShownJob['state'], readonly [StateKind, string]>> = {
  queued: ['unknown', 'Queued'],
  running: ['ok', 'Running'],
  succeeded: ['ok', 'Done'],
  failed: ['danger', 'Failed'],
  cancelled: ['off', 'Stopped'],
  interrupted: ['warn', 'Interrupted by a restart'],
};

function JobState({ state }: Pick<ShownJob, 'state'>) {
  const [kind, word] = jobStates[state];
  return <State kind={kind}>{word}</State>;
}

export interface JobsModel extends ListState {
  readonly jobs: readonly ShownJob[];
  readonly filters: FiltersModel;
}

export function renderJobs({ jobs, ...list }: JobsModel): string {
  return renderDocument(
    <ListPage
      {...list}
      title="Jobs"
      about="What takes longer than a page may: it goes on when the page is closed, and is here for 30 days."
      columns={[
        { title: 'Job' },
        { title: 'State' },
        { title: 'Progress' },
        { title: 'By' },
        { title: 'Began' },
        { title: 'Ended' },
      ]}
      rows={jobs.map((job) => ({
        key: job.id,
        cells: [
          <a key="id" href={jobHref(job.id)}>
            <bdi>{job.kind}</bdi>
          </a>,
          <JobState key="state" {...job} />,
          progressText(job),
          <Starter key="by" {...job} />,
          <Ago key="began" at={new Date(job.startedAt ?? job.createdAt)} now={list.frame.now} />,
          <Ago key="ended" at={dateOf(job.endedAt)} now={list.frame.now} never="Not yet" />,
        ],
      }))}
      empty={
        <p>
          No job was begun in the last 30 days. Imports and backups are jobs: <code>npx console backup</code>.
        </p>
      }
    />,
  );
}

/** A person, or a program. */
function Starter({ startedBy }: Pick<ShownJob, 'startedBy'>) {
  return <bdi>{startedBy}</bdi>;
}

const grouped = new Intl.NumberFormat('en');

function progressText({ progress: { done, total, unit } }: ShownJob): string {
  if (done === 0 && total === null) return '–';
  const of = total === null ? '' : ` of ${grouped.format(total)}`;
  return `${grouped.format(done)}${of} ${unit}`.trim();
}

export interface JobModel {
  readonly frame: FrameModel;
  readonly job: ShownJob;
  readonly mayStop: boolean;
  readonly notice?: string | undefined;
}

export function renderJob(model: JobModel): string {
  const { frame, job, mayStop, notice } = model;
  return renderDocument(
    <DetailPage
      frame={frame}
      path={[{ title: 'Jobs', href: jobsHref }]}
      title={job.kind}
      state={<JobState {...job} />}
      acts={
        isRunning(job) && (
          <>
            <Live />
            {mayStop && (
              <a class="button" href={`${jobHref(job.id)}?do=stop`}>
                Stop job
              </a>
            )}
          </>
        )
      }
      notice={notice}
      problem={job.problem?.detail}
    >
      <JobParts {...model} />
    </DetailPage>,
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
  return (
    <div id="job" class="parts">
      {isRunning(job) && <Progress {...job} />}
      <Facts
        facts={[
          { name: 'Job', value: <Id>{job.id}</Id> },
          { name: 'State', value: <JobState {...job} /> },
          { name: 'Progress', value: progressText(job) },
          ...(isRunning(job) ? [{ name: 'Time left', value: timeLeft(job, now) }] : []),
          { name: 'Begun by', value: <Starter {...job} /> },
          { name: 'Asked for', value: <Ago at={new Date(job.createdAt)} now={now} /> },
          { name: 'Began', value: <Ago at={dateOf(job.startedAt)} now={now} never="Not yet" /> },
          { name: 'Last moved', value: <Ago at={new Date(job.updatedAt)} now={now} /> },
          { name: 'Ended', value: <Ago at={dateOf(job.endedAt)} now={now} never="Not yet" /> },
          {
            name: 'After a restart',
            value: job.resumable ? 'Goes on from what it has done' : 'Is interrupted',
          },
        ]}
      />
      {job.result && (
        <Part id="result" title="Result">
          <Facts facts={resultFacts(job.result)} />
        </Part>
      )}
    </div>
  );
}

function Progress({ progress: { done, total, step } }: ShownJob) {
  return (
    <div class="progress">
      <label for="progress">{step === '' ? 'Progress' : step}</label>
      {total === null ? <progress id="progress" /> : <progress id="progress" value={done} max={total} />}
    </div>
  );
}

/** By how fast it was so far. */
function timeLeft({ progress: { done, total }, startedAt, updatedAt }: ShownJob, now: Date): string {
  if (startedAt === null || total === null || done === 0) return 'Not known yet';
  const tookMs = Date.parse(updatedAt) - Date.parse(startedAt);
  const leftMs = (tookMs / done) * (total - done) - (now.getTime() - Date.parse(updatedAt));
  const seconds = Math.max(0, Math.round(leftMs / 1000));
  return seconds < 90 ? `About ${seconds} s` : `About ${grouped.format(Math.round(seconds / 60))} min`;
}

function resultFacts(result: Readonly<Record<string, unknown>>): readonly Fact[] {
  return Object.entries(result).map(([name, value]) => ({
    name,
    value: <bdi class="code">{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>,
  }));
}
