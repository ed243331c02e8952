/** How long wrong client secrets of one source wait, to the millisecond (B9, decision 0016). */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSecretFailures } from '../../console/tokens/guessing/secret-failures.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** As many as are told at once. */
const free = 20;
function failed(times = free) {
  const failures = createSecretFailures(() => performance.now());
  for (let n = 0; n < times; n++) expect(failures.add('192.0.2.1')).toBe(0);
  return () => failures.add('192.0.2.1');
}
/** One after the other, each when the one before has been told; nothing is forgiven meanwhile. */
const inTurn = (add: () => number | undefined, times: number) =>
  Array.from({ length: times }, () => {
    const hold = add()!;
    vi.advanceTimersByTime(hold);
    return Math.round(hold);
  });

test('twenty are told at once, the others later by half as much again each time (B9)', () => {
  const holds = inTurn(failed(), 4);
  // While they wait, a part of the failures is forgiven: one every three seconds.
  const expected: number[] = [];
  let over = 1;
  for (let n = 0; n < 4; n++) {
    expected.push(Math.round(50 * 1.5 ** (over - 1)));
    over += 1 - expected.at(-1)! / 3000;
  }
  for (const [n, hold] of holds.entries()) expect(Math.abs(hold - expected[n]!)).toBeLessThanOrEqual(1);
});

test('none waits longer than two seconds for itself (B9)', () => {
  const add = failed();
  const holds = inTurn(add, 60);
  expect(Math.max(...holds)).toBeLessThanOrEqual(2000);
  expect(holds.at(-1)).toBeGreaterThan(500);
});

test('sent at once, they are told one after the other, and a ninth not at all (B9)', () => {
  const add = failed();
  const holds = Array.from({ length: 12 }, add);
  let at = 0;
  const expected = Array.from({ length: 8 }, (_, n) => {
    at += Math.min(2000, 50 * 1.5 ** n);
    return Math.round(at);
  });
  expect(holds.slice(0, 8).map((hold) => Math.round(hold!))).toEqual(expected);
  expect(holds.slice(8)).toEqual([undefined, undefined, undefined, undefined]);
  // As soon as one has been told, there is a place again, behind the others.
  vi.advanceTimersByTime(expected[0]! + 1);
  const last = expected[7]! - expected[0]! - 1;
  expect(Math.round(add()!)).toBeGreaterThan(last);
  expect(add()).toBeUndefined();
});

test('what is over is forgiven: one every three seconds, and after a minute all of them (B9)', () => {
  const add = failed();
  vi.advanceTimersByTime(3001);
  expect(add()).toBe(0);
  expect(Math.round(add()!)).toBeCloseTo(50, -1);
  vi.advanceTimersByTime(66_000);
  for (let n = 0; n < free; n++) expect(add()).toBe(0);
  expect(add()).toBe(50);
});

test('one source waits for no other (S29)', () => {
  const failures = createSecretFailures(() => performance.now());
  for (let n = 0; n < 40; n++) failures.add('192.0.2.1');
  expect(failures.add('192.0.2.1')).toBeUndefined();
  expect(failures.add('192.0.2.2')).toBe(0);
});
