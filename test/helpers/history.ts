/** Numbers of a process, and a history of them that another console has left. */
import { openHistory } from '../../console/metrics/history/record-history.ts';
import type { MainNumbers, MemberNumbers } from '../../console/metrics/main-numbers.ts';

/** Of a process that has done nothing yet. */
export const noNumbers: MainNumbers = {
  counts: {
    calls: 0,
    callsDenied: 0,
    callsFailed: 0,
    tokens: 0,
    tokensRejected: 0,
    signIns: 0,
    signInsFailed: 0,
    requests: 0,
    requestsFailed: 0,
    cpuMicros: 0,
    loopBusyMs: 0,
    loopIdleMs: 0,
  },
  states: { pollsWaiting: 0, connections: 0, requestsWaiting: 0, memoryBytes: 0 },
  callLatencies: [],
  members: {},
};

export function numbersOf(
  counts: Partial<MainNumbers['counts']>,
  members: Record<string, MemberNumbers> = {},
): MainNumbers {
  const states = { pollsWaiting: 1, connections: 2, requestsWaiting: 0, memoryBytes: 100 };
  return { ...noNumbers, counts: { ...noNumbers.counts, ...counts }, states, members };
}

/**
 * Leaves a history of some calls, as a console does that has run since then.
 *
 * @param ages  how long ago each point is, in milliseconds, the oldest first
 */
export async function leaveHistory(dataDir: string, ages: readonly number[]): Promise<void> {
  let at = Date.now() - ages[0]!;
  let calls = 0;
  const recorder = await openHistory({
    dataDir,
    now: () => at,
    readNumbers: async () => new Map([[0, numbersOf({ calls })]]),
    readTotals: async () => ({ users: 1, clients: 1 }),
    log: { warn() {} },
  });
  for (const age of ages) {
    at = Date.now() - age;
    calls += 50;
    await recorder.record();
  }
  await recorder.close();
}
