/** Verifies the audit as a job, and remembers what came of it. */
import { createPublicKey } from 'node:crypto';
import { signingKey } from '../../audit/checkpoint.ts';
import { verificationOf } from '../../audit/verify/last-verification.ts';
import type { JobKind } from '../../jobs/job-kind.ts';
import { auditSeedIn } from '../../keys/audit-key.ts';
import type { Services } from '../services.ts';

type VerifyServices = Pick<Services, 'auditVerification' | 'storage' | 'cipher' | 'now'>;

export function createVerifyKind({ auditVerification, storage, cipher, now }: VerifyServices): JobKind {
  return {
    event: 'audit.verified',
    async run({ job, report, signal }) {
      report({ done: 0, total: null, step: 'reading the audit' });
      const at = now();
      // Not the one beside the files: whoever can change these can change that.
      const seed = auditSeedIn(storage.registry, cipher);
      const publicKey = seed === undefined ? undefined : createPublicKey(signingKey(seed).publicPem);
      const found = await auditVerification.verify(publicKey, { report, signal });
      const verification = verificationOf(found, { at, by: job.startedBy, isSigned: seed !== undefined });
      await auditVerification.last.store(verification);
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
