/** The main numbers of one process, for their history: plain values that a worker can send. */
import { performance } from 'node:perf_hooks';
import type { HeldByCallers } from './call-metrics.ts';
import { bucketOf, createLatencies, type Latencies, type LatencyCounts } from './latencies.ts';

/** Since the start of the process. */
export interface MainCounts {
  readonly calls: number;
  readonly callsDenied: number;
  readonly callsFailed: number;
  readonly tokens: number;
  readonly tokensRejected: number;
  readonly signIns: number;
  readonly signInsFailed: number;
  readonly requests: number;
  readonly requestsFailed: number;
  /** Of all its threads. */
  readonly cpuMicros: number;
  /** What the event loop did, and did not. */
  readonly loopBusyMs: number;
  readonly loopIdleMs: number;
}

/** At the moment. */
export interface MainStates {
  readonly pollsWaiting: number;
  readonly connections: number;
  readonly requestsWaiting: number;
  readonly memoryBytes: number;
}

export interface MemberNumbers {
  readonly calls: number;
  readonly callsFailed: number;
  readonly latencies: LatencyCounts;
  /** At the moment; absent of one that is not there any more, and from a process of an earlier release. */
  readonly inFlight?: number;
}

/** In-flight calls of one member, by its base address: the member proxy counts them. */
export interface InFlightThere {
  readonly address: string;
  readonly pending: number;
}

export interface MainNumbers {
  readonly counts: MainCounts;
  readonly states: MainStates;
  readonly callLatencies: LatencyCounts;
  /** By `host:port`. */
  readonly members: Readonly<Record<string, MemberNumbers>>;
}

/** A cluster of more has its further members in the sums alone. */
export const mostMembersWithHistory = 25;

type Countable = 'tokens' | 'tokensRejected' | 'signIns' | 'signInsFailed' | 'requests' | 'requestsFailed';

export interface MainTally {
  count(what: Countable): void;
  /** @param member  base address of the one that was asked */
  call(status: number, durationMs: number, member: string | undefined): void;
  numbers(countPolls: () => number, inFlight: () => readonly InFlightThere[]): MainNumbers;
}

interface Member {
  calls: number;
  callsFailed: number;
  readonly latencies: Latencies;
}

export function createMainTally(held: HeldByCallers): MainTally {
  const counted = {
    tokens: 0,
    tokensRejected: 0,
    signIns: 0,
    signInsFailed: 0,
    requests: 0,
    requestsFailed: 0,
  };
  const calls = { calls: 0, callsDenied: 0, callsFailed: 0 };
  const latencies = createLatencies();
  const members = new Map<string, Member>();

  return {
    count(what) {
      counted[what]++;
    },
    call(status, durationMs, address) {
      const isFailed = status === 0 || status >= 500;
      calls.calls++;
      if (isFailed) calls.callsFailed++;
      else if (status >= 400) calls.callsDenied++;
      const bucket = bucketOf(durationMs);
      latencies.observeIn(bucket);
      const member = address === undefined ? undefined : memberOf(address);
      if (!member) return;
      member.calls++;
      if (isFailed) member.callsFailed++;
      member.latencies.observeIn(bucket);
    },
    numbers: (countPolls, inFlight) => ({
      counts: { ...counted, ...calls, ...processCounts() },
      states: {
        pollsWaiting: countPolls(),
        connections: held.connections,
        requestsWaiting: held.waiting,
        memoryBytes: process.memoryUsage.rss(),
      },
      callLatencies: latencies.counts(),
      members: membersNow(inFlight()),
    }),
  };

  function membersNow(all: readonly InFlightThere[]): MainNumbers['members'] {
    // One that answers no call is called all the same.
    for (const { address, pending } of all) if (pending > 0) memberOf(address);
    const pendingOf = new Map(all.map(({ address, pending }) => [address, pending]));
    return Object.fromEntries(
      [...members].map(([address, member]) => [hostOf(address), plain(member, pendingOf.get(address))]),
    );
  }

  function memberOf(address: string): Member | undefined {
    const known = members.get(address);
    if (known || members.size >= mostMembersWithHistory) return known;
    const member = { calls: 0, callsFailed: 0, latencies: createLatencies() };
    members.set(address, member);
    return member;
  }
}

function plain({ latencies, ...counts }: Member, inFlight: number | undefined): MemberNumbers {
  return { ...counts, latencies: latencies.counts(), ...(inFlight !== undefined && { inFlight }) };
}

function processCounts() {
  const { user, system } = process.cpuUsage();
  const { active, idle } = performance.eventLoopUtilization();
  return { cpuMicros: user + system, loopBusyMs: active, loopIdleMs: idle };
}

function hostOf(address: string): string {
  return new URL(address).host;
}
