/** `/observe/jobs`: what takes longer than a page may, and the end of it. */

import {
  jobHref,
  jobParts,
  jobStates,
  jobsHref,
  renderJob,
  renderJobs,
  type ShownJob,
} from '../../../views/management/observe/jobs.tsx';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { filtersOf, type ListAnswer, placesOf, queryOf } from '../lists.ts';
import type { Parts } from '../live/topics.ts';
import type { PageContext, PageTools } from '../page-tools.ts';

export function createJobPages(tools: PageTools, acts: Acts) {
  return {
    async list(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const asked = queryOf(ctx.state.form, ['state', 'kind']);
      const { body } = await tools.run<ListAnswer<ShownJob>>(ctx, 'listJobs', { query: asked });
      const html = renderJobs({
        frame: await tools.frame(ctx),
        jobs: body.items,
        filters: filtersOf(
          jobsHref,
          asked,
          undefined,
          [
            { name: 'state', label: 'State', options: stateOptions },
            { name: 'kind', label: 'Kind', options: kindOptions },
          ],
          t,
        ),
        ...placesOf(jobsHref, asked, body),
      });
      tools.send(ctx, html);
    },
    async show(ctx: PageContext): Promise<void> {
      const job = await find(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'stop') return acts.ask(ctx, stopping(job), placeOf(job));
      const may = await tools.mayRun(ctx, ['cancelJob']);
      const html = renderJob({
        frame: await tools.frame(ctx),
        job,
        mayStop: may.has('cancelJob'),
        notice: form.get('done') === 'stop' ? 'It stops at the next occasion.' : undefined,
      });
      tools.send(ctx, html);
    },
    /** What goes on while the page is open. */
    async parts(ctx: PageContext): Promise<Parts> {
      return jobParts({ frame: tools.reader(ctx), job: await find(ctx) });
    },
    /** `POST /observe/jobs/:job`: stops it. */
    async stop(ctx: PageContext): Promise<void> {
      const job = await find(ctx);
      const done = await acts.perform(ctx, stopping(job), placeOf(job), { job: job.id });
      if (done) tools.goTo(ctx, `${jobHref(job.id)}?done=stop`);
    },
  };

  async function find(ctx: PageContext): Promise<ShownJob> {
    const params = { job: String(ctx.params.job) };
    return (await tools.run<ShownJob>(ctx, 'readJob', { params })).body;
  }
}

const stateOptions = Object.entries(jobStates).map(([value, [, label]]) => ({ value, label }));

const kindOptions = [
  { value: 'backup', label: 'Backup' },
  { value: 'import-users', label: 'Import of users' },
  { value: 'import-clients', label: 'Import of clients' },
];

function placeOf({ id, kind }: ShownJob) {
  const href = jobHref(id);
  return {
    path: [
      { title: 'Jobs', href: jobsHref },
      { title: kind, href },
    ],
    href,
  };
}

function stopping({ kind, progress: { done, unit } }: ShownJob): Act {
  return {
    name: 'stop',
    operation: 'cancelJob',
    title: `Stop this ${kind}`,
    effects: [
      'It stops at the next occasion, and does not go on.',
      done === 0 ? 'It has done nothing yet.' : `What it has done stays: ${done} ${unit}.`,
    ],
    button: 'Stop job',
  };
}
