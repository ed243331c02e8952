/** `/api/v1/traffic/calls`: who has called what in the last hour, and what came of it. */
import { z } from 'zod';
import {
  type CallFilter,
  type CallRow,
  type CallSums,
  countsOf,
  isDenied,
  type ShownCall,
} from '../../metrics/call-sums.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';

export interface CallNeeds {
  readonly recentCalls: { read(filter: CallFilter): Promise<CallSums> };
}

const mostMinutes = 60;
const defaultMinutes = 15;
/** Of each way to count. */
const mostShown = 50;

const count = z.number().int();
const name = z.string().nullable();
const counts = {
  calls: count,
  denied: count.meta({ description: 'Answered with 400 to 499, by whomever.' }),
  failed: count.meta({ description: 'Answered with 500 or more, or not at all.' }),
};
const group = z
  .array(
    view({
      id: name.meta({ description: 'Null: of no one, or of nobody who is known.' }),
      ...counts,
      meanMs: z.number().nullable(),
      mostMs: z.number().nullable(),
    }),
  )
  .meta({ description: `Those with most calls first, ${mostShown} at most.` });
const call = view({
  at: dateTime,
  method: z.string(),
  route: name.meta({ description: 'Template of its path; null when no rule applied.' }),
  client: name,
  structure: name,
  member: name,
  status: count.meta({ description: '0: the caller left before there was one.' }),
  durationMs: z.number(),
  requestId: z.string(),
  decisionId: name,
});
const callsView = view({
  since: dateTime,
  minutes: count,
  ...counts,
  clients: group,
  structures: group,
  members: group,
  statuses: group,
  perMinute: z.array(view(counts)).meta({ description: 'The first is that of `since`.' }),
  denials: z
    .array(view({ client: name, structure: name, status: count, calls: count }))
    .meta({ description: `Who was denied what, the most frequent first, ${mostShown} at most.` }),
  slowest: z.array(call).meta({ description: 'The slowest first; polls that wait are none of them.' }),
  latest: z.array(call).meta({ description: 'The newest first.' }),
}).meta({ id: 'Calls' });

const text = z.string().min(1).max(1_000);
const query = z.strictObject({
  minutes: z.coerce
    .number()
    .int()
    .min(1)
    .max(mostMinutes)
    .exactOptional()
    .meta({ description: `The last so many; ${defaultMinutes} where it is left out.` }),
  client: text.exactOptional(),
  structure: text.exactOptional().meta({ example: 'map:orders' }),
  member: text.exactOptional().meta({ description: '`host:port`.' }),
  status: z
    .string()
    .regex(/^(?:0|[1-5](?:\d\d|xx))$/, 'is a status, or one to five and xx')
    .exactOptional()
    .meta({ example: '4xx' }),
});

export const callOperations: readonly Operation<CallNeeds>[] = [
  operation({
    id: 'readCalls',
    method: 'GET',
    path: '/traffic/calls',
    summary:
      'Shows who has called what at the members in the last hour, with which status, and how long it took.',
    access: 'metrics',
    query,
    answer: callsView,
    async run({ query: { minutes = defaultMinutes, ...asked } }, { recentCalls }: CallNeeds) {
      const { since, perMinute, rows, slowest, latest } = await recentCalls.read({ minutes, ...asked });
      return {
        body: {
          since: new Date(since).toISOString(),
          minutes,
          ...countsOf(rows),
          clients: groupsOf(rows, ({ client }) => client),
          structures: groupsOf(rows, ({ structure }) => structure),
          members: groupsOf(rows, ({ member }) => member),
          statuses: groupsOf(rows, ({ status }) => String(status)),
          perMinute,
          denials: denialsOf(rows),
          slowest: slowest.map(viewOf),
          latest: latest.map(viewOf),
        },
      };
    },
  }),
];

function groupsOf(rows: readonly CallRow[], idOf: (row: CallRow) => string | null) {
  return groupedBy(rows, idOf)
    .map((of) => {
      const sum = countsOf(of);
      const took = of.reduce((ms, { sumMs }) => ms + sumMs, 0) / sum.calls;
      const mostMs = of.reduce((ms, row) => Math.max(ms, row.mostMs), 0);
      return { id: idOf(of[0]!), ...sum, meanMs: rounded(took), mostMs: rounded(mostMs) };
    })
    .sort((one, other) => other.calls - one.calls)
    .slice(0, mostShown);
}

function denialsOf(rows: readonly CallRow[]) {
  const denied = rows.filter(({ status }) => isDenied(status));
  return groupedBy(denied, ({ client, structure, status }) => JSON.stringify([client, structure, status]))
    .map((of) => {
      const { client, structure, status } = of[0]!;
      return { client, structure, status, calls: countsOf(of).calls };
    })
    .sort((one, other) => other.calls - one.calls)
    .slice(0, mostShown);
}

function groupedBy(rows: readonly CallRow[], idOf: (row: CallRow) => string | null): CallRow[][] {
  const groups = new Map<string | null, CallRow[]>();
  for (const row of rows) {
    const known = groups.get(idOf(row));
    if (known) known.push(row);
    else groups.set(idOf(row), [row]);
  }
  return [...groups.values()];
}

function viewOf({ at, durationMs, ...shown }: ShownCall) {
  return { ...shown, at: new Date(at).toISOString(), durationMs: rounded(durationMs) };
}

/** To a tenth. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
