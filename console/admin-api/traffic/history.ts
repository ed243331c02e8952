/** `/api/v1/traffic`: the history of the main numbers, and of the calls of one client, map or queue, by series. */
import { z } from 'zod';
import type { CallHistory, CallHistoryQuestion } from '../../metrics/call-history/read-call-history.ts';
import {
  type CallSeriesName,
  type CallSubject,
  callSeriesNames,
  callSeriesOf,
} from '../../metrics/call-history/series-of-calls.ts';
import type { History, HistoryQuestion } from '../../metrics/history/read-history.ts';
import { seriesDescribed, seriesNames } from '../../metrics/history/series.ts';
import { invalidInput } from '../../operations/input-check.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';

export interface TrafficNeeds {
  readonly readHistory: (question: HistoryQuestion) => Promise<History>;
  readonly readCallHistory: (question: CallHistoryQuestion) => Promise<CallHistory>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const hourMs = 3_600_000;
const mostPoints = 1_000;
const defaultPoints = 300;

const name = z.enum([...new Set([...seriesNames, ...callSeriesNames])]);
const points = z.array(z.number().nullable());
const trafficView = view({
  from: dateTime.meta({ description: 'When the first point begins.' }),
  stepSeconds: z.number().int().meta({ description: 'From one point to the next.' }),
  isWhole: z.boolean().meta({
    description:
      'False: more clients, maps and queues were called than are kept by name, so that calls may be missing.',
  }),
  series: z.array(
    view({
      name,
      member: z.string().nullable().meta({ description: '`host:port`, of a series of one member.' }),
      unit: z.enum(['perSecond', 'milliseconds', 'bytes', 'count', 'cores', 'share']),
      meaning: z.string(),
      mean: points.meta({ description: 'Point by point; null where nothing is known.' }),
      least: points,
      most: points,
      sum: z.number().nullable().meta({
        description:
          'How many there were in all; null where it is no count of calls by client, map or queue.',
      }),
    }),
  ),
}).meta({ id: 'Traffic' });
const query = z.strictObject({
  series: z.string().max(2_000).exactOptional().meta({
    description: 'Names, with a comma between; all where it is left out.',
    example: 'calls,callP99Ms',
  }),
  member: z.string().max(261).exactOptional().meta({ description: 'Of series of members: of this one.' }),
  client: z
    .string()
    .min(1)
    .max(1_000)
    .exactOptional()
    .meta({ description: 'The calls of this client alone, of the last 24 hours, by the minute.' }),
  structure: z
    .string()
    .max(1_000)
    .regex(/^(?:map|queue):./, 'is map: or queue:, and a name')
    .exactOptional()
    .meta({ description: 'The same to this map or queue alone.', example: 'map:orders' }),
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
    async run({ query: asked }, needs: TrafficNeeds) {
      const until = asked.until === undefined ? needs.now() : Date.parse(asked.until);
      const since = asked.since === undefined ? until - hourMs : Date.parse(asked.since);
      if (since > until) throw invalid('since', 'It is later than until.');
      const window = { since, until, points: asked.points ?? defaultPoints };
      const subject = subjectOf(asked);
      return {
        body: subject
          ? await callsOf(subject, { ...window, names: asked.series }, needs)
          : await mainNumbersOf({ ...window, names: asked.series, member: asked.member }, needs),
      };
    },
  }),
];

type Asked = z.infer<typeof query>;
type Window = Pick<HistoryQuestion, 'since' | 'until' | 'points'> & {
  readonly names: string | undefined;
};

function subjectOf({ client, structure, member }: Asked): CallSubject | undefined {
  if (client === undefined && structure === undefined) return undefined;
  if (member !== undefined)
    throw invalid('member', 'Calls of one client, map or queue are not kept by member.');
  if (client === undefined) return { kind: 'structure', id: structure! };
  if (structure === undefined) return { kind: 'client', id: client };
  throw invalid('structure', 'Calls are kept by client, or by map and queue: ask for one of them.');
}

async function mainNumbersOf(
  { names, ...window }: Window & { readonly member: string | undefined },
  { readHistory }: TrafficNeeds,
) {
  const { from, stepSeconds, series } = await readHistory({ ...window, names: namesIn(names, seriesNames) });
  return {
    from: new Date(from).toISOString(),
    stepSeconds,
    isWhole: true,
    series: series.map(({ name, member = null, ...values }) => ({
      name,
      member,
      ...seriesDescribed[name],
      ...values,
      sum: null,
    })),
  };
}

async function callsOf(
  subject: CallSubject,
  { names, ...window }: Window,
  { readCallHistory }: TrafficNeeds,
) {
  const described = callSeriesOf(subject);
  const known = Object.keys(described) as CallSeriesName[];
  const asked = names === undefined ? known : namesIn(names, known);
  const { from, stepSeconds, isWhole, series } = await readCallHistory({ ...window, subject, names: asked });
  return {
    from: new Date(from).toISOString(),
    stepSeconds,
    isWhole,
    series: series.map(({ name, ...values }) => {
      const { unit, meaning } = described[name]!;
      return { name, member: null, unit, meaning, ...values };
    }),
  };
}

function namesIn<Name extends string>(text: string | undefined, known: readonly Name[]): readonly Name[] {
  const names = text?.split(',').map((one) => one.trim()) ?? [];
  return names.map((one) => {
    const found = known.find((other) => other === one);
    if (found !== undefined) return found;
    throw invalid('series', `There are: ${known.join(', ')}.`);
  });
}

function invalid(name: string, detail: string) {
  return invalidInput([{ pointer: `?${name}`, code: 'invalid_value', detail }]);
}
