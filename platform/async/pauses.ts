/** Gives the event loop back now and then: who works on thousands holds up nobody's token. */

/** @returns to be awaited between two pieces of work; a pause comes when `sliceMs` of work are done */
export function createPauses(sliceMs = 2): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < sliceMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        began = performance.now();
        resolve();
      });
    });
  };
}

/** As `Promise.all` of all of them, a few at a time and with pauses between. */
export async function mapWithPauses<T, R>(
  all: readonly T[],
  work: (one: T) => R | Promise<R>,
  { atOnce = 20 } = {},
): Promise<R[]> {
  const done: R[] = [];
  const pause = createPauses(0.5);
  for (let start = 0; start < all.length; start += atOnce) {
    done.push(...(await Promise.all(all.slice(start, start + atOnce).map(work))));
    await pause();
  }
  return done;
}
