/**
 * Counters that requests wait for are numbers in memory, put into the registry when somebody reads it: the library looks
 * its labels up, in order, each time.
 */
import { Counter, type Registry } from 'prom-client';

interface TallyOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly [string, string];
  /** Most values of the second label; what comes on top is counted as `other`. */
  readonly mostValues?: number;
}

export const otherValue = 'other';

/** @returns counts one of these two labels; each of their values is kept for good */
export function createTally(
  registry: Registry,
  { name, help, labelNames, mostValues = Number.POSITIVE_INFINITY }: TallyOptions,
): (first: string, second: string | number) => void {
  const [firstName, secondName] = labelNames;
  const counts = new Map<string, Map<string | number, number>>();
  const values = new Set<string | number>();
  new Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const [first, each] of counts) {
        for (const [second, count] of each) this.inc({ [firstName]: first, [secondName]: second }, count);
      }
    },
  });

  return (first, second) => {
    let each = counts.get(first);
    if (each === undefined) {
      each = new Map();
      counts.set(first, each);
    }
    const known = each.get(second);
    if (known !== undefined) each.set(second, known + 1);
    else add(each, values.has(second) || values.size < mostValues ? second : otherValue);
  };

  function add(each: Map<string | number, number>, second: string | number): void {
    if (second !== otherValue) values.add(second);
    each.set(second, (each.get(second) ?? 0) + 1);
  }
}
