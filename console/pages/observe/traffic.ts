/** `/observe/traffic`: calls of the last hour, narrowed by the address. */

import type { ShownOpenCall } from '../../../views/management/observe/open-calls.tsx';
import {
  renderTraffic,
  type ShownTraffic,
  trafficParts,
} from '../../../views/management/observe/traffic.tsx';
import { trafficHref } from '../../../views/management/observe/traffic-address.ts';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import type { Act, Acts } from '../acts.ts';
import { filtersOf, queryOf } from '../lists.ts';
import type { Parts } from '../live/parts.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { callPlotOf } from '../plots.ts';
import { readPart } from '../read-part.ts';
import { tailFramesOf } from './traffic-tail.ts';

export function createTrafficPage(tools: PageTools, acts: Acts, now: () => number) {
  const read = async (ctx: PageContext, query: Readonly<Record<string, string>>) =>
    (await tools.run<ShownTraffic>(ctx, 'readCalls', { query })).body;
  return {
    /** What comes while it is open. */
    tail: tailFramesOf({ askedOf, read, readerOf: tools.reader, now }),
    async show(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const { form } = ctx.state;
      const isAsked = form.get('do') === 'end';
      const call = isAsked ? await findOpen(ctx) : undefined;
      if (call) return acts.ask(ctx, ending(call, t), placeOf(t), { call: call.id });
      const done = form.get('done') === 'ended' ? t('traffic.ended') : undefined;
      const notice = isAsked ? t('traffic.goneMeanwhile') : done;
      const model = await modelOf(ctx);
      tools.send(ctx, renderTraffic({ ...model, notice, frame: await tools.frame(ctx) }));
    },
    /** `POST /observe/traffic`: ends a call that waits. */
    async end(ctx: PageContext): Promise<void> {
      const t = textFor(ctx);
      const call = await findOpen(ctx);
      if (!call) return tools.goTo(ctx, `${trafficHref}?do=end`);
      const done = await acts.perform(ctx, ending(call, t), placeOf(t), { call: call.id });
      if (done) tools.goTo(ctx, `${trafficHref}?done=ended`);
    },
    /** What goes on while it is open. */
    async parts(ctx: PageContext): Promise<Parts> {
      return trafficParts({ ...(await modelOf(ctx)), frame: tools.reader(ctx) });
    },
  };

  /** @returns undefined of one that does not wait any more */
  async function findOpen(ctx: PageContext): Promise<ShownOpenCall | undefined> {
    const { body } = await tools.run<OpenCalls>(ctx, 'listOpenCalls');
    return body.items.find(({ id }) => id === ctx.state.form.get('call'));
  }

  async function openOf(ctx: PageContext, asked: Readonly<Record<string, string>>) {
    const { status: _, minutes: _minutes, ...narrowed } = asked;
    return readPart(async () => (await tools.run<OpenCalls>(ctx, 'listOpenCalls', { query: narrowed })).body);
  }

  async function modelOf(ctx: PageContext) {
    const t = textFor(ctx);
    const asked = askedOf(ctx);
    const traffic = await read(ctx, asked);
    const { selects, ...filters } = filtersOf(
      trafficHref,
      asked,
      undefined,
      [{ name: 'status', label: t('traffic.status'), options: statusesWith(asked.status, t) }],
      t,
    );
    const period = {
      name: 'minutes',
      label: t('common.period'),
      options: periods(t),
      value: String(traffic.minutes),
    };
    return {
      filters: {
        ...filters,
        texts: texts(t).map((text) => ({ ...text, value: asked[text.name] ?? '' })),
        selects: [...selects, period],
      },
      asked,
      plots: [callPlotOf(ctx, traffic)],
      traffic,
      open: await openOf(ctx, asked),
      mayEnd: (await tools.mayRun(ctx, ['endOpenCall'])).has('endOpenCall'),
    };
  }
}

/** Of the operation. */
function askedOf({ state: { form } }: PageContext): Readonly<Record<string, string>> {
  const names = ['client', 'structure', 'member', 'status', 'minutes'];
  const { cursor: _, limit: _limit, minutes, ...asked } = queryOf(form, names);
  // The form sends it each time: no filter that could be taken off.
  return minutes === undefined || minutes === usualMinutes ? asked : { ...asked, minutes };
}

const usualMinutes = '15';

interface OpenCalls {
  readonly items: readonly ShownOpenCall[];
  readonly count: number;
}

const placeOf = (t: Translate) => ({
  path: [{ title: t('common.traffic'), href: trafficHref }],
  href: trafficHref,
});

function ending(call: ShownOpenCall, t: Translate): Act {
  const { id, client, method, structure, route, waitedMs } = call;
  const isPoll = structure?.startsWith('queue:') === true && method !== 'POST' && method !== 'PUT';
  const isRead = method === 'GET' || method === 'HEAD';
  return {
    name: 'end',
    operation: 'endOpenCall',
    title: t('traffic.endTitle'),
    effects: [
      t('traffic.endsWhich', {
        call: `${method} ${structure ?? route}`,
        seconds: Math.floor(waitedMs / 1000),
      }),
      t('traffic.endCaller', { client: client ?? t('traffic.nobodyKnown') }),
      t(isPoll ? 'traffic.endPoll' : isRead ? 'traffic.endRead' : 'traffic.endWrite'),
      t('traffic.endAgain'),
    ],
    button: t('traffic.endButton'),
    isDangerous: false,
    hidden: { call: id },
    requestOf: () => ({}),
  };
}

const texts = (t: Translate) => [
  { name: 'client', label: t('traffic.client') },
  { name: 'structure', label: t('traffic.structure'), example: 'map:orders' },
  { name: 'member', label: t('traffic.member'), example: '10.0.0.1:5701' },
];

const periods = (t: Translate) => [
  { value: '1', label: t('traffic.minute') },
  { value: '5', label: t('traffic.fiveMinutes') },
  { value: '15', label: t('common.quarterHour') },
  { value: '60', label: t('frame.hour') },
];

const statuses = (t: Translate) => [
  { value: '2xx', label: t('traffic.fine') },
  { value: '4xx', label: t('traffic.refused') },
  { value: '5xx', label: t('traffic.failed') },
];

/** With the one that a link has narrowed it to. */
function statusesWith(asked: string | undefined, t: Translate) {
  const usual = statuses(t);
  if (asked === undefined || usual.some(({ value }) => value === asked)) return usual;
  return [...usual, { value: asked, label: asked }];
}
