/** Numbers that are the same for the same seed, on every machine. */
export interface Random {
  /** From 0 up to, and without, `end`. */
  below(end: number): number;
  /** Whether something that happens once in `times` happens now. */
  once(times: number): boolean;
  of<T>(list: readonly T[]): T;
}

/** mulberry32. @param seed  32 bits */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number) => Math.floor(next() * end);
  return { below, once: (times) => below(times) === 0, of: (list) => list[below(list.length)]! };
}
