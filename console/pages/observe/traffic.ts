/** `/observe/traffic`: calls of the last hour, narrowed by the address. */

import {
  renderTraffic,
  type ShownTraffic,
  trafficHref,
  trafficParts,
} from '../../../views/management/observe/traffic.tsx';
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
      [{ name: 'status', label: 'Status', options: statusesWith(asked.status) }],
      t,
    );
    const period = { name: 'minutes', label: 'Period', options: periods, value: String(traffic.minutes) };
    return {
      filters: {
        ...filters,
        texts: texts.map(({ name, label }) => ({ name, label, value: asked[name] ?? '' })),
        selects: [...selects, period],
      },
      asked,
      plots: [callPlotOf(ctx, traffic)],
      traffic,
    };
  }
}

const texts = [
  { name: 'client', label: 'Client' },
  { name: 'structure', label: 'Map or queue, as map:orders' },
  { name: 'member', label: 'Member, as 10.0.0.1:5701' },
];

const periods = [
  { value: '1', label: '1 min' },
  { value: '5', label: '5 min' },
  { value: '15', label: '15 min' },
  { value: '60', label: '1 h' },
];

const statuses = [
  { value: '2xx', label: 'Fine (2xx)' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed (5xx)' },
];

/** With the one that a link has narrowed it to. */
function statusesWith(asked: string | undefined) {
  if (asked === undefined || statuses.some(({ value }) => value === asked)) return statuses;
  return [...statuses, { value: asked, label: asked }];
}
