/** What was measured during the last minutes, for plots. */

export interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  /** By the name of what was measured; what could not be read is missing. */
  readonly values: ReadonlyMap<string, number>;
}

export interface Point {
  readonly at: number;
  readonly value: number;
}

/** What happened between two samples. */
export interface Rate extends Point {
  /** Epoch milliseconds of the sample before. */
  readonly from: number;
}

export interface History {
  add(sample: Sample): void;
  /** Values of one measure, oldest first. */
  series(measure: string): readonly Point[];
  /** Change per second from each value to the next, oldest first. */
  rates(measure: string): readonly Rate[];
  /** How far back there is something to show, in whole minutes and at least one; milliseconds. */
  span(now: number): number;
}

const minuteMs = 60_000;
/** Samples are kept this long, and no more than this many. */
const windowMs = 5 * minuteMs;
const maxSamples = 300;

export function createHistory(): History {
  const samples: Sample[] = [];

  const history: History = {
    add(sample) {
      samples.push(sample);
      while (samples.length > maxSamples || samples[0]!.at < sample.at - windowMs) samples.shift();
    },
    series: (measure) =>
      samples.flatMap(({ at, values }) => {
        const value = values.get(measure);
        return value === undefined ? [] : { at, value };
      }),
    rates(measure) {
      const points = history.series(measure);
      return points.slice(1).map(({ at, value }, index) => {
        const before = points[index]!;
        const seconds = Math.max(0.001, (at - before.at) / 1000);
        return { at, from: before.at, value: (value - before.value) / seconds };
      });
    },
    span(now) {
      const oldest = samples[0]?.at ?? now;
      const minutes = Math.ceil((now - oldest) / minuteMs);
      return Math.min(windowMs, Math.max(1, minutes) * minuteMs);
    },
  };
  return history;
}
