/** `/observe/jobs`: what takes longer than a page may, and the end of it. */

import { jobParts, renderJob } from '../../../views/management/observe/jobs/job.tsx';
import { jobHref, jobsHref } from '../../../views/management/observe/jobs/job-address.ts';
import { jobKinds, jobTitle } from '../../../views/management/observe/jobs/job-kinds.ts';
import { amountText, jobStates, type ShownJob } from '../../../views/management/observe/jobs/job-parts.tsx';
import { renderJobs } from '../../../views/management/observe/jobs/jobs.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { isManyAct } from '../../admin-api/bulk-acts/acts.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { ownBulkJob, undoAct, undone } from '../bulk/undo.ts';
import { listed } from '../listed-pages.ts';
import { filtersOf, type ListAnswer, liveOf, placesOf, queryOf, sortedQueryOf, sortingOf } from '../lists.ts';
import { type LiveList, mostNew } from '../live/new-items.ts';
import type { Parts } from '../live/parts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { withStarters } from '../starters.ts';

export function createJobPages(tools: PageTools, acts: Acts) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const asked = sortedQueryOf(ctx.state.form, listed.jobs);
      const { body } = await tools.run<ListAnswer<ShownJob>>(ctx, 'listJobs', { query: asked });
      const html = renderJobs({
        frame: await tools.frame(ctx),
        jobs: await withStarters(tools, ctx, body.items),
        mayStop: (await tools.mayRun(ctx, ['cancelJob'])).has('cancelJob'),
        filters: filtersOf(
          jobsHref,
          asked,
          undefined,
          [
            { name: 'state', label: t('common.state'), options: stateOptions(t) },
            { name: 'kind', label: t('jobs.kind'), options: kindOptions(t) },
          ],
          t,
        ),
        sorting: sortingOf(listed.jobs, asked),
        ...placesOf(jobsHref, asked, body),
        ...(asked.sort === undefined && liveOf(jobsHref, asked, body.items[0]?.id)),
      });
      tools.send(ctx, html);
    },
    /** What comes while the list is open. @param version  of all jobs */
    newJobs: (version: LiveList['version']): LiveList => ({
      operation: 'listJobs',
      version,
      isInOrderOfIds: true,
      async read(ctx) {
        const { cursor: _, ...asked } = queryOf(ctx.state.form, listed.jobs.names);
        const query = { ...asked, limit: String(mostNew + 1) };
        const { body } = await tools.run<ListAnswer<ShownJob>>(ctx, 'listJobs', { query });
        return { items: body.items, isAll: body.next === null };
      },
    }),
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const job = await find(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'stop') return acts.ask(ctx, stopping(job, t), placeOf(job, t), { job: job.id });
      const may = await tools.mayRun(ctx, ['cancelJob']);
      const own = isManyAct(job.kind) ? await ownBulkJob(ctx, tools, job.id) : undefined;
      const html = renderJob({
        frame: await tools.frame(ctx),
        job,
        mayStop: may.has('cancelJob'),
        undo: own?.undo
          ? {
              things: own.undo.things,
              action: jobHref(job.id),
              hidden: { csrf: tools.csrf(ctx), do: undoAct },
              undoneHref: own.undo.undoneBy ? jobHref(own.undo.undoneBy) : undefined,
            }
          : undefined,
        notice: form.get('done') === 'stop' ? t('jobs.stops') : undefined,
      });
      tools.send(ctx, html);
    },
    /** What goes on while the page is open. */
    async parts(ctx: PageContext): Promise<Parts> {
      return jobParts({ frame: tools.reader(ctx), job: await find(ctx) });
    },
    /** `POST /observe/jobs/:job`: stops it, or takes back what it has done. */
    async stop(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const job = await find(ctx);
      if (ctx.state.form.get('do') === undoAct)
        return tools.goTo(ctx, jobHref((await undone(ctx, tools, job.id)) ?? job.id));
      const done = await acts.perform(ctx, stopping(job, t), placeOf(job, t), { job: job.id });
      if (done) tools.goTo(ctx, `${jobHref(job.id)}?done=stop`);
    },
  };

  async function find(ctx: PageContext): Promise<ShownJob> {
    const params = { job: String(ctx.params.job) };
    const { body } = await tools.run<ShownJob>(ctx, 'readJob', { params });
    return (await withStarters(tools, ctx, [body]))[0]!;
  }
}

const stateOptions = (t: Translate) =>
  Object.entries(jobStates).map(([value, [, word]]) => ({ value, label: t(word) }));

const kindOptions = (t: Translate) =>
  Object.entries(jobKinds).map(([value, word]) => ({ value, label: t(word) }));

function placeOf(job: ShownJob, t: Translate) {
  const href = jobHref(job.id);
  return {
    path: [
      { title: t('common.jobs'), href: jobsHref },
      { title: jobTitle(job, t), href },
    ],
    href,
  };
}

function stopping(job: ShownJob, t: Translate): Act {
  const { done, unit } = job.progress;
  return {
    name: 'stop',
    operation: 'cancelJob',
    title: t('jobs.stopThis', { kind: jobTitle(job, t) }),
    effects: [
      t('jobs.stopsAndEnds'),
      done === 0 ? t('jobs.nothingDone') : t('jobs.doneStays', { done: amountText(done, unit, t) }),
    ],
    button: t('jobs.stop'),
  };
}
