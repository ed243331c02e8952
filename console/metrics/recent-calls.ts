/**
 * Calls to the member surface of the last hour, by who has called what, at which member, and with which status: in memory, minute
 * by minute. It is on the path of every call: five looks into maps and an addition. Names come from callers, so that each
 * minute has room for so many, and what is more counts without its name.
 */
import type { MinuteOfCalls } from './call-history/minute-of-calls.ts';
import {
  countValue,
  newValueTally,
  type ValueCall,
  type ValueTally,
} from './call-history/values-of-calls.ts';
import {
  type CallFilter,
  type CallSums,
  hostOf,
  type ShownCall,
  shownStructure,
  structureIn,
} from './call-sums.ts';
import {
  type CountedMinute,
  type CountedRow,
  countsOfMinute,
  minuteMs,
  sumOfCalls,
  sumsOf,
} from './sums-of-calls.ts';

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
  /** The same of all since that minute, for another process. */
  minutesSince(number: number): readonly CountedMinute[];
  /** The last calls of this process, the newest first. */
  latest(): readonly ShownCall[];
}

interface Tally {
  calls: number;
  sumMs: number;
  mostMs: number;
  /** Of calls to a map or a queue. */
  values: ValueTally | undefined;
}

type ByStatus = Map<number, Tally>;
type ByMember = Map<string | undefined, ByStatus>;
type ByStructure = Map<string, ByMember>;

interface Minute {
  /** Since 1970. */
  readonly number: number;
  readonly clients: Map<string | undefined, ByStructure>;
  rows: number;
  /** The longest first. */
  readonly slowest: ListedCall[];
}

/** A call as the lists here hold it: what is shown of it, and not yet as it is shown. */
interface ListedCall {
  /** Epoch milliseconds. */
  at: number;
  method: string;
  path: string;
  route: string | undefined;
  clientId: string | undefined;
  member: string | undefined;
  status: number;
  durationMs: number;
  requestId: string;
  decisionId: string | undefined;
}

export const mostMinutes = 60;
/** Of one minute. */
const mostRows = 1_000;
const mostSlowest = 10;
const mostLatest = 200;
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
  const latest: ListedCall[] = [];
  let next = 0;

  const recent: RecentCalls = {
    record(call) {
      const at = now();
      const number = Math.floor(at / minuteMs);
      if (current?.number !== number) current = begin(number);
      add(current, call);
      const oldest = latest[next];
      if (oldest === undefined) latest[next] = listed(call, at);
      else overwrite(oldest, call, at);
      next = (next + 1) % mostLatest;
      if (isSlow(current, call)) addSlow(current, listed(call, at));
    },
    async read(filter) {
      if (others?.areAll) return others.read(filter);
      const [own, more] = await Promise.all([recent.readOwn(filter), others?.read(filter)]);
      return more ? sumOfCalls([own, more]) : own;
    },
    readOwn: (filter) => sumsOf(minutes.map(countedMinute), recent.latest(), filter, now()),
    minuteOf(number) {
      const minute = minutes.find((one) => one.number === number);
      return minute ? countsOfMinute(countedMinute(minute)) : { clients: [], structures: [], isWhole: true };
    },
    minutesSince: (number) => minutes.filter((minute) => minute.number >= number).map(countedMinute),
    latest: () => latest.map(callShown).sort((one, other) => other.at - one.at),
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
  return slowest.length < mostSlowest || durationMs > slowest.at(-1)!.durationMs;
}

function addSlow({ slowest }: Minute, call: ListedCall): void {
  slowest.push(call);
  slowest.sort((one, other) => other.durationMs - one.durationMs);
  slowest.length = Math.min(slowest.length, mostSlowest);
}

function listed(call: SeenCall, at: number): ListedCall {
  const { method, path, route, clientId, member, status, durationMs, requestId, decisionId } = call;
  return { at, method, path, route, clientId, member, status, durationMs, requestId, decisionId };
}

/**
 * The last calls stay in the objects of those before. Were each call held itself, V8 would learn that calls live long, make them
 * all in its old space, and collect that every few seconds: 5 % of what a call costs.
 */
function overwrite(one: ListedCall, call: SeenCall, at: number): void {
  one.at = at;
  one.method = call.method;
  one.path = call.path;
  one.route = call.route;
  one.clientId = call.clientId;
  one.member = call.member;
  one.status = call.status;
  one.durationMs = call.durationMs;
  one.requestId = call.requestId;
  one.decisionId = call.decisionId;
}

function countedMinute(minute: Minute): CountedMinute {
  return {
    number: minute.number,
    rows: rowsOf(minute),
    slowest: minute.slowest.map(callShown),
    isWhole: minute.rows < mostRows,
  };
}

function* rowsOf({ clients }: Minute): Generator<CountedRow> {
  for (const [clientId, structures] of clients) {
    for (const [structure, members] of structures) {
      for (const [member, statuses] of members) {
        for (const [status, { calls, sumMs, mostMs, values }] of statuses) {
          yield {
            client: clientId ?? null,
            structure: shownStructure(structure),
            member: hostOf(member),
            status,
            calls,
            sumMs,
            mostMs,
            values: values ?? null,
          };
        }
      }
    }
  }
}

function callShown(call: ListedCall): ShownCall {
  const { at, method, path, route, status, clientId, member, durationMs, requestId, decisionId } = call;
  return {
    at,
    method,
    route: route ?? null,
    client: clientId ?? null,
    structure: shownStructure(route === undefined || clientId === undefined ? '' : structureIn(path)),
    member: hostOf(member),
    status,
    durationMs,
    requestId,
    decisionId: decisionId ?? null,
  };
}
