/** `/api/v1/sessions/logouts`: which applications know that a session has ended. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { mapWithPauses } from '../../../platform/async/pauses.ts';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { Users } from '../../accounts/users.ts';
import { type Cursors, defaultItems, listOf, listQuery } from '../../operations/lists.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { filters } from './session-form.ts';

/** What became of telling one application. Times are epoch milliseconds. */
interface LogoutOutcome {
  readonly sessionUid: string;
  readonly accountId: string;
  readonly clientId: string;
  /** Of an application with several nodes: the address of this one. */
  readonly node?: string | undefined;
  readonly state: 'confirmed' | 'waiting' | 'failed';
  readonly tries: number;
  readonly reason: string | undefined;
  readonly endedAt: number;
  readonly dueAt?: number;
}

export interface LogoutNeeds {
  readonly logoutOutbox: {
    /** Those of every session, or of one account, that ended within a day. */
    recent(accountId?: string): Promise<readonly LogoutOutcome[]>;
  };
  readonly users: Pick<Users, 'find' | 'findByName'>;
  readonly cursors: Cursors;
}

const logoutView = view({
  endedAt: dateTime.meta({ description: 'When the session ended.' }),
  user: z.string().nullable().meta({ description: 'Null: the account is gone.', example: 'grace' }),
  subject: z.string(),
  client: z.string().meta({ description: 'The application.', example: 'wiki' }),
  node: z
    .string()
    .nullable()
    .meta({ description: 'Of an application with several: the address of this one.' }),
  state: z.enum(['waiting', 'told', 'confirmed', 'gave_up']).meta({
    description: 'Of `told` another try follows; after `gave_up` the person may still be signed in there.',
  }),
  tries: z.number().int(),
  lastError: z.string().nullable(),
  nextTryAt: dateTime.nullable(),
}).meta({ id: 'SessionLogout' });

/** Where one stands in the list: the newest first. */
type Place = readonly [endedAt: number, receiver: string, digest: string];

export const logoutOperations: readonly Operation<LogoutNeeds>[] = [
  operation({
    id: 'listSessionLogouts',
    method: 'GET',
    path: '/sessions/logouts',
    summary:
      'Lists which applications have confirmed the sessions that ended within a day, the newest first.',
    access: 'inspect',
    query: listQuery({ user: filters.user, client: filters.client }),
    answer: listOf(logoutView),
    problems: [404],
    async run({ query }, { logoutOutbox, users, cursors }: LogoutNeeds) {
      const { limit = defaultItems, user: name, client } = query;
      const after = cursors.read('listSessionLogouts', query);
      const account = name === undefined ? undefined : await users.findByName(name);
      if (name !== undefined && !account) {
        throw new ProblemError(problems.notFound, 'There is no user of this name.');
      }
      const all = (await logoutOutbox.recent(account?.id))
        .filter((outcome) => client === undefined || outcome.clientId === client)
        .map((outcome) => ({ outcome, place: placeOf(outcome) }))
        .sort((one, other) => compare(one.place, other.place));
      const rest =
        after === undefined ? all : all.filter(({ place }) => compare(place, JSON.parse(after)) > 0);
      const page = rest.slice(0, limit);
      const last = rest.length > limit ? page.at(-1) : undefined;
      return {
        body: {
          items: await mapWithPauses(page, ({ outcome }) => viewOf(outcome, users)),
          next: last ? cursors.write('listSessionLogouts', query, JSON.stringify(last.place)) : null,
          count: null,
        },
      };
    },
  }),
];

async function viewOf(
  outcome: LogoutOutcome,
  users: Pick<Users, 'find'>,
): Promise<z.output<typeof logoutView>> {
  const { accountId, clientId, node = null, endedAt, tries, reason, dueAt } = outcome;
  return {
    endedAt: time(endedAt),
    user: (await users.find(accountId))?.username ?? null,
    subject: accountId,
    client: clientId,
    node,
    state: stateOf(outcome),
    tries,
    lastError: reason ?? null,
    nextTryAt: dueAt === undefined ? null : time(dueAt),
  };
}

function stateOf({ state, tries }: LogoutOutcome): z.output<typeof logoutView>['state'] {
  if (state === 'waiting') return tries === 0 ? 'waiting' : 'told';
  return state === 'failed' ? 'gave_up' : 'confirmed';
}

/** The session's own id is nobody's to see. */
function placeOf({ endedAt, clientId, node = '', sessionUid }: LogoutOutcome): Place {
  const digest = createHash('sha256').update(sessionUid).digest('base64url').slice(0, 12);
  return [endedAt, `${clientId} ${node}`, digest];
}

function compare(one: Place, other: Place): number {
  if (one[0] !== other[0]) return other[0] - one[0];
  const [left, right] = [one.slice(1).join('\n'), other.slice(1).join('\n')];
  return left < right ? -1 : Number(left > right);
}

function time(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
