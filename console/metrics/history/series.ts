/** The series of which there is a history: what each says, and how it is made of two readings of the numbers. */
import { type LatencyCounts, latenciesBetween, quantileOf, sumOfLatencies } from '../latencies.ts';
import type { MainCounts, MainNumbers, MemberNumbers } from '../main-numbers.ts';

export type Unit = 'perSecond' | 'milliseconds' | 'bytes' | 'count' | 'cores' | 'share';

export interface SeriesDescription {
  readonly unit: Unit;
  readonly meaning: string;
}

const ofConsole = {
  calls: { unit: 'perSecond', meaning: 'calls to members' },
  callsDenied: { unit: 'perSecond', meaning: 'calls to members that were answered with 400 to 499' },
  callsFailed: {
    unit: 'perSecond',
    meaning: 'calls to members that were answered with 500 or more, or not at all',
  },
  callP50Ms: { unit: 'milliseconds', meaning: 'half of the calls to members took at most so long' },
  callP99Ms: { unit: 'milliseconds', meaning: '99 of 100 calls to members took at most so long' },
  tokens: { unit: 'perSecond', meaning: 'access tokens issued' },
  tokensRejected: { unit: 'perSecond', meaning: 'token requests that were rejected' },
  signIns: { unit: 'perSecond', meaning: 'sign-ins of people' },
  signInsFailed: { unit: 'perSecond', meaning: 'sign-ins that failed' },
  requests: { unit: 'perSecond', meaning: 'requests to the console itself' },
  requestsFailed: {
    unit: 'perSecond',
    meaning: 'requests to the console itself that were answered with 500 or more',
  },
  pollsWaiting: { unit: 'count', meaning: 'queue polls that wait for an item' },
  connections: { unit: 'count', meaning: 'open connections of callers' },
  requestsWaiting: { unit: 'count', meaning: 'requests to the console that wait for a place' },
  memoryBytes: { unit: 'bytes', meaning: 'memory of the console, all of its processes' },
  cpuCores: { unit: 'cores', meaning: 'processor time of the console' },
  eventLoopBusy: { unit: 'share', meaning: 'how much of the time its event loops work' },
  users: { unit: 'count', meaning: 'users' },
  clients: { unit: 'count', meaning: 'clients' },
} as const satisfies Readonly<Record<string, SeriesDescription>>;

const ofMembers = {
  memberCalls: { unit: 'perSecond', meaning: 'calls to one member' },
  memberCallsFailed: { unit: 'perSecond', meaning: 'calls to one member that failed' },
  memberCallsInFlight: { unit: 'count', meaning: 'calls that are in flight at one member' },
  memberCallP99Ms: { unit: 'milliseconds', meaning: '99 of 100 calls to one member took at most so long' },
} as const satisfies Readonly<Record<string, SeriesDescription>>;

export const seriesDescribed: Readonly<Record<SeriesName, SeriesDescription>> = {
  ...ofConsole,
  ...ofMembers,
};

type ConsoleSeries = keyof typeof ofConsole;
type MemberSeries = keyof typeof ofMembers;
export type SeriesName = ConsoleSeries | MemberSeries;

export const seriesNames = Object.keys(seriesDescribed) as SeriesName[];

/** One series: of members each has its own. */
export interface SeriesId {
  readonly name: SeriesName;
  /** `host:port`. */
  readonly member?: string;
}

/** As its column is called. */
export function keyOf({ name, member }: SeriesId): string {
  return member === undefined ? name : `${name} ${member}`;
}

/** @returns undefined for one that this release does not know */
export function seriesOf(key: string): SeriesId | undefined {
  const [name = '', member] = key.split(' ');
  if (!Object.hasOwn(seriesDescribed, name)) return undefined;
  return { name: name as SeriesName, ...(member !== undefined && { member }) };
}

export interface Totals {
  readonly users: number;
  readonly clients: number;
}

/**
 * @param before  by process: what it had counted at the last reading; one that is new had counted nothing
 * @param seconds  between the two
 * @returns the value of each series, by its key
 */
export function valuesBetween(
  before: ReadonlyMap<number | string, MainNumbers>,
  after: ReadonlyMap<number | string, MainNumbers>,
  { users, clients }: Totals,
  seconds: number,
): Map<string, number> {
  const counts = sumOfCounts(before, after);
  const states = [...after.values()].map((numbers) => numbers.states);
  const rate = (name: keyof MainCounts) => counts[name] / seconds;
  const sum = (name: 'pollsWaiting' | 'connections' | 'requestsWaiting' | 'memoryBytes') =>
    states.reduce((total, each) => total + each[name], 0);
  const latencies = sumOfLatencies(
    [...after].map(([id, { callLatencies }]) =>
      latenciesBetween(before.get(id)?.callLatencies ?? [], callLatencies),
    ),
  );
  const values: Readonly<Record<ConsoleSeries, number | undefined>> = {
    calls: rate('calls'),
    callsDenied: rate('callsDenied'),
    callsFailed: rate('callsFailed'),
    callP50Ms: quantileOf(latencies, 0.5),
    callP99Ms: quantileOf(latencies, 0.99),
    tokens: rate('tokens'),
    tokensRejected: rate('tokensRejected'),
    signIns: rate('signIns'),
    signInsFailed: rate('signInsFailed'),
    requests: rate('requests'),
    requestsFailed: rate('requestsFailed'),
    pollsWaiting: sum('pollsWaiting'),
    connections: sum('connections'),
    requestsWaiting: sum('requestsWaiting'),
    memoryBytes: sum('memoryBytes'),
    cpuCores: rate('cpuMicros') / 1e6,
    eventLoopBusy: counts.loopBusyMs / (counts.loopBusyMs + counts.loopIdleMs || 1),
    users,
    clients,
  };
  const known = Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return new Map([...known, ...memberValues(before, after, seconds)]);
}

function memberValues(
  before: ReadonlyMap<number | string, MainNumbers>,
  after: ReadonlyMap<number | string, MainNumbers>,
  seconds: number,
): [string, number][] {
  const members = new Set([...after.values()].flatMap((numbers) => Object.keys(numbers.members)));
  return [...members].flatMap((member) => {
    const each = [...after].map(([id, numbers]) =>
      memberBetween(before.get(id)?.members[member], numbers.members[member]),
    );
    const sum = (of: (numbers: MemberNumbers) => number) =>
      each.reduce((total, numbers) => total + of(numbers), 0) / seconds;
    const inFlight = each.flatMap((numbers) => numbers.inFlight ?? []);
    const p99 = quantileOf(sumOfLatencies(each.map(({ latencies }) => latencies)), 0.99);
    const entry = (name: MemberSeries, value: number): [string, number] => [keyOf({ name, member }), value];
    return [
      entry(
        'memberCalls',
        sum(({ calls }) => calls),
      ),
      entry(
        'memberCallsFailed',
        sum(({ callsFailed }) => callsFailed),
      ),
      ...(inFlight.length === 0 ? [] : [entry('memberCallsInFlight', inFlight.reduce(plus, 0))]),
      ...(p99 === undefined ? [] : [entry('memberCallP99Ms', p99)]),
    ];
  });
}

const plus = (one: number, other: number) => one + other;

const noCalls: MemberNumbers = { calls: 0, callsFailed: 0, latencies: [] };

/** What a member's calls came to between two readings, and how many are in flight; one that is new had none. */
export function memberBetween(
  before: MemberNumbers = noCalls,
  after: MemberNumbers = noCalls,
): MemberNumbers {
  return {
    calls: after.calls - before.calls,
    callsFailed: after.callsFailed - before.callsFailed,
    latencies: latenciesBetween(before.latencies, after.latencies) as LatencyCounts,
    ...(after.inFlight !== undefined && { inFlight: after.inFlight }),
  };
}

function sumOfCounts(
  before: ReadonlyMap<number | string, MainNumbers>,
  after: ReadonlyMap<number | string, MainNumbers>,
): Record<keyof MainCounts, number> {
  const all = [...after].map(([id, { counts }]) => ({ counts, was: before.get(id)?.counts }));
  const names = Object.keys(all[0]?.counts ?? {}) as (keyof MainCounts)[];
  return Object.fromEntries(
    names.map((name) => [
      name,
      all.reduce((sum, { counts, was }) => sum + counts[name] - (was?.[name] ?? 0), 0),
    ]),
  ) as Record<keyof MainCounts, number>;
}
