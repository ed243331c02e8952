import { memberBetween } from '../history/series.ts';
import { latenciesBetween } from '../latencies.ts';
import type { MainCounts, MainNumbers, MainStates, MemberNumbers } from '../main-numbers.ts';

/** What a process does to the machine it runs on is of no use to anybody on another one. */
const ofItsMachine = { cpuMicros: 0, loopBusyMs: 0, loopIdleMs: 0 };
const atRest: MainStates = { pollsWaiting: 0, connections: 0, requestsWaiting: 0, memoryBytes: 0 };

/** @param isThere  whether what is of the moment still holds. @returns what `after` has counted since `before` */
export function mainNumbersBetween(before: MainNumbers, after: MainNumbers, isThere: boolean): MainNumbers {
  const counted = Object.entries(after.counts) as [keyof MainCounts, number][];
  const counts = counted.map(([name, value]) => [name, value - before.counts[name]] as const);
  const members = Object.entries(after.members);
  return {
    counts: { ...(Object.fromEntries(counts) as Record<keyof MainCounts, number>), ...ofItsMachine },
    states: isThere ? { ...after.states, memoryBytes: 0 } : atRest,
    callLatencies: latenciesBetween(before.callLatencies, after.callLatencies),
    members: Object.fromEntries(
      members.map(([host, numbers]) => {
        const counted = memberBetween(before.members[host], numbers);
        return [host, isThere ? counted : withoutInFlight(counted)];
      }),
    ),
  };
}

function withoutInFlight({ inFlight: _, ...counted }: MemberNumbers): MemberNumbers {
  return counted;
}
