/** How often tails are made: together they have one measure, however many there are and are read. */
import { afterEach, expect, test } from 'vitest';
import { createTopics, type NewFrames, type Topics } from '../../console/pages/live/topics.ts';
import type { PageContext } from '../../console/pages/page-tools.ts';

let topics: Topics | undefined;
afterEach(() => topics?.close());

/** @returns how often each tail is made in `ms` */
async function madeIn(ms: number, tails: number, readers: number): Promise<number[]> {
  topics = createTopics('boot', Date.now);
  const made = Array.from({ length: tails }, () => 0);
  const reader = { ctx: {} as PageContext, take() {}, fail() {} };
  for (let n = 0; n < tails; n++) {
    const frames: NewFrames = () => async () => {
      made[n]!++;
      return undefined;
    };
    for (let r = 0; r < readers; r++) topics.read(`tail ${n}`, frames, { ...reader }, 'tail');
  }
  await new Promise((resolve) => setTimeout(resolve, ms));
  return made;
}

test('one is made four times a second', async () => {
  const [made] = await madeIn(2_100, 1, 10);
  expect(made).toBeGreaterThanOrEqual(5);
  expect(made).toBeLessThanOrEqual(8);
});

test('several share that, and so do very many readers', async () => {
  const made = await madeIn(2_600, 4, 1);
  expect(made.every((each) => each >= 1 && each <= 3)).toBe(true);
  topics!.close();
  const [ofMany] = await madeIn(2_600, 1, 500);
  expect(ofMany).toBeGreaterThanOrEqual(1);
  expect(ofMany).toBeLessThanOrEqual(3);
});
