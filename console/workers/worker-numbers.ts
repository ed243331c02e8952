/**
 * The numbers of all workers as one. A counter never falls: what one that has died had counted when it was asked last stays
 * in the sums, and so does what one had that does not answer in time.
 */
import { AggregatorRegistry } from 'prom-client';
import { createSerial } from '../../platform/async/serial.ts';
import type { WorkerGroup } from './worker-group.ts';

/** As prom-client has them. */
type Numbers = readonly object[];

/** @returns Prometheus' text format of these numbers, which are of the process itself, and those of its workers */
export function createWorkerNumbers(
  group: Pick<WorkerGroup, 'askAll' | 'ids'>,
): (own: Numbers) => Promise<string> {
  const serialized = createSerial();
  const last = new Map<number, Numbers>();
  let gone: Numbers = [];

  return (own) =>
    serialized(async () => {
      await group.askAll(async (worker, id) => void last.set(id, await worker.numbers()));
      const ids = new Set(group.ids());
      for (const [id, numbers] of last) {
        if (ids.has(id)) continue;
        last.delete(id);
        gone = await sumOf([gone, numbers.filter(isCounted)]).getMetricsAsJSON();
      }
      return sumOf([...last.values(), own, gone]).metrics();
    });
}

function sumOf(all: readonly Numbers[]): ReturnType<typeof AggregatorRegistry.aggregate> {
  return AggregatorRegistry.aggregate([...all]);
}

/** What a process holds goes with it. */
function isCounted(metric: object): boolean {
  const { type } = metric as { readonly type?: unknown };
  return type === 'counter' || type === 'histogram';
}
