/** Where the audit is to be verified, and what came of it last: this console's files, or the rows of all that share a database. */

import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { problems } from '../../../platform/errors.ts';
import { type LastVerification, lastVerification } from '../../audit/verify/last-verification.ts';
import { type VerifyReport, verifyInThreads } from '../../audit/verify/verify.ts';
import { JobFailure, type JobWork } from '../../jobs/job-kind.ts';
import { StorageUnavailableError } from '../../storage/storage.ts';
import type { ServicesDeps } from './services-deps.ts';

export interface AuditVerification {
  readonly last: LastVerification;
  /**
   * In threads beside the calls.
   *
   * @param publicKey  undefined: signatures are not checked
   * @throws {JobFailure} `storage_unavailable`
   */
  verify(publicKey: KeyObject | undefined, work: Pick<JobWork, 'report' | 'signal'>): Promise<VerifyReport>;
}

export function createAuditVerification({
  settings: { dataDir, databaseUrl },
  storage: { artifacts },
}: Pick<ServicesDeps, 'settings' | 'storage'>): AuditVerification {
  return {
    last: lastVerification(dataDir, artifacts, databaseUrl !== undefined),
    verify: (publicKey, work) =>
      databaseUrl === undefined
        ? verifyInThreads({ directory: join(dataDir, 'audit'), publicKey, anchors: [] }, undefined, true)
        : verifyRowsOfAll({ databaseUrl: databaseUrl.reveal(), publicKey }, work),
  };
}

type RowsThread = typeof import('../../audit/rows/verify/verify-rows-in-thread.ts');

async function verifyRowsOfAll(
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
    const message = 'The database could not be read to its end: ask again.';
    throw new JobFailure(problems.storageUnavailable, message, { cause });
  }
}
