/** What a member proxy in a process of its own has counted: read strictly, and only so much of it. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import type { Usage } from './usage.ts';
import type { UsageRow } from './usage-row.ts';

/** So many rows stand in one report. */
export const mostReported = 200;

export interface UsageReport {
  /** Random for each process. */
  readonly stem: string;
  /** From 0 on: a report that comes twice counts once. */
  readonly number: number;
  readonly rows: readonly UsageRow[];
  /** There was no room for some of what was counted. */
  readonly isIncomplete: boolean;
}

const time = z
  .number()
  .int()
  .nonnegative()
  .max(2 ** 45);
const row = z
  .tuple([
    z.string().regex(/^(?:(?:client|user):.{1,256}|other:)$/s),
    z.string().max(256),
    z.string().max(64),
    z.string().max(1024),
    z.boolean(),
    z
      .number()
      .int()
      .positive()
      .max(2 ** 31),
    time,
    time,
    z.string().max(64).nullable(),
  ])
  .readonly();
const report = z.strictObject({
  stem: z.string().regex(/^[\w-]{8,32}$/),
  number: z
    .number()
    .int()
    .nonnegative()
    .max(2 ** 40),
  rows: z.array(row).max(mostReported).readonly(),
  isIncomplete: z.boolean(),
});

/** Tries go on for less. */
const rememberedSeconds = 3600;

export interface UsageIntakeDeps {
  readonly usage: Pick<Usage, 'isOn' | 'take'>;
  readonly artifacts: Pick<ArtifactStore, 'count'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Counts of separate proxies are added to those of this console. */
export function createUsageIntake({ usage, artifacts, now }: UsageIntakeDeps) {
  /** @throws {ProblemError} `invalid_request`. @throws {StorageUnavailableError} */
  return async (body: unknown, clientId: string): Promise<void> => {
    const read = report.safeParse(body);
    if (!read.success) throw new ProblemError(problems.invalidRequest, 'This is no report of calls.');
    const { stem, number, rows, isIncomplete } = read.data;
    if (!usage.isOn) return;
    const { count } = await artifacts.count(
      'UsageReport',
      `${clientId} ${stem} ${number}`,
      rememberedSeconds,
    );
    if (count > 1) return;
    usage.take(rows.map(notAhead), isIncomplete ? ['separate-proxies'] : []);
  };

  /** The clock there may be ahead. */
  function notAhead([who, permission, structure, name, isAllowed, count, first, last, decision]: UsageRow) {
    const latest = Math.min(last, now());
    return [
      who,
      permission,
      structure,
      name,
      isAllowed,
      count,
      Math.min(first, latest),
      latest,
      decision,
    ] as const;
  }
}
