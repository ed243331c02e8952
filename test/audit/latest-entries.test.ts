/** When the latest entries are looked for again: each denial and each change shows at once in test/admin-api/audit.test.ts. */
import { expect, test } from 'vitest';
import { createLatestEntries } from '../../console/audit/reader/latest-entries.ts';

function latestOf() {
  const clock = { now: 0, denials: 0, isAvailable: true };
  let questions = 0;
  const ask = async () => {
    questions++;
    return { entries: [], total: 0 } as never;
  };
  const trail = {
    versions: () => ({ entries: clock.denials, denials: clock.denials, changes: 0 }),
    written: async () => {},
    isAvailable: () => clock.isAvailable,
  };
  const { latest } = createLatestEntries({ ask }, trail, () => clock.now);
  const asked = async () => {
    const before = questions;
    await latest('denials', 5);
    return questions - before;
  };
  return { clock, asked };
}

test('they are looked for once, and again with each entry that may be one, and after a minute', async () => {
  const { clock, asked } = latestOf();
  expect([await asked(), await asked()]).toEqual([1, 0]);
  clock.denials++;
  expect([await asked(), await asked()]).toEqual([1, 0]);
  clock.now += 60_000;
  expect([await asked(), await asked()]).toEqual([1, 0]);
});

test('what was found while the disk takes nothing is not shown longer than that', async () => {
  const { clock, asked } = latestOf();
  clock.isAvailable = false;
  expect([await asked(), await asked()]).toEqual([1, 1]);
  clock.isAvailable = true;
  expect([await asked(), await asked()]).toEqual([1, 0]);
});
