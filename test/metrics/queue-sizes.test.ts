/** How many items queues have, asked of members for their history: which are asked, and how often. */
import { expect, onTestFinished, test } from 'vitest';
import { createQueueSizes } from '../../console/members/queue-sizes.ts';
import type { MemberCall } from '../../platform/member-call.ts';
import { until } from '../helpers/store.ts';

function newSizes(answer: (path: string) => string | undefined) {
  const asked: string[] = [];
  const sizes = createQueueSizes({
    overMs: 20,
    async ask({ method, path }: MemberCall) {
      asked.push(`${method} ${path}`);
      const text = answer(path);
      if (text === undefined) throw new Error('no member answers');
      return { status: 200, type: 'text/plain', bytes: Buffer.from(text), member: '10.0.0.1:5701' };
    },
  });
  onTestFinished(sizes.close);
  return { asked, sizes };
}

test('each queue that was called is asked for once in a minute, and its size is taken once', async () => {
  const { asked, sizes } = newSizes((path) => (path.includes('jobs') ? '12\n' : '0'));
  sizes.onQueues(['queue:jobs', 'queue:a b'], 100);
  await until(async () => asked.length === 2, 'both are asked');
  expect(asked).toEqual(['GET /rest/queues/jobs/size', 'GET /rest/queues/a%20b/size']);
  expect(sizes.takeSizes()).toEqual(
    new Map([
      ['queue:jobs', 12],
      ['queue:a b', 0],
    ]),
  );
  expect(sizes.takeSizes()).toEqual(new Map());
});

test('a queue is asked for an hour after its last call, and no more', async () => {
  const { asked, sizes } = newSizes(() => '1');
  sizes.onQueues(['queue:jobs'], 100);
  sizes.onQueues([], 159);
  expect(asked).toHaveLength(2);
  sizes.onQueues([], 160);
  expect(asked).toHaveLength(2);
});

test('of very many those called last are asked', async () => {
  const { asked, sizes } = newSizes(() => '1');
  const ids = Array.from({ length: 300 }, (_, i) => `queue:${i}`);
  sizes.onQueues(ids, 100);
  await until(async () => asked.length === 200, 'two hundred are asked', 10_000);
  expect(asked[0]).toBe('GET /rest/queues/100/size');
});

test.each(['', 'many', '-1', '1.5'])('an answer of %j, and none at all, leave a hole', async (text) => {
  const { asked, sizes } = newSizes((path) => (path.includes('odd') ? text : undefined));
  sizes.onQueues(['queue:odd', 'queue:silent'], 100);
  await until(async () => asked.length === 2, 'both are asked');
  expect(sizes.takeSizes()).toEqual(new Map());
});
