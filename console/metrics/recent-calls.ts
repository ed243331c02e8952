/**
 * Calls to the member surface of the last hour, by who has called what, at which member, and with which status: in memory, minute
 * by minute. It is on the path of every call: five looks into maps and an addition. Names come from callers, so that each
 * minute has room for so many, and what is more counts without its name.
 */
import { createPauses } from '../../platform/async/pauses.ts';
import {
  addStructureCounts,
  type MinuteOfCalls,
  newClientCounts,
  newStructureCounts,
} from './call-history/minute-of-calls.ts';
import {
  countValue,
  newValueTally,
  type ValueCall,
  type ValueTally,
} from './call-history/values-of-calls.ts';
import {
  type CallFilter,
  type CallKey,
  type CallRow,
  type CallSums,
  countsOf,
  hostOf,
  isDenied,
  isFailed,
  isMeant,
  type MinuteCounts,
  shownStructure,
  structureIn,
} from './call-sums.ts';

/** What of a call that is over is looked at. */
export interface SeenCall extends Pick<ValueCall, 'structureAction' | 'valueBytes'> {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Its template; undefined when no rule applied. */
  readonly route: string | undefined;
  /** 0 when the caller left before there was one. */
  readonly status: number;
  readonly clientId: string | undefined;
  /** Base address of the one that was asked. */
  readonly member: string | undefined;
  readonly durationMs: number;
  readonly requestId: string;
  readonly decisionId: string | undefined;
}

export interface RecentCalls {
  record(call: SeenCall): void;
  /** Of all processes. */
  read(filter: CallFilter): Promise<CallSums>;
  /** Of this one. */
  readOwn(filter: CallFilter): Promise<CallSums>;
  /** What this process has seen in one minute of the last hour. @param number  minutes since 1970 */
  minuteOf(number: number): Omit<MinuteOfCalls, 'waiting'>;
}

interface Tally {
  calls: number;
  sumMs: number;
  mostMs: number;
  /** Of calls to a map or a queue. */
  values: ValueTally | undefined;
}

type Counted = Omit<Tally, 'values'>;
type ByStatus = Map<number, Tally>;
type ByMember = Map<string | undefined, ByStatus>;
type ByStructure = Map<string, ByMember>;

interface Minute {
  /** Since 1970. */
  readonly number: number;
  readonly clients: Map<string | undefined, ByStructure>;
  rows: number;
  /** The longest first. */
  readonly slowest: Timed[];
}

interface Timed {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly call: SeenCall;
}

const minuteMs = 60_000;
export const mostMinutes = 60;
/** Of one minute. */
const mostRows = 1_000;
const mostSlowest = 10;
const mostLatest = 200;
/** What is shown of them. */
export const shownSlowest = 20;
export const shownLatest = 50;
/** Whoever waits for an item is not slow. */
const polls: ReadonlySet<string | undefined> = new Set(['/svc/rest/queues/{queueName}/{seconds}']);

/**
 * @param readOthers  where several processes answer: what all of them together have seen, or all others
 * @param now         epoch milliseconds
 */
export function createRecentCalls(
  now: () => number,
  others?: { readonly read: (filter: CallFilter) => Promise<CallSums>; readonly areAll: boolean },
): RecentCalls {
  let minutes: Minute[] = [];
  let current: Minute | undefined;
  const latest: Timed[] = [];
  let next = 0;

  const recent: RecentCalls = {
    record(call) {
      const at = now();
      const number = Math.floor(at / minuteMs);
      if (current?.number !== number) current = begin(number);
      add(current, call);
      latest[next] = { at, call };
      next = (next + 1) % mostLatest;
      if (isSlow(current, call)) addSlow(current, { at, call });
    },
    async read(filter) {
      if (others?.areAll) return others.read(filter);
      const [own, more] = await Promise.all([recent.readOwn(filter), others?.read(filter)]);
      return more ? sumOfCalls([own, more]) : own;
    },
    async readOwn(filter) {
      const first = Math.floor(now() / minuteMs) - filter.minutes + 1;
      const asked = minutes.filter((minute) => minute.number >= first);
      const rows = new Map<string, CallRow>();
      const pause = createPauses(1);
      const perMinute = Array.from({ length: filter.minutes }, () => countsOf([]));
      for (const minute of asked) {
        const meant = [...rowsOf(minute)].filter(({ key }) => isMeant(key, filter));
        for (const { key, tally } of meant) addRow(rows, key, tally);
        const counted = meant.map(({ key, tally }) => ({ status: key.status, calls: tally.calls }));
        perMinute[minute.number - first] = countsOf(counted);
        await pause();
      }
      const shown = (timed: readonly Timed[]) =>
        timed
          .map(({ at, call }) => ({ ...callShown(call), at }))
          .filter((call) => call.at >= first * minuteMs && isMeant(call, filter));
      return {
        since: first * minuteMs,
        perMinute,
        rows: [...rows.values()],
        slowest: slowestOf(shown(asked.flatMap(({ slowest }) => slowest))),
        latest: latestOf(shown(latest)),
      };
    },
    minuteOf(number) {
      const minute = minutes.find((one) => one.number === number);
      return minute ? sumOfMinute(minute) : { clients: [], structures: [], isWhole: true };
    },
  };
  return recent;

  function begin(number: number): Minute {
    const minute = { number, clients: new Map(), rows: 0, slowest: [] };
    minutes = [...minutes.filter((one) => one.number > number - mostMinutes && one.number < number), minute];
    return minute;
  }
}

function add(minute: Minute, call: SeenCall): void {
  const { path, route, clientId, member, status, durationMs } = call;
  const isFull = minute.rows >= mostRows;
  // Whoever nobody knows names what they like.
  const structure = route === undefined || clientId === undefined ? '' : structureIn(path);
  const structures = inner(minute.clients, isFull ? undefined : clientId);
  const members = inner(structures, isFull ? '' : structure);
  const statuses = inner(members, member);
  let tally = statuses.get(status);
  if (tally === undefined) {
    tally = { calls: 0, sumMs: 0, mostMs: 0, values: structure === '' ? undefined : newValueTally() };
    statuses.set(status, tally);
    minute.rows++;
  }
  tally.calls++;
  tally.sumMs += durationMs;
  if (durationMs > tally.mostMs) tally.mostMs = durationMs;
  if (tally.values !== undefined) countValue(tally.values, call);
}

function inner<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let value = map.get(key);
  if (value === undefined) {
    value = new Map();
    map.set(key, value);
  }
  return value;
}

function isSlow({ slowest }: Minute, { route, durationMs, status }: SeenCall): boolean {
  if (status === 0 || polls.has(route)) return false;
  return slowest.length < mostSlowest || durationMs > slowest.at(-1)!.call.durationMs;
}

function addSlow({ slowest }: Minute, timed: Timed): void {
  slowest.push(timed);
  slowest.sort((one, other) => other.call.durationMs - one.call.durationMs);
  slowest.length = Math.min(slowest.length, mostSlowest);
}

function* rowsOf({ clients }: Minute): Generator<{ readonly key: CallKey; readonly tally: Tally }> {
  for (const [clientId, structures] of clients) {
    for (const [structure, members] of structures) {
      for (const [member, statuses] of members) {
        for (const [status, tally] of statuses) {
          const key = {
            client: clientId ?? null,
            structure: shownStructure(structure),
            member: hostOf(member),
            status,
          };
          yield { key, tally };
        }
      }
    }
  }
}

function sumOfMinute(minute: Minute): Omit<MinuteOfCalls, 'waiting'> {
  const clients = new Map<string, ReturnType<typeof newClientCounts>>();
  const structures = new Map<string, ReturnType<typeof newStructureCounts>>();
  for (const { key, tally } of rowsOf(minute)) {
    const counts = { ...newStructureCounts(), ...tally.values, [outcomeOf(key.status)]: tally.calls };
    if (key.client !== null) {
      const sum = clients.get(key.client) ?? newClientCounts();
      sum[outcomeOf(key.status)] += tally.calls;
      clients.set(key.client, sum);
    }
    if (key.structure !== null) {
      const sum = structures.get(key.structure) ?? newStructureCounts();
      addStructureCounts(sum, counts);
      structures.set(key.structure, sum);
    }
  }
  return { clients: [...clients], structures: [...structures], isWhole: minute.rows < mostRows };
}

function outcomeOf(status: number): 'fine' | 'denied' | 'failed' {
  if (isDenied(status)) return 'denied';
  return isFailed(status) ? 'failed' : 'fine';
}

function addRow(rows: Map<string, CallRow>, key: CallKey, { calls, sumMs, mostMs }: Counted): void {
  const { client, structure, member, status } = key;
  const id = JSON.stringify([client, structure, member, status]);
  const known = rows.get(id);
  rows.set(id, {
    client,
    structure,
    member,
    status,
    calls: (known?.calls ?? 0) + calls,
    sumMs: (known?.sumMs ?? 0) + sumMs,
    mostMs: Math.max(known?.mostMs ?? 0, mostMs),
  });
}

function callShown({ method, path, route, status, clientId, member, ...call }: SeenCall) {
  return {
    method,
    route: route ?? null,
    client: clientId ?? null,
    structure: shownStructure(route === undefined || clientId === undefined ? '' : structureIn(path)),
    member: hostOf(member),
    status,
    durationMs: call.durationMs,
    requestId: call.requestId,
    decisionId: call.decisionId ?? null,
  };
}

/** What several processes have seen, as one. */
export function sumOfCalls(all: readonly CallSums[]): CallSums {
  const rows = new Map<string, CallRow>();
  for (const row of all.flatMap((one) => one.rows)) addRow(rows, row, row);
  return {
    since: Math.min(...all.map(({ since }) => since), Number.MAX_SAFE_INTEGER),
    perMinute: sumOfMinutes(all.map(({ perMinute }) => perMinute)),
    rows: [...rows.values()],
    slowest: slowestOf(all.flatMap(({ slowest }) => slowest)),
    latest: latestOf(all.flatMap(({ latest }) => latest)),
  };
}

/** The last of each is the minute of now. */
function sumOfMinutes(all: readonly (readonly MinuteCounts[])[]): readonly MinuteCounts[] {
  const longest = Math.max(0, ...all.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => {
    const each = all.map((minutes) => minutes[minutes.length - longest + at]);
    const sum = (name: keyof MinuteCounts) => each.reduce((total, one) => total + (one?.[name] ?? 0), 0);
    return { calls: sum('calls'), denied: sum('denied'), failed: sum('failed') };
  });
}

function slowestOf(calls: CallSums['slowest']): CallSums['slowest'] {
  return [...calls].sort((one, other) => other.durationMs - one.durationMs).slice(0, shownSlowest);
}

function latestOf(calls: CallSums['latest']): CallSums['latest'] {
  return [...calls].sort((one, other) => other.at - one.at).slice(0, shownLatest);
}
