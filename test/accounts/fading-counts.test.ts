/** Counts that fall with time, behind what slows guessing (S29). */
import { beforeEach, describe, expect, test } from 'vitest';
import { createFadingCounts } from '../../console/accounts/guessing/fading-counts.ts';

let nowMs: number;
beforeEach(() => {
  nowMs = 1_800_000_000_000;
});
const counts = (most = 3, msForEach = 1000) =>
  createFadingCounts<string>({ msForEach, most, steady: () => nowMs });

describe('a count', () => {
  test('goes up by one for each, and each has its own', () => {
    const { add } = counts();
    expect(['a', 'a', 'b', 'a'].map(add)).toEqual([1, 2, 1, 3]);
  });

  test('falls by one every so often, by parts too, and never below none', () => {
    const { add } = counts();
    expect(['a', 'a', 'a'].map(add)).toEqual([1, 2, 3]);
    nowMs += 500;
    expect(add('a')).toBe(3.5);
    nowMs += 2500;
    expect(add('a')).toBe(2);
    nowMs += 86_400_000;
    expect(add('a')).toBe(1);
  });

  test('of somebody at a steady pace stays where it is: who is as slow as it forgets is not slowed more', () => {
    const { add } = counts(3, 3000);
    const seen = Array.from({ length: 50 }, () => {
      nowMs += 3000;
      return add('a');
    });
    expect(new Set(seen)).toEqual(new Set([1]));
  });
});

describe('of more than are remembered', () => {
  test('whoever has been quiet for longest is forgotten, and nobody else', () => {
    const { add } = counts(3);
    for (const key of ['a', 'b', 'c', 'a']) add(key);
    // Somebody new: `b` has been quiet for longest.
    expect(add('d')).toBe(1);
    expect(['a', 'c', 'd'].map(add)).toEqual([3, 2, 2]);
    expect(add('b')).toBe(1);
  });
});
