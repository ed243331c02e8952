/** @returns milliseconds that only ever grow, the same in all processes of this machine */
export function machineClock(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/**
 * Epoch milliseconds that go on evenly, whatever is done to the clock of the machine: what has to wait so long
 * is not shortened or prolonged by it. Begins anew with the machine's clock at each start.
 */
export function createSteadyClock(
  wall: () => number = Date.now,
  elapsed: () => number = () => performance.now(),
): () => number {
  const start = wall() - elapsed();
  return () => start + elapsed();
}
