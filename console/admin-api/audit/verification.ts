/** `/api/v1/audit/verification`: when the chain of the audit was verified last, how far and with what outcome. */
import { z } from 'zod';
import type { Verification } from '../../audit/verify/last-verification.ts';
import { isOver } from '../../jobs/job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { dateTime, view } from '../../operations/resource-fields.ts';
import { begun, jobView } from '../jobs.ts';

export interface VerificationNeeds {
  readonly jobs: Jobs;
  /** The last one; undefined before the first. */
  readonly lastVerification: () => Promise<Verification | undefined>;
}

/** The kind of its jobs. */
export const verifyKind = 'verify-audit';
const verdicts = [
  'ok',
  'changed',
  'removed',
  'inserted',
  'swapped',
  'repeated',
  'cut',
  'rolled_back',
  'gap',
  'unsigned_tail',
] as const;
const writerView = z.strictObject({
  writer: z.string(),
  verdict: z.enum(verdicts),
  seq: z.number().int().nullable().meta({ description: 'The first entry that the verdict is about.' }),
  last: z.number().int().nullable(),
  says: z.string().nullable(),
  entries: z.number().int(),
  lastSeq: z.number().int().meta({ description: 'The last entry that was looked at.' }),
  lastCheckpointAt: dateTime
    .nullable()
    .meta({ description: 'Of its last check-point whose signature was checked.' }),
});
const verificationView = view({
  verifiedAt: dateTime.nullable().meta({ description: 'When it began; null: never.' }),
  verifiedBy: z.string().nullable(),
  isGood: z.boolean().nullable().meta({ description: 'Every entry is what was written.' }),
  isSigned: z.boolean().nullable().meta({ description: 'Signatures of check-points were checked.' }),
  entries: z.number().int().nullable(),
  writers: z.array(writerView).meta({
    description: 'Of each that writes; 50 at most, those first that are not what was written.',
  }),
  writerCount: z.number().int().nullable(),
}).meta({ id: 'AuditVerification' });

export const verificationOperations: readonly Operation<VerificationNeeds>[] = [
  operation({
    id: 'readAuditVerification',
    method: 'GET',
    path: '/audit/verification',
    summary: 'Says when the audit was verified last, up to which entry, and what came of it.',
    description:
      'Of the files of the console that answers; where several share a database, of the entries of all of them there. What was written since then was not looked at.',
    access: 'observe',
    answer: verificationView,
    async run(_call, { lastVerification }: VerificationNeeds) {
      const last = await lastVerification();
      return { body: viewOf(last) };
    },
  }),
  operation({
    id: 'verifyAudit',
    method: 'POST',
    path: '/audit/verification',
    summary: 'Begins to verify all entries of the audit; one at a time.',
    access: 'write',
    event: 'audit.verification_started',
    hasVersion: false,
    isMaking: true,
    statuses: [200, 202],
    answer: jobView,
    async run({ actor, waitSeconds, isDryRun }, { jobs }: VerificationNeeds) {
      const running = (await jobs.list()).find((job) => job.kind === verifyKind && !isOver(job));
      if (running) return { ...begun(running), isUnchanged: true };
      const asked = { kind: verifyKind, input: {}, startedBy: actor.id, resumable: false, unit: 'entries' };
      return begun(await jobs.wait(await jobs.add(asked), isDryRun ? 0 : waitSeconds * 1000));
    },
  }),
];

function viewOf(last: Verification | undefined) {
  return {
    verifiedAt: last ? new Date(last.at).toISOString() : null,
    verifiedBy: last?.by ?? null,
    isGood: last?.isGood ?? null,
    isSigned: last?.isSigned ?? null,
    entries: last?.entries ?? null,
    writers: last?.writers ?? [],
    writerCount: last?.writerCount ?? null,
  };
}
