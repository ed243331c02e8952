/** `/observe/traffic`: calls of the last hour, narrowed by the address. */

import {
  renderTraffic,
  type ShownTraffic,
  trafficHref,
  trafficParts,
} from '../../../views/management/observe/traffic.tsx';
import type { Translate } from '../../../views/texts/text.ts';
import { textFor } from '../../http/display/presentation.ts';
import { filtersOf, queryOf } from '../lists.ts';
import type { Parts } from '../live/topics.ts';
import type { PageContext, PageTools } from '../page-tools.ts';
import { callPlotOf } from '../plots.ts';

export function createTrafficPage(tools: PageTools) {
  return {
    async show(ctx: PageContext): Promise<void> {
      const model = await modelOf(ctx);
      tools.send(ctx, renderTraffic({ ...model, frame: await tools.frame(ctx) }));
    },
    /** What goes on while it is open. */
    async parts(ctx: PageContext): Promise<Parts> {
      return trafficParts({ ...(await modelOf(ctx)), frame: tools.reader(ctx) });
    },
  };

  async function modelOf(ctx: PageContext) {
    const t = textFor(ctx);
    const {
      cursor: _,
      limit: _limit,
      ...asked
    } = queryOf(ctx.state.form, ['client', 'structure', 'member', 'status', 'minutes']);
    const { body: traffic } = await tools.run<ShownTraffic>(ctx, 'readCalls', { query: asked });
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
        texts: texts(t).map(({ name, label }) => ({ name, label, value: asked[name] ?? '' })),
        selects: [...selects, period],
      },
      asked,
      plots: [callPlotOf(ctx, traffic)],
      traffic,
    };
  }
}

const texts = (t: Translate) => [
  { name: 'client', label: t('traffic.client') },
  { name: 'structure', label: t('traffic.structureAs') },
  { name: 'member', label: t('traffic.memberAs') },
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
