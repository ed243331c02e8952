/** What a member proxy in a process of its own reports: read strictly, and only so much of it. */
import { z } from 'zod';
import { ProblemError, problems } from '../../platform/errors.ts';
import { batchSize, type DenialBatch, placeOf } from './denial-buffer.ts';
import type { DenialLog } from './denials.ts';

const text = (most: number) => z.string().max(most);
const words = z.array(text(256)).max(2_000).readonly();

const denial = z.strictObject({
  decisionId: text(64),
  at: z.number().int().nonnegative(),
  requestId: text(128),
  traceId: text(32).optional(),
  source: text(64).optional(),
  method: text(64),
  path: text(600),
  rule: z
    .strictObject({
      methods: z.array(text(16)).max(16).readonly(),
      template: text(256),
      group: z.enum(['HEALTH_CHECK', 'CLUSTER_READ', 'CLUSTER_WRITE', 'PERSISTENCE', 'WAN', 'DATA', 'CP']),
      permission: text(256),
    })
    .optional(),
  member: text(600).optional(),
  status: z.number().int().min(400).max(599),
  code: text(64),
  reason: text(500),
  caller: z
    .strictObject({ subject: text(256), clientId: text(256), jti: text(256), roles: words, scopes: words })
    .optional(),
});

const batch = z.strictObject({
  stem: z.string().regex(/^p[kn][\w-]{1,32}$/),
  number: z
    .number()
    .int()
    .nonnegative()
    .max(2 ** 40),
  refusals: z.array(denial).min(1).max(batchSize).readonly(),
});

export interface DenialIntakeDeps {
  readonly denials: Pick<DenialLog, 'recordReported'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Denials of member proxies in processes of their own lie beside those of this one. */
export function createDenialIntake({ denials, now }: DenialIntakeDeps) {
  const checkPlace = createPlaceLimit(now);
  /** @throws {ProblemError} `invalid_request`, `busy` */
  return async (body: unknown, clientId: string): Promise<void> => {
    const batch = readDenialBatch(body);
    checkPlace(batch);
    await denials.recordReported(batch, clientId);
  };
}

/** @throws {ProblemError} `invalid_request` */
export function readDenialBatch(body: unknown): DenialBatch {
  const read = batch.safeParse(body);
  if (!read.success || !read.data.refusals.every(({ decisionId }) => isIn(read.data, decisionId))) {
    throw new ProblemError(problems.invalidRequest, 'This is no batch of denials.');
  }
  // Members that are left out are undefined, which is what the type says of them.
  return read.data as DenialBatch;
}

function isIn({ stem, number }: { readonly stem: string; readonly number: number }, decisionId: string) {
  const place = placeOf(decisionId);
  return place?.stem === stem && place.number === number;
}

/** Places for the batches of so many processes within a day; each takes up to 20,000 denials. */
const mostStems = 256;
const dayMs = 24 * 3600 * 1000;

/**
 * Holds what is reported to a number of places: a process that invents a new one each time would fill the store.
 *
 * @param now  epoch milliseconds
 * @returns a check that throws {@link ProblemError} `busy`
 */
export function createPlaceLimit(now: () => number): (batch: DenialBatch) => void {
  const usedAt = new Map<string, number>();

  return ({ stem }) => {
    if (!usedAt.has(stem) && usedAt.size >= mostStems) forgetOld();
    if (!usedAt.has(stem) && usedAt.size >= mostStems) {
      throw new ProblemError(problems.busy, 'More processes have reported denials today than are kept.', {
        headers: { 'Retry-After': '3600' },
      });
    }
    usedAt.set(stem, now());
  };

  function forgetOld(): void {
    for (const [stem, at] of usedAt) if (now() - at > dayMs) usedAt.delete(stem);
  }
}
