/** Verifies the audit as a job, in threads beside the calls, and remembers what came of it. */
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { signingKey } from '../../audit/checkpoint.ts';
import { lastVerification, verificationOf } from '../../audit/verify/last-verification.ts';
import { type VerifyReport, verifyInThreads } from '../../audit/verify/verify.ts';
import { JobFailure, type JobKind, type JobWork } from '../../jobs/job-kind.ts';
import { auditSeedIn } from '../../keys/audit-key.ts';
import { StorageUnavailableError } from '../../storage/storage.ts';
import type { Services } from '../services.ts';

type VerifyServices = Pick<Services, 'settings' | 'storage' | 'cipher' | 'now'>;

/** Of this console's files; where several share a database, of the rows of all of them. */
export function createVerifyKind({ settings, storage, cipher, now }: VerifyServices): JobKind {
  const { dataDir, databaseUrl } = settings;
  const { registry, artifacts } = storage;
  const last = lastVerification(dataDir, artifacts, databaseUrl !== undefined);
  return {
    event: 'audit.verified',
    async run({ job, report, signal }) {
      report({ done: 0, total: null, step: 'reading the audit' });
      const at = now();
      // Not the one beside the files: whoever can change these can change that.
      const seed = auditSeedIn(registry, cipher);
      const publicKey = seed === undefined ? undefined : createPublicKey(signingKey(seed).publicPem);
      const found =
        databaseUrl === undefined
          ? await verifyInThreads(
              { directory: join(dataDir, 'audit'), publicKey, anchors: [] },
              undefined,
              true,
            )
          : await verifyShared({ databaseUrl: databaseUrl.reveal(), publicKey }, { report, signal });
      const verification = verificationOf(found, { at, by: job.startedBy, isSigned: seed !== undefined });
      await last.store(verification);
      const { isGood, entries, writerCount: writers } = verification;
      report({ done: entries, total: entries, step: 'done' });
      return { isGood, entries, writers };
    },
    entryOf: ({ id, result }) => ({
      target: id,
      changes: { isGood: result?.isGood ?? null, entries: result?.entries ?? null },
    }),
  };
}

type RowsThread = typeof import('../../audit/rows/verify/verify-rows-in-thread.ts');

async function verifyShared(
  rows: Pick<Parameters<RowsThread['verifyRowsInThread']>[0], 'databaseUrl' | 'publicKey'>,
  { report, signal }: Pick<JobWork, 'report' | 'signal'>,
): Promise<VerifyReport> {
  const { verifyRowsInThread } = await import('../../audit/rows/verify/verify-rows-in-thread.ts');
  try {
    return await verifyRowsInThread({
      ...rows,
      onProgress: (done, total) => report({ done, total, step: 'reading the audit' }),
      signal,
    });
  } catch (cause) {
    if (!(cause instanceof StorageUnavailableError)) throw cause;
    throw new JobFailure('storage_unavailable', 'The database could not be read to its end: ask again.', {
      cause,
    });
  }
}
