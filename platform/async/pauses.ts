/** Gives the event loop back now and then: who works on thousands holds up nobody's token. */

import { setImmediate as turn } from 'node:timers/promises';

/** To be awaited between two pieces of work. */
export interface Pauses {
  (): Promise<void> | undefined;
  /** Whether the next one gives the event loop back: work that can stop anywhere stops then. */
  readonly areDue: () => boolean;
}

/** @returns a pause comes when `sliceMs` of work are done */
export function createPauses(sliceMs = 2): Pauses {
  let began = performance.now();
  const areDue = () => performance.now() - began >= sliceMs;
  const pause = () => {
    if (!areDue()) return undefined;
    return new Promise<void>((resolve) => {
      setImmediate(() => {
        began = performance.now();
        resolve();
      });
    });
  };
  return Object.assign(pause, { areDue });
}

/** As `Promise.all` of all of them, a few at a time and with pauses between: as many as there is time for. */
export async function mapWithPauses<T, R>(
  all: readonly T[],
  work: (one: T) => R | Promise<R>,
  { atOnce = 4, sliceMs = 0.5 } = {},
): Promise<R[]> {
  const done: R[] = [];
  // One such piece of work often follows another: each has a turn of its own.
  if (all.length > atOnce) await turn();
  const pause = createPauses(sliceMs);
  for (let start = 0; start < all.length; start += atOnce) {
    done.push(...(await Promise.all(all.slice(start, start + atOnce).map(work))));
    await pause();
  }
  return done;
}
