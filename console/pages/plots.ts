/** Plots of the history of the main numbers: which period and which table the address asks for. */

import { ProblemError } from '../../platform/errors.ts';
import type { CallsShown } from '../../views/management/calls-part.tsx';
import type { PeriodsModel } from '../../views/management/periods.tsx';
import type { PlotModel } from '../../views/management/plot.tsx';
import type { Translate } from '../../views/texts/text.ts';
import { textFor } from '../http/display/presentation.ts';
import type { PageContext, PageTools } from './page-tools.ts';

export interface AskedPlot {
  readonly id: string;
  readonly title: string;
  /** Behind a number. */
  readonly unit: string;
  /** Of a number as the history has it. */
  readonly factor?: number;
  readonly lines: readonly { readonly series: string; readonly name: string }[];
}

export interface PlotsShown extends PeriodsModel {
  readonly plots: readonly PlotModel[];
}

interface TrafficBody {
  readonly from: string;
  readonly stepSeconds: number;
  readonly series: readonly { readonly name: string; readonly mean: readonly (number | null)[] }[];
}

const periods = (t: Translate) =>
  [
    { id: '15min', label: t('common.quarterHour'), seconds: 900 },
    { id: '1h', label: t('frame.hour'), seconds: 3600 },
    { id: '24h', label: t('frame.day'), seconds: 86_400 },
  ] as const;

const points = 120;

/**
 * @param now     epoch milliseconds
 * @param member  `host:port`, of series of members
 */
export async function plotsOf(
  ctx: PageContext,
  tools: PageTools,
  asked: readonly AskedPlot[],
  now: () => number,
  member?: string,
): Promise<PlotsShown> {
  const t = textFor(ctx);
  const { form } = ctx.state;
  const period = periods(t).find(({ id }) => id === form.get('period')) ?? periods(t)[1];
  const series = asked.flatMap(({ lines }) => lines.map((line) => line.series));
  const query = {
    series: series.join(','),
    since: new Date(now() - period.seconds * 1000).toISOString(),
    points: String(points),
    ...(member !== undefined && { member }),
  };
  const { body } = await tools.run<TrafficBody>(ctx, 'readTraffic', { query });
  return {
    period: period.label,
    periods: periods(t).map(({ id, label }) => ({ label, href: addressWith(ctx, { period: id }) })),
    plots: asked.map(({ lines, factor = 1, ...plot }) => ({
      ...plot,
      ...tablePlace(ctx, plot.id),
      from: Date.parse(body.from) / 1000,
      stepSeconds: body.stepSeconds,
      lines: lines.map(({ series: name, name: shown }) => {
        const { mean = [] } = body.series.find((one) => one.name === name) ?? {};
        return { name: shown, values: mean.map((value) => (value === null ? null : value * factor)) };
      }),
    })),
  };
}

/** Calls of the last hour by minute. */
export interface CallMinutes {
  readonly since: string;
  readonly perMinute: readonly { readonly calls: number; readonly denied: number; readonly failed: number }[];
}

export function callPlotOf(ctx: PageContext, { since, perMinute }: CallMinutes): PlotModel {
  const t = textFor(ctx);
  const line = (name: string, of: (minute: CallMinutes['perMinute'][number]) => number) => ({
    name,
    values: perMinute.map(of),
  });
  return {
    id: 'calls',
    title: t('common.calls'),
    unit: '/min',
    ...tablePlace(ctx, 'calls'),
    from: Date.parse(since) / 1000,
    stepSeconds: 60,
    lines: [
      line(t('frame.fine'), ({ calls, denied, failed }) => calls - denied - failed),
      line(t('common.refused'), ({ denied }) => denied),
      line(t('common.failed'), ({ failed }) => failed),
    ],
  };
}

/** Calls of one client, or to one map or queue, in the last hour; undefined for who may not see them. */
export async function callsShown(
  ctx: PageContext,
  tools: PageTools,
  narrowed: Readonly<Record<string, string>>,
): Promise<CallsShown | undefined> {
  const may = await tools.mayRun(ctx, ['readCalls']);
  if (!may.has('readCalls')) return undefined;
  const query = { minutes: '60', ...narrowed };
  const body = await asPart(async () => (await tools.run<CallMinutes>(ctx, 'readCalls', { query })).body);
  if (body === undefined) return undefined;
  return { plot: callPlotOf(ctx, body), href: `/observe/traffic?${new URLSearchParams(query)}` };
}

/** What cannot be had leaves its place empty, and the others as they are. */
export async function asPart<Part>(read: () => Promise<Part>): Promise<Part | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** Whether a plot is shown as a table, and where it is as the other. */
export function tablePlace(ctx: PageContext, id: string): Pick<PlotModel, 'isTable' | 'otherHref'> {
  const isTable = ctx.state.form.get('table') === id;
  return { isTable, otherHref: addressWith(ctx, { table: isTable ? '' : id }) };
}

/** The page with something of its address said otherwise. */
function addressWith({ path, querystring }: PageContext, change: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(querystring);
  for (const name of ['live', 'do', 'done']) query.delete(name);
  for (const [name, value] of Object.entries(change)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
