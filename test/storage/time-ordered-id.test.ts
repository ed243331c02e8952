import { expect, test } from 'vitest';
import { timeOrderedId } from '../../console/storage/time-ordered-id.ts';

test('ids of later records sort later, and are UUIDs of version 7 (RFC 9562 §5.7)', () => {
  const times = [0, 1, 255, 256, 1_800_000_000_000, 1_800_000_000_001, 2 ** 48 - 1];
  const ids = times.map(timeOrderedId);
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids[4]).toMatch(/^01a3185c-5000-/);
});

test('no two of one instant are alike', () => {
  expect(new Set(Array.from({ length: 1000 }, () => timeOrderedId(1))).size).toBe(1000);
});
