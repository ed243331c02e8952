export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @param values  one per round, at least one */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

/**
 * @param sorted  ascending
 * @param share   0.99 is the value that 99 % do not exceed
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
}

/** `median (min–max)`, or a dash when it was not measured. */
export function formatSpread({ median, min, max }: Spread, digits: number): string {
  if (Number.isNaN(median)) return '–';
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}
