/** What member proxies in processes of their own have counted: read strictly, and only so much of it. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import type { Usage } from './usage.ts';
import { mostReported } from './usage-report.ts';
import type { UsageRow } from './usage-row.ts';

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

/** A proxy tries to send a report for less. */
const rememberedSeconds = 3600;
/** Of one proxy within a minute, ten times what it has room for: nobody fills the store by inventing reports. */
const mostInMinute = 2_000;

export interface UsageIntakeDeps {
  readonly usage: Pick<Usage, 'isOn' | 'take'>;
  readonly artifacts: Pick<ArtifactStore, 'count'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Counts of separate proxies are added to those of this console. */
export function createUsageIntake({ usage, artifacts, now }: UsageIntakeDeps) {
  /** @throws {ProblemError} `invalid_request`, `busy`. @throws {StorageUnavailableError} */
  return async (body: unknown, clientId: string): Promise<void> => {
    const read = report.safeParse(body);
    if (!read.success) throw new ProblemError(problems.invalidRequest, 'This is no report of calls.');
    const { stem, number, rows, isIncomplete } = read.data;
    if (!usage.isOn) return;
    await checkRate(clientId);
    const id = `${clientId} ${stem} ${number}`;
    const { count } = await artifacts.count('UsageReport', id, rememberedSeconds);
    if (count > 1) return;
    usage.take(rows.map(notAhead), isIncomplete ? ['separate-proxies'] : []);
  };

  async function checkRate(clientId: string): Promise<void> {
    const { count, resetsAt } = await artifacts.count('UsageReports', clientId, 60);
    if (count <= mostInMinute) return;
    const seconds = Math.max(1, Math.ceil(resetsAt - now() / 1000));
    throw new ProblemError(problems.busy, 'More reports of calls have come than are taken.', {
      headers: { 'Retry-After': String(seconds) },
    });
  }

  /** The clock there may be ahead. */
  function notAhead(row: UsageRow): UsageRow {
    const [first, last] = [Math.min(row[6], now()), Math.min(row[7], now())];
    return [...row.slice(0, 6), first, last, row[8]] as unknown as UsageRow;
  }
}
