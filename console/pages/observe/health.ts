/** `/observe/health`: what is wrong with this installation, and what puts it right. */
import { mendingOperations } from '../../../views/management/observe/finding-place.ts';
import {
  healthHref,
  healthParts,
  renderHealth,
  type ShownHealth,
} from '../../../views/management/observe/health.tsx';
import type { Parts } from '../live/parts.ts';
import { hrefsOf, type PageContext, type PageTools } from '../page-tools.ts';

export function createHealthPages(tools: PageTools) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const { body: health } = await tools.run<ShownHealth>(ctx, 'readHealth');
      const frame = await tools.frame(ctx);
      tools.send(
        ctx,
        renderHealth({
          ...{ frame, health, csrf: tools.csrf(ctx), open: hrefsOf(frame) },
          may: await tools.mayRun(ctx, mendingOperations),
        }),
      );
    },
    /** What goes on while it is open, as it is known here: no member is asked for it. */
    async parts(ctx: PageContext): Promise<Parts> {
      const { body: health } = await tools.run<ShownHealth>(ctx, 'readHealth');
      const frame = tools.reader(ctx);
      const may = await tools.mayRun(ctx, mendingOperations);
      return healthParts({ frame, health, open: hrefsOf(frame), may });
    },
    /** `POST /observe/health`: looks now. */
    async run(ctx: PageContext): Promise<void> {
      await tools.run(ctx, 'runHealthCheck');
      tools.goTo(ctx, healthHref);
    },
    /** The same as a file, for whoever helps. */
    async report(ctx: PageContext): Promise<void> {
      const { body } = await tools.run<ShownHealth>(ctx, 'readHealth');
      tools.send(ctx, reportOf(body));
      ctx.type = 'text/plain; charset=utf-8';
      ctx.set('Content-Disposition', `attachment; filename="health-${body.checkedAt.slice(0, 10)}.txt"`);
    },
  };
}

function reportOf({ state, checkedAt, findings }: ShownHealth): string {
  const lines = findings.map(({ check, reason, fix, command, ...finding }) =>
    [
      `${finding.state.padEnd(8)} ${check}: ${reason}`,
      ...[fix, command].flatMap((line) => (line === null ? [] : [`         ${line}`])),
    ].join('\n'),
  );
  return [`Health check of ${checkedAt}: ${state}`, '', ...lines, ''].join('\n');
}
