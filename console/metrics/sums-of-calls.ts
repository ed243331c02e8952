/** What is told of minutes of calls: sums by client, structure, member and status, of one process or of several. */
import { createPauses } from '../../platform/async/pauses.ts';
import {
  addStructureCounts,
  type MinuteOfCalls,
  newClientCounts,
  newStructureCounts,
} from './call-history/minute-of-calls.ts';
import type { ValueTally } from './call-history/values-of-calls.ts';
import {
  type CallFilter,
  type CallRow,
  type CallSums,
  countsOf,
  isDenied,
  isFailed,
  isMeant,
  type MinuteCounts,
  type ShownCall,
} from './call-sums.ts';

/** Calls of one client to one structure at one member with one status. */
export interface CountedRow extends CallRow {
  /** Of calls to a map or a queue. */
  readonly values: ValueTally | null;
}

/** What one process has seen in one minute. */
export interface CountedMinute {
  /** Since 1970. */
  readonly number: number;
  readonly rows: Iterable<CountedRow>;
  /** The longest first. */
  readonly slowest: readonly ShownCall[];
  /** False: there were more combinations than a minute tells apart. */
  readonly isWhole: boolean;
}

export const minuteMs = 60_000;
/** What is shown of them. */
export const shownSlowest = 20;
export const shownLatest = 50;

/**
 * @param latest  of all minutes
 * @param now     epoch milliseconds
 */
export async function sumsOf(
  minutes: readonly CountedMinute[],
  latest: readonly ShownCall[],
  filter: CallFilter,
  now: number,
): Promise<CallSums> {
  const first = Math.floor(now / minuteMs) - filter.minutes + 1;
  const asked = minutes.filter(({ number }) => number >= first && number < first + filter.minutes);
  const rows = new Map<string, CallRow>();
  const pause = createPauses(1);
  const perMinute = Array.from({ length: filter.minutes }, () => countsOf([]));
  for (const minute of asked) {
    const meant = [...minute.rows].filter((row) => isMeant(row, filter));
    for (const row of meant) addRow(rows, row);
    perMinute[minute.number - first] = sumOfCounts([perMinute[minute.number - first], countsOf(meant)]);
    await pause();
  }
  const shown = (calls: readonly ShownCall[]) =>
    calls.filter((call) => call.at >= first * minuteMs && isMeant(call, filter));
  return {
    since: first * minuteMs,
    perMinute,
    rows: [...rows.values()],
    slowest: slowestOf(shown(asked.flatMap(({ slowest }) => slowest))),
    latest: latestOf(shown(latest)),
  };
}

/** What several processes have seen, as one. */
export function sumOfCalls(all: readonly CallSums[]): CallSums {
  const rows = new Map<string, CallRow>();
  for (const row of all.flatMap((one) => one.rows)) addRow(rows, row);
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
    return sumOfCounts(all.map((minutes) => minutes[minutes.length - longest + at]));
  });
}

function sumOfCounts(each: readonly (MinuteCounts | undefined)[]): MinuteCounts {
  const sum = (name: keyof MinuteCounts) => each.reduce((total, one) => total + (one?.[name] ?? 0), 0);
  return { calls: sum('calls'), denied: sum('denied'), failed: sum('failed') };
}

function slowestOf(calls: CallSums['slowest']): CallSums['slowest'] {
  return [...calls].sort((one, other) => other.durationMs - one.durationMs).slice(0, shownSlowest);
}

function latestOf(calls: CallSums['latest']): CallSums['latest'] {
  return [...calls].sort((one, other) => other.at - one.at).slice(0, shownLatest);
}

/** By client and by map and queue, for the history of a day. */
export function countsOfMinute({ rows, isWhole }: CountedMinute): Omit<MinuteOfCalls, 'waiting'> {
  const clients = new Map<string, ReturnType<typeof newClientCounts>>();
  const structures = new Map<string, ReturnType<typeof newStructureCounts>>();
  for (const { client, structure, status, calls, values } of rows) {
    const counts = { ...newStructureCounts(), ...values, [outcomeOf(status)]: calls };
    if (client !== null) {
      const sum = clients.get(client) ?? newClientCounts();
      sum[outcomeOf(status)] += calls;
      clients.set(client, sum);
    }
    if (structure !== null) {
      const sum = structures.get(structure) ?? newStructureCounts();
      addStructureCounts(sum, counts);
      structures.set(structure, sum);
    }
  }
  return { clients: [...clients], structures: [...structures], isWhole };
}

function outcomeOf(status: number): 'fine' | 'denied' | 'failed' {
  if (isDenied(status)) return 'denied';
  return isFailed(status) ? 'failed' : 'fine';
}

function addRow(rows: Map<string, CallRow>, row: CallRow): void {
  const { client, structure, member, status, calls, sumMs, mostMs } = row;
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
