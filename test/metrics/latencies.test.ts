import { expect, test } from 'vitest';
import {
  createLatencies,
  latenciesBetween,
  quantileOf,
  sumOfLatencies,
} from '../../console/metrics/latencies.ts';

function countsOf(durations: readonly number[]) {
  const latencies = createLatencies();
  for (const ms of durations) latencies.observe(ms);
  return latencies.counts();
}

test.each([0.02, 0.3, 1, 7.7, 48, 999, 60_000])('a quantile of %d ms is right to a tenth', (ms) => {
  const counts = countsOf([...Array(98).fill(ms), ms * 1000, ms * 1000]);
  const found = quantileOf(counts, 0.5)!;
  expect(found).toBeGreaterThanOrEqual(ms * 0.999);
  expect(found).toBeLessThan(ms * 1.1);
});

test('99 of 100 are below the 99th, and the slowest is not', () => {
  const counts = countsOf([...Array(99).fill(1), 500]);
  expect(quantileOf(counts, 0.99)).toBeLessThan(1.1);
  expect(quantileOf(counts, 1)).toBeGreaterThan(499);
});

test('nothing has no quantile; nothing, less than nothing and no number are counted as fast', () => {
  expect(quantileOf([], 0.5)).toBeUndefined();
  expect(quantileOf(latenciesBetween(countsOf([1]), countsOf([1])), 0.5)).toBeUndefined();
  expect(countsOf([0, -1, Number.NaN])).toEqual([3]);
  expect(quantileOf(countsOf([Number.POSITIVE_INFINITY]), 0.5)).toBeGreaterThan(60_000);
});

test('what was counted between two readings, and by several, is what each took', () => {
  const latencies = createLatencies();
  latencies.observe(1000);
  const before = latencies.counts();
  latencies.observe(4);
  const between = latenciesBetween(before, latencies.counts());
  expect(quantileOf(between, 1)).toBeLessThan(4.4);
  const sum = sumOfLatencies([between, countsOf([90]), []]);
  expect(sum.reduce((total, count) => total + count, 0)).toBe(2);
  expect(quantileOf(sum, 1)).toBeGreaterThan(90);
});
