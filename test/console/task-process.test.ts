/** Tasks in processes of their own: what they take is bounded, and nothing of them stays. */
import { expect, test } from 'vitest';
import { runTask } from '../../platform/process/task-process.ts';
import { waitFor } from '../helpers/console.ts';

const run = (how: string, limits = {}) =>
  runTask<{ pid: number; environment: string[] }>(
    'test/console/one-task',
    { how },
    { heapMb: 128, durationMs: 30_000, ...limits },
  );

test('an answer comes from a process without our environment, which has ended then', async () => {
  const { pid, environment } = (await run('answer'))!;
  expect(environment.filter((name) => !name.startsWith('NODE_CHANNEL'))).toEqual([]);
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await waitFor(() => !isThere(), 'its end');
});

test.each([
  ['takes too long', 'endless', { durationMs: 1500 }],
  ['takes too much memory', 'large', { heapMb: 64 }],
  ['ends without an answer', 'exit', {}],
  ['fails', 'throw', {}],
])('a task that %s has no answer', async (_what, how, limits) => {
  expect(await run(how, limits)).toBeUndefined();
});
