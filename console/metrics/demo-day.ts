/**
 * The day before a demo: numbers as a small cluster would have had them, so that plots show how a day looks. A program of its own, which
 * `npm run demo` runs before the console; no other installation has it.
 *
 * Arguments: the data directory, and the members as `host:port`; the second of them is slow, and the last was away for some minutes.
 */
import {
  type MinuteOfCalls,
  newStructureCounts,
  type StructureCounts,
} from './call-history/minute-of-calls.ts';
import { type CallHistoryRecorder, openCallHistory } from './call-history/record-call-history.ts';
import { openHistory } from './history/record-history.ts';
import { bucketOf } from './latencies.ts';
import type { MainNumbers } from './main-numbers.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** The last hour is looked at most closely. */
const [stepMs, lastStepMs] = [60_000, 10_000];
const lastHourMs = 60 * minuteMs;
/** Of the members. */
const slowPlace = 1;
/** A member that could not be reached for some minutes, hours ago. */
const outage = { beganMs: 5.2 * 60 * minuteMs, endedMs: 5.1 * 60 * minuteMs };

const [dataDir = '', ...members] = process.argv.slice(2);
const end = Date.now();
await writeNumbers();
await writeCalls();

/** Calls a second: more by day than by night, and never twice the same. */
function rateAt(at: number): number {
  const hours = (at % dayMs) / (60 * minuteMs);
  const wave = Math.sin(((hours - 9) / 24) * 2 * Math.PI);
  return 14 + 3 * wave + 1.2 * Math.sin(at / 97_000) + 0.6 * Math.sin(at / 13_000);
}

function isOut(at: number): boolean {
  return at > end - outage.beganMs && at < end - outage.endedMs;
}

async function writeNumbers(): Promise<void> {
  const counters = createCounters();
  let at = end - dayMs;
  const recorder = await openHistory({
    dataDir,
    now: () => at,
    readNumbers: async () => new Map([[0, counters.numbers(at)]]),
    readTotals: async () => ({ users: 8, clients: 6 }),
    log: { warn() {} },
  });
  for (; at < end; at += at < end - lastHourMs ? stepMs : lastStepMs) await recorder.record();
  await recorder.close();
}

/** Of a process that has run all day: each reading adds to the one before. */
function createCounters() {
  const counts = { calls: 0, callsDenied: 0, callsFailed: 0, tokens: 0, signIns: 0, requests: 0 };
  const ofMembers = members.map(() => ({ calls: 0, callsFailed: 0, latencies: [] as number[] }));
  const latencies: number[] = [];
  let last = end - dayMs;

  return {
    numbers(at: number): MainNumbers {
      const seconds = (at - last) / 1000;
      last = at;
      const calls = rateAt(at) * seconds;
      counts.calls += calls;
      counts.callsDenied += 0.4 * seconds;
      counts.tokens += 0.02 * seconds;
      counts.signIns += 0.001 * seconds;
      counts.requests += 0.3 * seconds;
      for (const [place, of] of ofMembers.entries()) addCalls(place, of, at, calls / members.length);
      return {
        counts: {
          ...counts,
          ...{ tokensRejected: 0, signInsFailed: 0, requestsFailed: 0 },
          ...{ cpuMicros: counts.calls * 900, loopBusyMs: counts.calls * 0.8 },
          loopIdleMs: (at - end + dayMs) * 0.9,
        },
        states: { pollsWaiting: 0, connections: 6, requestsWaiting: 0, memoryBytes: 180e6 },
        callLatencies: [...latencies],
        members: Object.fromEntries(
          members.map((name, place) => {
            const of = ofMembers[place]!;
            return [name, { ...of, latencies: [...of.latencies], inFlight: inFlightAt(at, place) }];
          }),
        ),
      };
    },
  };

  function addCalls(place: number, of: (typeof ofMembers)[number], at: number, calls: number): void {
    const failed = place === members.length - 1 && isOut(at) ? calls : 0;
    of.calls += calls;
    of.callsFailed += failed;
    counts.callsFailed += failed;
    for (const [ms, share] of shareOfLatencies(at, place === slowPlace)) {
      add(of.latencies, bucketOf(ms), calls * share);
      add(latencies, bucketOf(ms), calls * share);
    }
  }
}

/** More at the slow one, and most where calls wait for one that cannot be reached. */
function inFlightAt(at: number, place: number): number {
  const waiting = place === members.length - 1 && isOut(at) ? 9 : 0;
  const usual = (place === slowPlace ? 2.4 : 0.7) + Math.sin(at / 41_000 + place);
  return Math.max(0, Math.round(usual + waiting));
}

function add(latencies: number[], bucket: number, calls: number): void {
  while (latencies.length <= bucket) latencies.push(0);
  latencies[bucket]! += calls;
}

/** How long calls took, and which share of them took so long. */
function shareOfLatencies(at: number, isSlow: boolean): readonly (readonly [ms: number, share: number])[] {
  const later = isSlow ? 120 : 0;
  const slowest = 6 + 2 * Math.sin(at / 311_000) + (isOut(at) ? 200 : 0) + (isSlow ? 170 : 0);
  return [
    [1.1 + later, 0.55],
    [1.8 + later, 0.4],
    [slowest, 0.05],
  ];
}

async function writeCalls(): Promise<void> {
  let minute = 0;
  const recorder: CallHistoryRecorder = await openCallHistory({
    dataDir,
    readMinute: async () => callsOf(minute),
    takeSizes: () =>
      new Map([
        ['queue:jobs', 20],
        ['queue:mails', 0],
      ]),
  });
  // Of the minute that has begun what it has had so far: the console adds to it.
  const last = Math.floor(end / minuteMs);
  for (minute = last - 1_430; minute <= last; minute++) await recorder.record(minute);
  await recorder.close();
}

function callsOf(minute: number): MinuteOfCalls {
  const seconds = Math.min(60, (end - minute * minuteMs) / 1000);
  const calls = Math.round(rateAt(minute * minuteMs) * seconds);
  const failed = isOut(minute * minuteMs) ? Math.round(calls / 3) : 0;
  const [ofOrders, ofJobs] = [Math.round(calls * 0.6), Math.round(calls * 0.2)];
  const reads = Math.round(ofOrders / 4);
  const denied = Math.round(0.4 * seconds);
  const ofStock = Math.round(2 * seconds);
  const structure = (of: Partial<StructureCounts>) => ({ ...newStructureCounts(), ...of });
  return {
    clients: [
      ['importer', { fine: calls - failed, denied: 0, failed }],
      ['billing', { fine: reads, denied: 0, failed: 0 }],
      ['reporter', { fine: Math.round(1.6 * seconds), denied, failed: 0 }],
    ],
    structures: [
      [
        'map:orders',
        structure({
          ...{ fine: ofOrders - failed, denied, failed, found: reads, written: ofOrders - reads },
          ...{ values: ofOrders, valueBytes: ofOrders * 58, mostBytes: 100 },
        }),
      ],
      [
        'map:stock',
        structure({
          fine: ofStock,
          written: ofStock,
          values: ofStock,
          valueBytes: ofStock * 3,
          mostBytes: 3,
        }),
      ],
      [
        'queue:jobs',
        structure({ fine: ofJobs, found: Math.round(ofJobs / 2), written: Math.round(ofJobs / 2) }),
      ],
    ],
    waiting: [],
    isWhole: true,
  };
}
