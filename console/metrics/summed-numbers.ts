/**
 * The numbers of several processes as one. A counter never falls: what one that has died had counted when it was asked last
 * stays in the sums, and so does what one had that does not answer in time.
 */
import { createSerial } from '../../platform/async/serial.ts';
import { type MetricNumbers, type Numbers, sumOfNumbers } from './numbers.ts';

export interface SummedNumbersDeps {
  /** Those of each process that answers in time, by its id. */
  readonly read: () => Promise<ReadonlyMap<number, Numbers>>;
  /** Of those that have not ended. */
  readonly ids: () => readonly number[];
}

/** @returns these numbers, which are of the process itself, and those of the others as one */
export function createSummedNumbers({ read, ids }: SummedNumbersDeps): (own: Numbers) => Promise<Numbers> {
  const serialized = createSerial();
  const last = new Map<number, Numbers>();
  let gone: Numbers = [];

  return (own) =>
    serialized(async () => {
      for (const [id, numbers] of await read()) last.set(id, numbers);
      const running = new Set(ids());
      for (const [id, numbers] of last) {
        if (running.has(id)) continue;
        last.delete(id);
        gone = await sumOfNumbers([gone, numbers.filter(isCounted)]);
      }
      return sumOfNumbers([...last.values(), own, gone]);
    });
}

/** What a process holds goes with it. */
function isCounted({ type }: MetricNumbers): boolean {
  return type === 'counter' || type === 'histogram';
}
