import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createReadiness } from '../../console/health/readiness.ts';
import { StorageUnavailableError } from '../../console/storage/storage.ts';

/** A disk of which the test says whether it takes anything, and a clock that it turns. */
function create({ isFollowed }: { readonly isFollowed: boolean }) {
  const state = { isFull: false, probes: 0, now: 0 };
  let fail = (_error: Error): void => {};
  const readiness = createReadiness({
    async checkWritable() {
      state.probes++;
      if (state.isFull) throw new StorageUnavailableError('full');
    },
    ...(isFollowed && {
      onWriteFailure: (listener: typeof fail) => {
        fail = listener;
        return () => {};
      },
    }),
    log: { info() {}, error() {} },
    now: () => state.now,
  });
  const askEachSecond = async (seconds: number) => {
    const answers: boolean[] = [];
    for (let second = 0; second < seconds; second++) {
      state.now += 1001;
      answers.push(await readiness.isReady());
      await setTimeout(0); // a probe that this began has ended
    }
    return answers;
  };
  return { state, readiness, askEachSecond, fail: (error: Error) => fail(error) };
}

test('who asks each second whether the store can be written causes a write in five seconds, not in each (S82)', async () => {
  const { state, readiness, askEachSecond } = create({ isFollowed: true });
  expect(await readiness.isReady()).toBe(true);
  expect(await askEachSecond(20)).toEqual(Array(20).fill(true));
  expect(state.probes).toBe(5);
  await readiness.close();
});

test('a write that fails is known at once, and while it lasts each second asks anew (S82)', async () => {
  const { state, readiness, askEachSecond, fail } = create({ isFollowed: true });
  expect(await readiness.isReady()).toBe(true);
  state.isFull = true;
  fail(new StorageUnavailableError('full'));
  expect(await readiness.isReady()).toBe(false);
  expect(await askEachSecond(3)).toEqual([false, false, false]);
  expect(state.probes).toBe(4);
  state.isFull = false;
  // The first answer is what was seen before it; the probe behind it has seen the room.
  expect(await askEachSecond(2)).toEqual([false, true]);
  await readiness.close();
});

test('where another process writes each second asks anew (S82)', async () => {
  const { state, readiness, askEachSecond } = create({ isFollowed: false });
  expect(await readiness.isReady()).toBe(true);
  await askEachSecond(5);
  expect(state.probes).toBe(6);
  await readiness.close();
});
