/** Plots of the history of the main numbers: which period and which table the address asks for. */

import type { CallsShown, NumbersShown } from '../../views/management/calls-part.tsx';
import { isNotRead, type NotRead } from '../../views/management/live/not-read.tsx';
import type { PeriodsModel } from '../../views/management/periods.tsx';
import type { PlotModel } from '../../views/management/plot.tsx';
import type { Translate } from '../../views/texts/text.ts';
import { textFor } from '../http/display/presentation.ts';
import type { PageContext, PageTools } from './page-tools.ts';
import { readPart } from './read-part.ts';

export interface AskedPlot {
  readonly id: string;
  readonly title: string;
  /** Behind a number. */
  readonly unit: string;
  /** Of a number as the history has it. */
  readonly factor?: number;
  readonly lines: readonly {
    readonly series: string;
    readonly name: string;
    /** The most of each point, and not the mean. */
    readonly isMost?: true;
  }[];
}

export interface PlotsShown extends PeriodsModel {
  readonly plots: readonly PlotModel[];
}

interface TrafficBody {
  readonly from: string;
  readonly stepSeconds: number;
  readonly isWhole: boolean;
  readonly series: readonly TrafficSeries[];
}

interface TrafficSeries {
  readonly name: string;
  readonly mean: readonly (number | null)[];
  readonly most: readonly (number | null)[];
  readonly sum: number | null;
}

const periods = (t: Translate) =>
  [
    { id: '15min', label: t('common.quarterHour'), seconds: 900 },
    { id: '1h', label: t('frame.hour'), seconds: 3600 },
    { id: '24h', label: t('frame.day'), seconds: 86_400 },
  ] as const;

type Period = ReturnType<typeof periods>[number];

const points = 120;

/**
 * @param now       epoch milliseconds
 * @param narrowed  to one member, client, map or queue, as the operation names it
 */
export async function plotsOf(
  ctx: PageContext,
  tools: PageTools,
  asked: readonly AskedPlot[],
  now: () => number,
  narrowed: Readonly<Record<string, string>> = {},
): Promise<PlotsShown> {
  const t = textFor(ctx);
  const choice = periods(t);
  const series = new Set(asked.flatMap(({ lines }) => lines.map((line) => line.series)));
  const read = async ({ seconds }: Period): Promise<TrafficBody> => {
    const query = {
      series: [...series].join(','),
      since: new Date(now() - seconds * 1000).toISOString(),
      points: String(points),
      ...narrowed,
    };
    return (await tools.run<TrafficBody>(ctx, 'readTraffic', { query })).body;
  };
  const wanted = choice.find(({ id }) => id === ctx.state.form.get('period'));
  const [quarter, hour] = choice;
  let period: Period = wanted ?? hour;
  let body = await read(period);
  // Of a console that has just been started an hour would show a few points at its edge.
  if (!wanted && beganAt(body) > now() - quarter.seconds * 1000) {
    period = quarter;
    body = await read(period);
  }
  return {
    period: period.label,
    periods: choice.map(({ id, label }) => ({ label, href: addressWith(ctx, { period: id }) })),
    plots: asked
      .map((plot) => inFitUnit(plot, body))
      .map(({ lines, factor = 1, ...plot }) => ({
        ...plot,
        ...tablePlace(ctx, plot.id),
        from: Date.parse(body.from) / 1000,
        stepSeconds: body.stepSeconds,
        lines: lines.map(({ series: name, name: shown, isMost = false }) => {
          const { mean = [], most = [] } = body.series.find((one) => one.name === name) ?? {};
          const values = isMost ? most : mean;
          return { name: shown, values: values.map((value) => (value === null ? null : value * factor)) };
        }),
      })),
  };
}

/** Epoch milliseconds of the first point that there is; of none, the beginning. */
function beganAt({ from, stepSeconds, series }: TrafficBody): number {
  const firsts = series.map(({ mean }) => mean.findIndex((value) => value !== null)).filter((at) => at >= 0);
  const first = firsts.length === 0 ? 0 : Math.min(...firsts);
  return Date.parse(from) + first * stepSeconds * 1000;
}

/** Values of some bytes are not thousandths of a kilobyte. */
function inFitUnit(plot: AskedPlot, { series }: TrafficBody): AskedPlot {
  if (plot.id !== 'values') return plot;
  const sizes = series.find(({ name }) => name === 'valueBytes')?.most ?? [];
  const largest = sizes.reduce<number>((most, size) => Math.max(most, size ?? 0), 0);
  const { unit, factor } =
    largest >= mib ? { unit: ' MB', factor: 1 / mib } : { unit: ' KB', factor: 1 / 1024 };
  return largest < 1024 ? { ...plot, unit: ' B', factor: 1 } : { ...plot, unit, factor };
}

const mib = 1024 * 1024;

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

const dayMs = 86_400_000;
/** By five minutes. */
const dayPoints = 288;

/**
 * The calls of one client in the last 24 hours; undefined for who may not see them.
 *
 * @param now  epoch milliseconds
 */
export async function callsShown(
  ctx: PageContext,
  tools: PageTools,
  client: string,
  now: () => number,
): Promise<CallsShown | NotRead | undefined> {
  const may = await tools.mayRun(ctx, ['readTraffic', 'readCalls', 'listAuditEntries']);
  if (!may.has('readTraffic')) return undefined;
  const query = {
    client,
    since: new Date(now() - dayMs).toISOString(),
    points: String(dayPoints),
  };
  const body = await readPart(async () => (await tools.run<TrafficBody>(ctx, 'readTraffic', { query })).body);
  if (isNotRead(body)) return body;
  const sumOf = (name: string) => body.series.find((one) => one.name === name)?.sum ?? 0;
  const [calls, denied, failed] = [sumOf('calls'), sumOf('callsDenied'), sumOf('callsFailed')];
  const refused = new URLSearchParams({ actor: client, event: 'member.call', outcome: 'denied' });
  return {
    plot: dayPlotOf(ctx, body),
    isWhole: body.isWhole,
    ...{ fine: calls - denied - failed, denied, failed },
    whyHref: denied > 0 && may.has('listAuditEntries') ? `/observe/audit?${refused}` : undefined,
    href: may.has('readCalls')
      ? `/observe/traffic?${new URLSearchParams({ minutes: '60', client })}`
      : undefined,
  };
}

function dayPlotOf(ctx: PageContext, { from, stepSeconds, series }: TrafficBody): PlotModel {
  const t = textFor(ctx);
  const perMinute = (name: string) =>
    series.find((one) => one.name === name)?.mean.map((value) => (value === null ? null : value * 60)) ?? [];
  const [calls, denied, failed] = [perMinute('calls'), perMinute('callsDenied'), perMinute('callsFailed')];
  const fine = calls.map((value, at) => (value === null ? null : value - denied[at]! - failed[at]!));
  return {
    id: 'calls',
    title: t('common.calls'),
    unit: '/min',
    ...tablePlace(ctx, 'calls'),
    from: Date.parse(from) / 1000,
    stepSeconds,
    lines: [
      { name: t('frame.fine'), values: fine },
      { name: t('common.refused'), values: denied },
      { name: t('common.failed'), values: failed },
    ],
  };
}

/**
 * Numbers of one map or queue over time; undefined for who may not see them.
 *
 * @param id   `map:orders`, `queue:jobs`
 * @param now  epoch milliseconds
 */
export async function numbersShown(
  ctx: PageContext,
  tools: PageTools,
  id: string,
  now: () => number,
): Promise<NumbersShown | NotRead | undefined> {
  const may = await tools.mayRun(ctx, ['readTraffic', 'readCalls']);
  if (!may.has('readTraffic')) return undefined;
  const t = textFor(ctx);
  const asked = id.startsWith('queue:') ? queuePlots(t) : mapPlots(t);
  const narrowed = new URLSearchParams({ minutes: '60', structure: id });
  return readPart(async () => ({
    ...(await plotsOf(ctx, tools, asked, now, { structure: id })),
    href: may.has('readCalls') ? `/observe/traffic?${narrowed}` : undefined,
  }));
}

const callLines = (t: Translate) => [
  { series: 'calls', name: t('common.calls') },
  { series: 'callsDenied', name: t('common.refused') },
  { series: 'callsFailed', name: t('common.failed') },
];

const mapPlots = (t: Translate): readonly AskedPlot[] => [
  { id: 'calls', title: t('common.calls'), unit: '/s', lines: callLines(t) },
  {
    id: 'hits',
    title: t('numbers.hitShare'),
    unit: ' %',
    factor: 100,
    lines: [{ series: 'hitShare', name: t('numbers.found') }],
  },
  {
    id: 'values',
    title: t('numbers.valueSizes'),
    unit: ' KB',
    factor: 1 / 1024,
    lines: [
      { series: 'valueBytes', name: t('numbers.mean') },
      { series: 'valueBytes', name: t('numbers.largest'), isMost: true },
    ],
  },
];

const queuePlots = (t: Translate): readonly AskedPlot[] => [
  {
    id: 'size',
    title: t('numbers.items'),
    unit: '',
    lines: [{ series: 'queueSize', name: t('numbers.items') }],
  },
  {
    id: 'items',
    title: t('numbers.offersAndPolls'),
    unit: '/s',
    lines: [
      { series: 'offers', name: t('numbers.offers') },
      { series: 'polls', name: t('numbers.polls') },
      { series: 'pollsEmpty', name: t('numbers.emptyPolls') },
    ],
  },
  {
    id: 'waiting',
    title: t('numbers.waitingPolls'),
    unit: '',
    lines: [{ series: 'pollsWaiting', name: t('numbers.waitingPolls') }],
  },
];

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
