/**
 * A histogram in which every call is counted: numbers in memory, put into the library's form when somebody reads them. The
 * library makes a text of the labels and looks that up, each time.
 */
import { Histogram, type HistogramConfiguration } from 'prom-client';

/** Calls that have the same labels. */
export interface Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of each bucket alone; what is above all bounds is in the sum and the count only. */
  readonly counts: number[];
  sum: number;
  count: number;
}

interface TalliedHistogramOptions extends HistogramConfiguration<string> {
  readonly labelNames: readonly [string, string, string];
  /** Their upper bounds, the least first. */
  readonly buckets: number[];
}

export class TalliedHistogram extends Histogram {
  private readonly options: TalliedHistogramOptions;
  private readonly all: Series[] = [];
  private readonly byLabels = new Map<string, Map<string, Map<number, Series>>>();

  constructor(options: TalliedHistogramOptions) {
    super({ ...options, labelNames: [...options.labelNames] });
    this.options = options;
  }

  /** Counts one call; each value of a label is kept for good. */
  add(first: string, second: string, third: number, value: number): Series {
    const series = this.byLabels.get(first)?.get(second)?.get(third) ?? this.begin(first, second, third);
    const { buckets } = this.options;
    let bucket = 0;
    while (bucket < buckets.length && value > buckets[bucket]!) bucket++;
    if (bucket < buckets.length) series.counts[bucket]!++;
    series.sum += value;
    series.count++;
    return series;
  }

  override async get(): ReturnType<Histogram['get']> {
    return { ...(await super.get()), values: this.all.flatMap((series) => this.valuesOf(series)) };
  }

  private begin(first: string, second: string, third: number): Series {
    const [firstName, secondName, thirdName] = this.options.labelNames;
    const labels = { [firstName]: first, [secondName]: second, [thirdName]: third };
    const series = { labels, counts: this.options.buckets.map(() => 0), sum: 0, count: 0 };
    const ofFirst = this.byLabels.get(first) ?? new Map<string, Map<number, Series>>();
    const ofSecond = ofFirst.get(second) ?? new Map<number, Series>();
    this.byLabels.set(first, ofFirst.set(second, ofSecond.set(third, series)));
    this.all.push(series);
    return series;
  }

  /** Each bucket has what is in those before it as well. */
  private valuesOf({ labels, counts, sum, count }: Series) {
    const { name, buckets } = this.options;
    let below = 0;
    const bounds = buckets.map((le, bucket) => {
      below += counts[bucket]!;
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
    });
    return [
      ...bounds,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
      { metricName: `${name}_count`, labels: { ...labels }, value: count },
    ];
  }
}
