/** `/api/v1/traffic/open`: calls that wait for a member, and the end of one. */
import { z } from 'zod';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { isMeant } from '../../metrics/call-sums.ts';
import type { OpenCall } from '../../metrics/open-calls.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';

export interface OpenCallNeeds {
  readonly openCalls: {
    list(): Promise<readonly OpenCall[]>;
    end(requestId: string): Promise<boolean>;
  };
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What one answer shows. */
const mostShown = 500;

const name = z.string().nullable();
const callId = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .meta({ description: 'The id of its request, as in the audit.', example: 'Pq3xY0aZ-1k' });
const openCall = view({
  id: callId,
  method: z.string(),
  route: z.string().meta({ description: 'Template of its path.' }),
  client: name,
  structure: name.meta({ example: 'queue:jobs' }),
  member: name.meta({ description: '`host:port`; null while none has been asked.' }),
  since: dateTime,
  waitedMs: z.number().int(),
  process: z.string().meta({
    description:
      'Where it waits, by machine and port: this console, another one on the same database, or a member proxy in a process of its own. What others have told is some five seconds old.',
    example: 'gateway-1:8443',
  }),
  isHere: z.boolean(),
  canEnd: z.boolean().meta({ description: 'Whether it can be ended from here.' }),
}).meta({ id: 'OpenCall' });
const text = z.string().min(1).max(1_000);

export const openCallOperations: readonly Operation<OpenCallNeeds>[] = [
  operation({
    id: 'listOpenCalls',
    method: 'GET',
    path: '/traffic/open',
    summary: `Lists the calls that have waited for a member for a second or more, the longest first, ${mostShown} at most.`,
    access: 'metrics',
    query: z.strictObject({
      client: text.exactOptional(),
      structure: text.exactOptional().meta({ example: 'queue:jobs' }),
      member: text.exactOptional().meta({ description: '`host:port`.' }),
    }),
    answer: z
      .strictObject({
        items: z.array(openCall),
        count: z.number().int().meta({ description: 'Those that are shown, and those that are not.' }),
      })
      .meta({ id: 'OpenCalls' }),
    async run({ query }, { openCalls, now }: OpenCallNeeds) {
      const at = now();
      const found = (await openCalls.list()).map((call) => viewOf(call, at));
      const meant = found.filter((call) => isMeant({ ...call, status: 0 }, { minutes: 0, ...query }));
      return { body: { items: meant.slice(0, mostShown), count: meant.length } };
    },
  }),
  operation({
    id: 'endOpenCall',
    method: 'POST',
    path: '/traffic/open/{call}/end',
    summary: 'Ends a call that waits for a member: its caller is answered 503 `call_ended`.',
    description:
      'What a member has begun it may still carry out. The item of a poll goes to the next poll, or stays in its queue.',
    access: 'write',
    event: 'call.ended',
    hasVersion: false,
    params: z.strictObject({ call: callId }),
    problems: [404, 409],
    async run({ params: { call: id }, isDryRun }, { openCalls }: OpenCallNeeds) {
      const call = (await openCalls.list()).find(({ requestId }) => requestId === id);
      if (call && !call.canEnd) throw elsewhere(call);
      const isEnded = call !== undefined && (isDryRun || (await openCalls.end(id)));
      if (!isEnded) {
        throw new ProblemError(problems.notFound, 'No such call waits, or it has been answered meanwhile.');
      }
      return { target: id, said: { method: call.method, route: call.route, member: call.member } };
    },
  }),
];

function elsewhere({ process }: OpenCall): ProblemError {
  const detail = `It waits at ${process}, which ends no call for this console: it ends with its token, or when that process does.`;
  return new ProblemError(problems.conflict, detail);
}

function viewOf({ requestId, ...shown }: OpenCall, at: number) {
  return { id: requestId, ...shown, since: new Date(at - shown.waitedMs).toISOString() };
}
