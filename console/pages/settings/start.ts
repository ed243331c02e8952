/** `/settings/start`: the first ten minutes, left and taken up again at any step. */
import { randomUUID } from 'node:crypto';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { jobHref } from '../../../views/management/observe/jobs/job-address.ts';
import { renderStart, startHref } from '../../../views/management/settings/start.tsx';
import type { PageContext, PageTools } from '../page-tools.ts';
import type { StartSteps } from './start-steps.ts';

export function createStartPage(tools: PageTools, steps: StartSteps) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const shown = await steps.all(ctx);
      if (shown.length === 0) {
        throw new ProblemError(
          problems.forbidden,
          'Your roles open none of the steps. An administrator can give you one that does.',
        );
      }
      const { form } = ctx.state;
      const gone = form.get('do') === 'go' ? shown.find(({ id }) => id === form.get('step')) : undefined;
      if (gone?.link) {
        // The pages of the steps lead back here, until they are left or done.
        steps.setGuided(ctx, true);
        return tools.goTo(ctx, gone.link.href);
      }
      if (shown.every(({ state }) => state !== 'open')) steps.setGuided(ctx, false);
      const may = await tools.mayRun(ctx, ['createBackup']);
      const html = renderStart({
        frame: await tools.frame(ctx),
        steps: shown,
        csrf: tools.csrf(ctx),
        backupKey: may.has('createBackup') ? randomUUID() : undefined,
      });
      tools.send(ctx, html);
    },
    /** `POST /settings/start`: puts a step off, takes it up again, takes the backup, or leaves the steps. */
    async change(ctx: PageContext): Promise<void> {
      const { form } = ctx.state;
      const asked = form.get('do');
      if (asked === 'backup') {
        const request = { body: {}, idempotencyKey: form.get('idempotencyKey') };
        const { body } = await tools.run<{ readonly id: string }>(ctx, 'createBackup', request);
        return tools.goTo(ctx, jobHref(body.id));
      }
      if (asked === 'leave') {
        steps.setGuided(ctx, false);
        return tools.goTo(ctx, '/');
      }
      if (asked === 'later' || asked === 'resume') {
        steps.setPutOff(ctx, form.get('step') ?? '', asked === 'later');
      }
      tools.goTo(ctx, startHref);
    },
  };
}
