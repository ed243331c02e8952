/** `/api/v1/traffic`: the history of the main numbers, by series. */
import { z } from 'zod';
import type { History, HistoryQuestion } from '../../metrics/history/read-history.ts';
import { type SeriesName, seriesDescribed, seriesNames } from '../../metrics/history/series.ts';
import { invalidInput } from '../../operations/input-check.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';

export interface TrafficNeeds {
  readonly readHistory: (question: HistoryQuestion) => Promise<History>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const hourMs = 3_600_000;
const mostPoints = 1_000;
const defaultPoints = 300;

const series = z.enum(seriesNames as [SeriesName, ...SeriesName[]]);
const points = z.array(z.number().nullable());
const trafficView = view({
  from: dateTime.meta({ description: 'When the first point begins.' }),
  stepSeconds: z.number().int().meta({ description: 'From one point to the next.' }),
  series: z.array(
    view({
      name: series,
      member: z.string().nullable().meta({ description: '`host:port`, of a series of one member.' }),
      unit: z.enum(['perSecond', 'milliseconds', 'bytes', 'count', 'cores', 'share']),
      meaning: z.string(),
      mean: points.meta({ description: 'Point by point; null where nothing is known.' }),
      least: points,
      most: points,
    }),
  ),
}).meta({ id: 'Traffic' });
const query = z.strictObject({
  series: z.string().max(2_000).exactOptional().meta({
    description: 'Names, with a comma between; all where it is left out.',
    example: 'calls,callP99Ms',
  }),
  member: z.string().max(261).exactOptional().meta({ description: 'Of series of members: of this one.' }),
  since: z.iso
    .datetime({ offset: true })
    .exactOptional()
    .meta({ description: 'An hour ago where it is left out.' }),
  until: z.iso.datetime({ offset: true }).exactOptional().meta({ description: 'Now where it is left out.' }),
  points: z.coerce
    .number()
    .int()
    .min(1)
    .max(mostPoints)
    .exactOptional()
    .meta({ description: `Most points of each series; ${defaultPoints} where it is left out.` }),
});

export const trafficOperations: readonly Operation<TrafficNeeds>[] = [
  operation({
    id: 'readTraffic',
    method: 'GET',
    path: '/traffic',
    summary: 'Shows how the main numbers were: by five seconds for a day, by five minutes for thirty.',
    access: 'metrics',
    isLong: true,
    query,
    answer: trafficView,
    async run({ query: asked }, { readHistory, now }: TrafficNeeds) {
      const until = asked.until === undefined ? now() : Date.parse(asked.until);
      const since = asked.since === undefined ? until - hourMs : Date.parse(asked.since);
      if (since > until) throw invalid('since', 'It is later than until.');
      const {
        from,
        stepSeconds,
        series: found,
      } = await readHistory({
        names: namesIn(asked.series),
        member: asked.member,
        since,
        until,
        points: asked.points ?? defaultPoints,
      });
      return {
        body: {
          from: new Date(from).toISOString(),
          stepSeconds,
          series: found.map(({ name, member = null, ...values }) => ({
            name,
            member,
            ...seriesDescribed[name],
            ...values,
          })),
        },
      };
    },
  }),
];

function namesIn(text: string | undefined): readonly SeriesName[] {
  const names = text?.split(',').map((name) => name.trim()) ?? [];
  return names.map((name) => {
    const known = series.safeParse(name);
    if (known.success) return known.data;
    throw invalid('series', `There are: ${seriesNames.join(', ')}.`);
  });
}

function invalid(name: string, detail: string) {
  return invalidInput([{ pointer: `?${name}`, code: 'invalid_value', detail }]);
}
