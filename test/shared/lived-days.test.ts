/**
 * Days that two consoles and PostgreSQL live through with their time moved, people and machines asking all along. Finer:
 * SHARED_DAY_STEP_MINUTES (20), with more of them in each step: SHARED_DAY_SIGN_INS (20).
 */
import { describe, expect, test } from 'vitest';
import { postgresPrograms } from '../helpers/postgres.ts';
import { growthIn, liveDays, totalOf } from './lived-days.ts';
import { whyNoMovedTime } from './moved-time.ts';

const whyNot = postgresPrograms === undefined ? ' (skipped: apt-get install postgresql)' : whyNoMovedTime;
const stepMinutes = Number(process.env.SHARED_DAY_STEP_MINUTES ?? 360);
const signIns = Number(process.env.SHARED_DAY_SIGN_INS ?? 4);
const steps = (2 * 24 * 60) / stepMinutes;

describe.skipIf(whyNot !== undefined)(`days with the time moved${whyNot ?? ''}`, () => {
  test(
    'after a day of sign-ins, refreshes, tokens and expiry the tables are level: rows and bytes',
    async () => {
      const sizes = await liveDays({ days: 2, stepMinutes, signIns });
      if (process.env.SHARED_DAY_STEP_MINUTES) process.stdout.write(`${JSON.stringify(sizes)}\n`);
      // Or nothing was shown: the first day fills them.
      const [first] = sizes;
      const atNoon = sizes.find(({ hours }) => hours >= 36)!;
      expect(totalOf(atNoon.byTable, 'rows')).toBeGreaterThan(totalOf(first!.byTable, 'rows'));
      expect(atNoon.byTable.artifact!.rows).toBeGreaterThan(0);
      const { rows, bytes } = growthIn(sizes);
      expect([rows, bytes]).toEqual([expect.toSatisfy(isLevel), expect.toSatisfy(isLevel)]);
    },
    60_000 + steps * (15_000 + signIns * 10_000),
  );
});

function isLevel(growth: number): boolean {
  return growth < 1.1;
}
