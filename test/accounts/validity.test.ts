import { describe, expect, test } from 'vitest';
import { clientValidFrom, issueTime, validFrom, validSince } from '../../console/accounts/validity.ts';

const second = 1_800_000_000;
const at = (milliseconds: number) => second * 1000 + milliseconds;
const isStillValid = (user: Parameters<typeof validSince>[0], issuedAt: number) =>
  issuedAt >= (validSince(user) ?? Infinity);

test('what is issued between two changes of one second is void after the second change (S34)', () => {
  let user = { disabled: false, tokensValidFrom: at(100) };
  const between = issueTime(user, at(200));
  expect(isStillValid(user, between)).toBe(true);

  user = { ...user, tokensValidFrom: validFrom(user, at(300)) };
  expect(isStillValid(user, between)).toBe(false);
  const after = issueTime(user, at(400));
  expect(isStillValid(user, after)).toBe(true);
  expect(after - second).toBe(2);
});

test('a change later on voids what was issued before it, and no more (S34)', () => {
  const user = { disabled: false, tokensValidFrom: at(100) };
  const changed = { ...user, tokensValidFrom: validFrom(user, at(10_500)) };
  expect(changed.tokensValidFrom).toBe(at(10_500));
  expect([9, 10, 11].map((seconds) => isStillValid(changed, second + seconds))).toEqual([false, false, true]);
});

test('nothing that was issued to a disabled account counts (S34)', () => {
  expect(validSince({ disabled: true, tokensValidFrom: at(100) })).toBeUndefined();
});

/** The same numbers at each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

test.each(Array.from({ length: 50 }, (_, seed) => seed))(
  'what was issued before the last change is void and what was issued after it counts, run %i (S34)',
  (seed) => {
    const next = numbers(seed);
    let nowMs = at(next(1000));
    let user = { disabled: false, tokensValidFrom: nowMs };
    let issued: { readonly time: number; readonly isBefore: boolean }[] = [];
    for (let step = 0; step < 200; step++) {
      // Mostly within a second.
      nowMs += next(20) === 0 ? next(3_600_000) : next(400);
      if (next(3) === 0) {
        user = { ...user, tokensValidFrom: validFrom(user, nowMs) };
        issued = issued.map(({ time }) => ({ time, isBefore: true }));
      } else {
        issued = [...issued, { time: issueTime(user, nowMs), isBefore: false }];
      }
      expect(issued.map(({ time }) => isStillValid(user, time))).toEqual(
        issued.map(({ isBefore }) => !isBefore),
      );
    }
  },
);

describe('a client that loses what it had (S34)', () => {
  test('loses the second in which it happens too, and each later one makes more void', () => {
    expect(clientValidFrom({}, at(0))).toBe(at(1000));
    expect(clientValidFrom({}, at(999))).toBe(at(1000));
    const twice = clientValidFrom({ tokensValidFrom: clientValidFrom({}, at(100)) }, at(200));
    expect(twice).toBe(at(2000));
  });

  test('gets nothing back when the clock is put back', () => {
    const before = clientValidFrom({}, at(0));
    expect(clientValidFrom({ tokensValidFrom: before }, at(-3_600_000))).toBeGreaterThan(before);
  });
});
