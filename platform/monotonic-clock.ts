/** @returns milliseconds that only ever grow, the same in all processes of this machine */
export function machineClock(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
