/** Verifies the files of the audit as a job, in threads beside the calls, and remembers what came of it. */
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { signingKey } from '../../audit/checkpoint.ts';
import { storeVerification, verificationOf } from '../../audit/verify/last-verification.ts';
import { verifyInThreads } from '../../audit/verify/verify.ts';
import type { JobKind } from '../../jobs/job-kind.ts';
import { auditSeedIn } from '../../keys/audit-key.ts';
import type { Services } from '../services.ts';

export function createVerifyKind({
  settings: { dataDir },
  storage: { registry },
  cipher,
  now,
}: Pick<Services, 'settings' | 'storage' | 'cipher' | 'now'>): JobKind {
  return {
    event: 'audit.verified',
    async run({ job, report }) {
      report({ done: 0, total: null, step: 'reading the audit' });
      const at = now();
      // Not the one beside the files: whoever can change these can change that.
      const seed = auditSeedIn(registry, cipher);
      const publicKey = seed === undefined ? undefined : createPublicKey(signingKey(seed).publicPem);
      const files = { directory: join(dataDir, 'audit'), publicKey, anchors: [] };
      const found = await verifyInThreads(files, undefined, true);
      const verification = verificationOf(found, { at, by: job.startedBy, isSigned: seed !== undefined });
      await storeVerification(dataDir, verification);
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
