/** Numbers as plain values that one process can send another, as prom-client has them. */
import { AggregatorRegistry, type Registry } from 'prom-client';

export interface MetricNumbers {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly NumberValue[];
}

export interface NumberValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: the name with `_bucket`, `_sum` or `_count`. */
  readonly metricName?: string;
  /** One of those that were counted last. */
  readonly exemplar?: Exemplar | null;
}

export interface Exemplar {
  readonly labelSet: ExemplarLabels;
  readonly value: number;
  /** Epoch seconds. */
  readonly timestamp: number;
}

/** What leads from a number to one call: 128 characters at most, names included. */
export type ExemplarLabels = Readonly<Record<string, string>>;

export type Numbers = readonly MetricNumbers[];

type Aggregated = Parameters<typeof AggregatorRegistry.aggregate>[0];

export async function numbersOf(registry: Pick<Registry, 'getMetricsAsJSON'>): Promise<Numbers> {
  return (await registry.getMetricsAsJSON()) as unknown as Numbers;
}

/** Each series of several processes as one, with the newest exemplar of them, which the library would leave out. */
export async function sumOfNumbers(all: readonly Numbers[]): Promise<Numbers> {
  const newest = newestExemplars(all);
  const summed = await numbersOf(AggregatorRegistry.aggregate(all as unknown as Aggregated));
  if (newest.size === 0) return summed;
  return summed.map((metric) => ({
    ...metric,
    values: metric.values.map((value) => ({ ...value, exemplar: newest.get(seriesOf(value)) ?? null })),
  }));
}

function newestExemplars(all: readonly Numbers[]): ReadonlyMap<string, Exemplar> {
  const newest = new Map<string, Exemplar>();
  for (const { values } of all.flat()) {
    for (const value of values) {
      if (!value.exemplar) continue;
      const series = seriesOf(value);
      const known = newest.get(series);
      if (!known || known.timestamp < value.exemplar.timestamp) newest.set(series, value.exemplar);
    }
  }
  return newest;
}

/** Those of histograms alone have exemplars, and a name of their own. */
function seriesOf({ metricName, labels }: NumberValue): string {
  return JSON.stringify([
    metricName,
    Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)),
  ]);
}
