/** S29: guesses are counted before a password is looked at, by account and by network. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Budget,
  confirmationBudget,
  createThrottle,
  networkOfSource,
  type Throttle,
  tooManyGuesses,
} from '../../console/accounts/guessing/throttle.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';

const [one, other] = ['one', 'other'] as unknown as readonly [Budget, Budget];
let nowMs: number;
let throttle: Throttle;
beforeEach(() => {
  nowMs = 1_800_000_000_000;
  const steady = () => nowMs;
  const { artifacts } = createMemoryStorage({ now: steady, steady });
  throttle = createThrottle({ artifacts, steady, attempts: 3, windowSeconds: 60 });
});

const retryAfter = (budgets: readonly Budget[]) =>
  throttle.take(budgets).then(
    () => undefined,
    (error) => [error.problem.code, error.headers['Retry-After']],
  );
const used = async (budget: Budget, times: number) => {
  for (let n = 0; n < times; n++) expect(await retryAfter([budget])).toBeUndefined();
};

describe('a budget', () => {
  test('has as many attempts as it says, and then the rest of its window to wait', async () => {
    await used(one, 3);
    nowMs += 20_500;
    expect(await retryAfter([one])).toEqual(['too_many_requests', '40']);
    nowMs += 39_400;
    expect(await retryAfter([one])).toEqual(['too_many_requests', '1']);
    nowMs += 200;
    await used(one, 3);
  });

  test('is used up by those that come together, too', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => retryAfter([one])));
    expect(all.filter((refused) => refused === undefined)).toHaveLength(3);
  });

  test("is nobody else's, and those behind one that is used up are not touched", async () => {
    await used(one, 3);
    for (let n = 0; n < 5; n++) expect(await retryAfter([one, other])).toBeDefined();
    await used(other, 3);
  });

  test('gets back what did not count, and never more than was taken', async () => {
    await throttle.giveBack(one);
    await used(one, 3);
    await throttle.giveBack(one);
    await used(one, 1);
    expect(await retryAfter([one])).toBeDefined();
  });

  test('forgets failures of whoever knew the password', async () => {
    await used(one, 3);
    await throttle.forget(one);
    await used(one, 3);
  });
});

test('the same person has one budget for confirmations, and another person another', () => {
  expect(confirmationBudget('ada')).toBe(confirmationBudget('ada'));
  expect(confirmationBudget('ada')).not.toBe(confirmationBudget('grace'));
});

describe('a network', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1:2:3:4', 'fe80:0:0:0'],
    ['1::2:3:4:5:6:7', '1:0:2:3'],
    ['not an address', 'not an address'],
  ])('of %s is %s', (address, network) => {
    expect(networkOfSource(address)).toBe(network);
  });
});

test.each([
  [-5, '1'],
  [0, '1'],
  [0.2, '1'],
  [1.2, '2'],
  [60, '60'],
])('who has %s seconds left is told to come again after %s', (seconds, header) => {
  expect(tooManyGuesses(seconds).headers).toMatchObject({ 'Retry-After': header });
});
