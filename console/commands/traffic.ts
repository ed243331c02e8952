/** `console traffic show`: the history of the main numbers, or of the calls of one client, map or queue; a line for each series. */
import { type Command, flags, type Input, UsageError } from './runner/command.ts';
import { minute, table } from './runner/output.ts';

/** As the API shows it. */
interface TrafficView {
  readonly from: string;
  readonly stepSeconds: number;
  readonly series: readonly SeriesView[];
}
interface SeriesView {
  readonly name: string;
  readonly member: string | null;
  readonly unit: string;
  readonly mean: Points;
  readonly least: Points;
  readonly most: Points;
  readonly sum: number | null;
}
type Points = readonly (number | null)[];

/** Of a line, where each of them is a bar. */
const bars = 40;
const heights = '▁▂▃▄▅▆▇█';
const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const units: Readonly<Record<string, string>> = {
  perSecond: '/s',
  milliseconds: 'ms',
  bytes: 'MiB',
  count: '',
  cores: 'cores',
  share: '%',
};

export const trafficCommands: readonly Command[] = [
  {
    isOnApi: true,
    name: 'traffic show',
    summary: 'Shows how the main numbers were: calls, tokens, sign-ins, members, memory.',
    positionals: ['[<series>…]'],
    flags: flags({
      '[--last T]': 'so far back: 90s, 15m, 6h, 30d; 1h by default',
      '[--until T]': 'up to this time, ISO 8601; now by default',
      '[--member M]': 'of series of members: of this one, by host:port',
      '[--client C]': 'the calls of this client alone, of a day at most',
      '[--structure S]': 'the same to this map or queue: map:orders, queue:jobs',
    }),
    details: [
      'By five seconds for a day, by five minutes for thirty days; a gap: no console ran, or nothing was counted.',
    ],
    async run(input, { api, now }) {
      const until = untilOf(input) ?? now();
      const since = new Date(until - lastMsOf(input)).toISOString();
      const [member, client, structure] = ['member', 'client', 'structure'].map((name) => input.text(name));
      const query = {
        since,
        until: new Date(until).toISOString(),
        points: bars,
        ...(input.positionals.length > 0 && { series: input.positionals.join(',') }),
        ...(member !== undefined && { member }),
        ...(client !== undefined && { client }),
        ...(structure !== undefined && { structure }),
      };
      const view = (await api.call('readTraffic', { query })).body as TrafficView;
      const headings = [
        'SERIES',
        `SINCE ${minute(Date.parse(view.from))}`,
        'LAST',
        'MEAN',
        'LEAST',
        'MOST',
        '',
        ...(view.series.some(({ sum }) => sum !== null) ? ['SUM'] : []),
      ];
      const none = 'There is no history of these: a console writes it while it runs.';
      return { text: table(headings, view.series.map(rowOf), none), json: view };
    },
  },
];

function rowOf({ name, member, unit, mean, least, most, sum }: SeriesView): string[] {
  const last = mean.findLast((value) => value !== null);
  const known = mean.filter((value) => value !== null);
  const average =
    known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
  const ends = [Math.min(...numbersIn(least)), Math.max(...numbersIn(most))].map((value) =>
    Number.isFinite(value) ? value : undefined,
  );
  const title = member === null ? name : `${name} ${member}`;
  return [
    title,
    drawn(mean),
    ...[last, average, ...ends].map((value) => shown(value, unit)),
    units[unit] ?? '',
    ...(sum === null ? [] : [String(sum)]),
  ];
}

function numbersIn(points: Points): number[] {
  return points.filter((value) => value !== null);
}

/** From nothing to the most of this line. */
function drawn(points: Points): string {
  const most = Math.max(...numbersIn(points));
  return points
    .map((value) => {
      if (value === null) return ' ';
      const height = most > 0 ? Math.round((value / most) * (heights.length - 1)) : 0;
      return heights[height]!;
    })
    .join('');
}

function shown(value: number | undefined, unit: string): string {
  if (value === undefined) return '-';
  const inUnit = unit === 'bytes' ? value / 1024 / 1024 : unit === 'share' ? value * 100 : value;
  return String(Number(inUnit.toPrecision(3)));
}

function lastMsOf(input: Input): number {
  const text = input.text('last') ?? '1h';
  const [, count, unit = ''] = /^([1-9]\d{0,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * unitMs[unit]!;
  throw new UsageError('--last is a number with s, m, h or d: 90s, 15m, 6h, 30d.');
}

function untilOf(input: Input): number | undefined {
  const text = input.text('until');
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new UsageError('--until is a time: 2026-11-22T09:03:11Z.');
  return at;
}
