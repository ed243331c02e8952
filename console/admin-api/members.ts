/** `/api/v1/members`: how the members are, and which of them take calls, by the same rules as `npx console member`. */
import { z } from 'zod';
import { type EndpointGroup, endpointGroups } from '../../platform/endpoint-groups.ts';
import type { History, HistoryQuestion } from '../metrics/history/read-history.ts';
import { type Cursors, defaultItems, listOf, listQuery } from '../operations/lists.ts';
import { type Answer, type Operation, operation } from '../operations/operation.ts';
import { view } from '../operations/resource-fields.ts';
import { checkVersion, versionOf } from '../storage/record-version.ts';

/** See console/members/member-states.ts. */
interface MemberState {
  readonly id: string;
  readonly address: string;
  readonly uuid: string | null;
  readonly version: string | null;
  readonly kind: 'data' | 'lite' | null;
  readonly health: 'ready' | 'notReady' | 'silent' | 'unreachable' | null;
  readonly circuit: 'closed' | 'halfOpen' | 'open' | null;
  readonly state: 'in' | 'out' | 'unknown';
  readonly reason: string | null;
  readonly isDrained: boolean;
  readonly inFlight: number | null;
  readonly groups: Readonly<Record<EndpointGroup, boolean>>;
}

export interface MemberNeeds {
  readonly memberStates: {
    list(): readonly MemberState[];
    /** Throws {@link ProblemError}s, as the next ones do. */
    get(name: string): MemberState;
    drain(name: string): Promise<boolean>;
    undrain(name: string): Promise<boolean>;
  };
  readonly readHistory: (question: HistoryQuestion) => Promise<History>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly cursors: Cursors;
}

/** Of calls by which a member is judged: long enough for a few rows of the history, short enough to be of now. */
const recentMs = 60_000;

const memberName = z
  .string()
  .regex(/^[\w.:[\]-]{1,261}$/, 'it is a host and a port, such as 10.0.0.1:5701, or the UUID of the member')
  .meta({ description: '`host:port`, or the UUID of the member.', example: '10.0.0.1:5701' });
const memberView = view({
  id: z.string().meta({ description: '`host:port`.', example: '10.0.0.1:5701' }),
  address: z.string().meta({ description: 'Base address, as it is configured or was discovered.' }),
  uuid: z.string().nullable(),
  version: z.string().nullable().meta({ description: 'Of its release.', example: '5.5.0' }),
  kind: z.enum(['data', 'lite']).nullable().meta({ description: 'A lite member holds no data.' }),
  health: z
    .enum(['ready', 'notReady', 'silent', 'unreachable'])
    .nullable()
    .meta({ description: 'What its last probe has found; silent: it says nothing of its health.' }),
  circuit: z.enum(['closed', 'halfOpen', 'open']).nullable().meta({
    description: 'Closed: it gets its share of calls; half open: others are asked first; open: it is out.',
  }),
  state: z.enum(['in', 'out', 'unknown']).meta({ description: 'Whether it gets calls, as its probes say.' }),
  reason: z.string().nullable().meta({ description: 'Why its last probe came to nothing.' }),
  isDrained: z.boolean().meta({ description: 'Whether it gets no calls but those that name it.' }),
  inFlight: z.number().int().nullable().meta({ description: 'Calls that are under way there.' }),
  p99Ms: z.number().nullable().meta({
    description:
      'Of the calls of the last minute: what 99 of 100 took at most in the worst five seconds, right to a tenth. Null without calls, and past the first 25 members that are called.',
    example: 4.8,
  }),
  failedShare: z.number().nullable().meta({
    description:
      'Of the calls of the last minute: those that failed, of all. Null without calls, and past the first 25 members that are called.',
    example: 0.02,
  }),
  groups: z
    .strictObject(
      Object.fromEntries(endpointGroups.map((group) => [group, z.boolean()])) as Record<
        EndpointGroup,
        z.ZodBoolean
      >,
    )
    .meta({ description: 'Endpoint groups; false: off there, as far as its answers tell.' }),
}).meta({ id: 'Member' });
const params = z.strictObject({ member: memberName });

export const memberOperations: readonly Operation<MemberNeeds>[] = [
  operation({
    id: 'listMembers',
    method: 'GET',
    path: '/members',
    summary: 'Lists the members, how they are, and which are drained.',
    access: 'metrics',
    query: listQuery({}),
    answer: listOf(memberView),
    async run({ query, isBrief }, needs: MemberNeeds) {
      const { memberStates, cursors } = needs;
      const all = [...memberStates.list()].sort((one, other) => (one.id < other.id ? -1 : 1));
      const after = cursors.read('listMembers', query) ?? '';
      const rest = all.filter(({ id }) => id > after);
      const lastMinuteOf = isBrief ? () => ({}) : await readLastMinute(needs);
      const items = rest.slice(0, query.limit ?? defaultItems).map((state) => shown(state, lastMinuteOf));
      const last = items.at(-1)?.id ?? '';
      const next = items.length < rest.length ? cursors.write('listMembers', query, last) : null;
      return { body: { items, next, count: { value: all.length, isExact: true } } };
    },
  }),
  operation({
    id: 'readMember',
    method: 'GET',
    path: '/members/{member}',
    summary: 'Shows how a member is.',
    access: 'metrics',
    params,
    answer: memberView,
    async run({ params: { member } }, needs: MemberNeeds) {
      const state = needs.memberStates.get(member);
      return { body: shown(state, await readLastMinute(needs)), version: versionOf(changeableOf(state)) };
    },
  }),
  operation({
    id: 'drainMember',
    method: 'POST',
    path: '/members/{member}/drain',
    summary: 'Gives a member no calls any more but those that name it, until it is undrained.',
    access: 'write',
    event: 'member.drained',
    params,
    answer: memberView,
    async run({ params: { member }, ifMatch }, needs: MemberNeeds) {
      const { memberStates } = needs;
      const state = memberStates.get(member);
      checkVersion(changeableOf(state), ifMatch);
      return changed(state, await memberStates.drain(state.id), true, needs);
    },
  }),
  operation({
    id: 'undrainMember',
    method: 'POST',
    path: '/members/{member}/undrain',
    summary: 'Gives a drained member calls again.',
    access: 'write',
    event: 'member.undrained',
    params,
    answer: memberView,
    // One that is not there any more has nothing to show.
    statuses: [200, 204],
    async run({ params: { member }, ifMatch }, needs: MemberNeeds) {
      const { memberStates } = needs;
      const name = member.toLowerCase();
      const found = memberStates.list().find(({ id, uuid }) => id === name || uuid === name);
      if (found) checkVersion(changeableOf(found), ifMatch);
      const isNew = await memberStates.undrain(name);
      return found ? changed(found, isNew, false, needs) : { status: 204, target: member };
    },
  }),
];

interface LastMinute {
  readonly p99Ms: number | null;
  readonly failedShare: number | null;
}

/** Once for all members: it is one look at the history. */
async function readLastMinute({
  readHistory,
  now,
}: Pick<MemberNeeds, 'readHistory' | 'now'>): Promise<(id: string) => LastMinute> {
  const until = now();
  const names = ['memberCallP99Ms', 'memberCalls', 'memberCallsFailed'] as const;
  const { series } = await readHistory({ names, since: until - recentMs, until, points: 1 });
  const of = (id: string, wanted: (typeof names)[number]) =>
    series.find(({ name, member }) => name === wanted && member === id);
  return (id) => {
    const calls = of(id, 'memberCalls')?.mean[0] ?? 0;
    const failed = of(id, 'memberCallsFailed')?.mean[0] ?? 0;
    return {
      p99Ms: of(id, 'memberCallP99Ms')?.most[0] ?? null,
      failedShare: calls === 0 ? null : Number((failed / calls).toPrecision(3)),
    };
  };
}

function shown(state: MemberState, lastMinuteOf: (id: string) => Partial<LastMinute>) {
  return { ...state, ...lastMinuteOf(state.id) };
}

async function changed(
  state: MemberState,
  isNew: boolean,
  isDrained: boolean,
  needs: MemberNeeds,
): Promise<Answer> {
  const changes = { isDrained: { from: !isDrained, to: isDrained } };
  const body = { ...shown(state, await readLastMinute(needs)), isDrained };
  return {
    body,
    version: versionOf(changeableOf(body)),
    target: state.id,
    ...(isNew ? { changes } : { isUnchanged: true }),
  };
}

/** What is changed by calls: how it is otherwise has no version. */
function changeableOf({ id, isDrained }: MemberState): object {
  return { id, isDrained };
}
