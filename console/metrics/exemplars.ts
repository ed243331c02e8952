/**
 * For each bucket of a histogram the call that fell into it last, of those that can be looked up elsewhere. The library keeps
 * them only for a registry that can write nothing but OpenMetrics.
 */
import type { Exemplar, ExemplarLabels, Numbers, NumberValue } from './numbers.ts';

type Labels = NumberValue['labels'];

export interface Exemplars {
  /** @param labels  of the series, as they are counted. @param value  as it is observed */
  note(labels: Labels, value: number, exemplar: ExemplarLabels): void;
  /** The same numbers, with them. */
  addTo(numbers: Numbers): Numbers;
}

export interface ExemplarsDeps {
  /** Of the histogram. */
  readonly name: string;
  readonly labelNames: readonly string[];
  /** Its bounds, the least first. */
  readonly buckets: readonly number[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createExemplars({ name, labelNames, buckets, now }: ExemplarsDeps): Exemplars {
  /** By series and bucket: as many at most as there are numbers. */
  const kept = new Map<string, Exemplar>();
  const keyOf = (labels: Labels, bound: unknown) =>
    `${labelNames.map((label) => labels[label]).join('\n')}\n${bound}`;

  return {
    note(labels, value, labelSet) {
      const bound = buckets.find((one) => value <= one) ?? '+Inf';
      kept.set(keyOf(labels, bound), { labelSet, value, timestamp: now() / 1000 });
    },
    addTo: (numbers) =>
      numbers.map((metric) =>
        metric.name === name ? { ...metric, values: metric.values.map(withOwn) } : metric,
      ),
  };

  function withOwn(value: NumberValue): NumberValue {
    const { le } = value.labels;
    const exemplar = le === undefined ? undefined : kept.get(keyOf(value.labels, le));
    return exemplar === undefined ? value : { ...value, exemplar };
  }
}
