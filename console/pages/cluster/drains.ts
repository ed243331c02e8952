/** `/cluster/queues/:queue/drains/:drain`: items that were taken out of a queue into a file, for who may have them. */
import { Readable } from 'node:stream';
import { drainParts, renderDrain, type ShownDrain } from '../../../views/management/cluster/drains.tsx';
import { drainHref, structureHref } from '../../../views/management/cluster/structures.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import type { Parts } from '../live/parts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { withStarters } from '../starters.ts';

export function createDrainPages(tools: PageTools, acts: Acts) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const drain = await find(ctx);
      const { form } = ctx.state;
      if (form.get('do') === 'remove')
        return acts.ask(ctx, removal(drain, t), placeOf(drain, t), paramsOf(ctx));
      const may = await tools.mayRun(ctx, ['stopQueueDrain', 'deleteQueueItems']);
      const html = renderDrain({
        frame: await tools.frame(ctx),
        drain,
        csrf: tools.csrf(ctx),
        mayStop: may.has('stopQueueDrain'),
        mayRemove: may.has('deleteQueueItems'),
        notice: noticeOf(form.get('done'), t),
      });
      tools.send(ctx, html);
    },
    /** What goes on while the page is open. */
    async parts(ctx: PageContext): Promise<Parts> {
      const drain = await find(ctx);
      const may = await tools.mayRun(ctx, ['deleteQueueItems']);
      return drainParts({ frame: tools.reader(ctx), drain, mayRemove: may.has('deleteQueueItems') });
    },
    /** `POST`: what the form names in `do`. */
    async change(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const drain = await find(ctx);
      const params = paramsOf(ctx);
      const href = drainHref(drain.queue, drain.id);
      if (ctx.state.form.get('do') === 'stop') {
        // One that has ended meanwhile needs no end.
        if (drain.endedAt === null) await tools.run(ctx, 'stopQueueDrain', { params });
        return tools.goTo(ctx, `${href}?done=stop`);
      }
      if (ctx.state.form.get('do') !== 'remove') return tools.goTo(ctx, href);
      const done = await acts.perform(ctx, removal(drain, t), placeOf(drain, t), params);
      if (done) tools.goTo(ctx, `${href}?done=removed`);
    },
    /** The file, line by line as it is read. */
    async items(ctx: PageContext): Promise<void> {
      const params = paramsOf(ctx);
      const { stream, headers } = await tools.run(ctx, 'fetchQueueItems', { params });
      tools.setHeaders(ctx);
      for (const [name, value] of Object.entries(headers ?? {})) ctx.set(name, value);
      ctx.set('Cache-Control', 'no-store');
      ctx.body = Readable.from(stream!);
    },
  };

  async function find(ctx: PageContext): Promise<ShownDrain> {
    const { body } = await tools.run<ShownDrain>(ctx, 'readQueueDrain', { params: paramsOf(ctx) });
    return (await withStarters(tools, ctx, [body]))[0]!;
  }
}

function paramsOf({ params }: PageContext) {
  return { queue: String(params.queue), drain: String(params.drain) };
}

function noticeOf(done: string | undefined, t: Translate): string | undefined {
  if (done === 'stop') return t('drains.stopping');
  return done === 'removed' ? t('drains.removed') : undefined;
}

function placeOf({ queue, id }: ShownDrain, t: Translate) {
  const href = drainHref(queue, id);
  return {
    path: [
      { title: t('common.queues'), href: '/cluster/queues' },
      { title: queue, href: structureHref('queue', queue) },
      { title: t('drains.ofQueue', { queue }), href },
    ],
    href,
  };
}

function removal({ queue, items }: ShownDrain, t: Translate): Act {
  return {
    name: 'remove',
    operation: 'deleteQueueItems',
    title: t('drains.removeOf', { queue }),
    effects: [t('drains.removesThem', { n: items }), t('drains.downloadFirst')],
    button: t('drains.remove'),
    isDangerous: true,
    typedName: queue,
  };
}
