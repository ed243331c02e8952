import { expect, test } from 'vitest';
import { issueTime, validFrom, validSince } from '../../console/accounts/validity.ts';

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
