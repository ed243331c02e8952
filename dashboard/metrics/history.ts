/** What was measured during the last day, for plots: by seconds first, further back by larger steps. */

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

export type PeriodId = '5min' | '1h' | '24h';

export interface Period {
  readonly id: PeriodId;
  readonly label: string;
  readonly spanMs: number;
  /** Of the samples in one step the last one stays. */
  readonly stepMs: number;
  /** The axis of a plot grows by this until it has the whole span. */
  readonly growsByMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const periods: readonly [Period, ...Period[]] = [
  { id: '5min', label: '5 min', spanMs: 5 * minuteMs, stepMs: 1000, growsByMs: minuteMs },
  { id: '1h', label: '1 h', spanMs: hourMs, stepMs: 20_000, growsByMs: 5 * minuteMs },
  { id: '24h', label: '24 h', spanMs: 24 * hourMs, stepMs: 5 * minuteMs, growsByMs: hourMs },
];

/** @returns the shortest one for what is no period */
export function periodOf(id: string | null | undefined): Period {
  return periods.find((period) => period.id === id) ?? periods[0];
}

/** Everything that is measured at most; beyond it goes what was measured longest ago. */
const mostMeasures = 500;
/** Samples further apart than this many steps, and than this time, have a gap between them. */
const gapSteps = 3;
const leastGapMs = 30_000;

export type History = ReturnType<typeof createHistory>;

export function createHistory() {
  /** In the order of their last sample. */
  const measured = new Map<string, ReadonlyMap<PeriodId, Point[]>>();

  return {
    add({ at, values }: Sample): void {
      for (const [measure, value] of values) {
        const kept = measured.get(measure) ?? new Map(periods.map(({ id }) => [id, []]));
        measured.delete(measure);
        measured.set(measure, kept);
        for (const period of periods) record(kept.get(period.id)!, { at, value }, period);
      }
      for (const measure of measured.keys()) {
        if (measured.size <= mostMeasures) break;
        measured.delete(measure);
      }
    },
    /** Values of one measure, oldest first, in parts where there is a gap. */
    series: (measure: string, period: Period, now: number): readonly (readonly Point[])[] =>
      partsOf(pointsOf(measure, period, now), period),
    /** Change per second from each value to the next, oldest first; none over a gap. */
    rates: (measure: string, period: Period, now: number): readonly Rate[] =>
      partsOf(pointsOf(measure, period, now), period).flatMap(ratesOf),
    /** How far back there is something of these measures, in whole steps of the axis; milliseconds. */
    span(measures: readonly string[], period: Period, now: number): number {
      const oldest = measures.flatMap((measure) => pointsOf(measure, period, now)[0]?.at ?? []);
      const reached = oldest.reduce((most, at) => Math.max(most, now - at), 0);
      const steps = Math.max(1, Math.ceil(reached / period.growsByMs));
      return Math.min(period.spanMs, steps * period.growsByMs);
    },
  };

  function pointsOf(measure: string, { id, spanMs }: Period, now: number): readonly Point[] {
    const points = measured.get(measure)?.get(id) ?? [];
    return points.filter(({ at }) => at >= now - spanMs);
  }
}

function record(points: Point[], point: Point, { spanMs, stepMs }: Period): void {
  const last = points.at(-1);
  if (last && Math.floor(last.at / stepMs) === Math.floor(point.at / stepMs)) points.pop();
  points.push(point);
  while (points[0]!.at < point.at - spanMs) points.shift();
}

function partsOf(points: readonly Point[], { stepMs }: Period): readonly (readonly Point[])[] {
  const parts: Point[][] = [];
  for (const point of points) {
    const part = parts.at(-1);
    const before = part?.at(-1);
    if (before && point.at - before.at <= Math.max(gapSteps * stepMs, leastGapMs)) part!.push(point);
    else parts.push([point]);
  }
  return parts;
}

function ratesOf(points: readonly Point[]): readonly Rate[] {
  return points.slice(1).map(({ at, value }, index) => {
    const before = points[index]!;
    const seconds = Math.max(0.001, (at - before.at) / 1000);
    return { at, from: before.at, value: (value - before.value) / seconds };
  });
}
