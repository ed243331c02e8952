/** What came with another read, and what has changed while that was under way. */
import { expect, test } from 'vitest';
import { createRecentReads } from '../../../console/storage/postgres/records/recent-reads.ts';
import { until } from '../../helpers/store.ts';

const createReads = () => createRecentReads(async () => () => 'read anew');

test('what came with another read is not asked for again', async () => {
  const reads = createReads();
  const isTaken = async () => {
    reads.begin()('ada', 'came with it');
    return (await reads.get('ada')) === 'came with it';
  };
  // At the first try, unless this process stands still for as long as anything counts as recent.
  await until(isTaken, 'what came with it');
});

test('what has changed since the read was begun is read anew', async () => {
  const reads = createReads();
  const take = reads.begin();
  reads.forget('ada');
  take('ada', 'as it was before');
  expect(await reads.get('ada')).toBe('read anew');
});

test('what was read later stays', async () => {
  const reads = createReads();
  const take = reads.begin();
  await reads.get('ada');
  take('ada', 'as it was before');
  expect(await reads.get('ada')).toBe('read anew');
});
