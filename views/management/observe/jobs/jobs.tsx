/** Jobs: what takes longer than a page may, while it is worked on and for 30 days. */
import { renderDocument } from '../../../layout.tsx';
import { Text, useText } from '../../../texts/elements.tsx';
import { Ago, dateOf } from '../../ago.tsx';
import type { FiltersModel } from '../../filters.tsx';
import { ListPage, type ListState } from '../../list.tsx';
import { RowAct } from '../../row-act.tsx';
import { jobHref } from './job-address.ts';
import { jobTitle } from './job-kinds.ts';
import { isRunning, JobState, progressText, type ShownJob, Starter } from './job-parts.tsx';

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
        { title: t('jobs.began'), isMinor: true, sortBy: 'startedAt' },
        { title: t('jobs.ended'), isMinor: true, sortBy: 'endedAt' },
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
