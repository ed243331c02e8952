/** Gives the event loop back now and then: who makes a plan of thousands holds up nobody's token. */
const sliceMs = 2;

/** @returns to be awaited between two pieces of work */
export function createPauses(): () => Promise<void> | undefined {
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
