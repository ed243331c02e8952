/** Verifies the rows of all consoles in a thread beside the calls, as {@link verifyRows} does. */
import type { KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { programOf } from '../../../../platform/installation.ts';
import { StorageUnavailableError } from '../../../storage/storage.ts';
import type { VerifyReport } from '../../verify/verify.ts';
import type { VerifyRowsDeps } from './verify-rows.ts';

/** Goes to the thread as it is: plain values, and a key. */
export type RowsToVerify = Pick<VerifyRowsDeps, 'databaseUrl'> & {
  readonly publicKey: KeyObject | undefined;
};

export type FromVerifying =
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'verified'; readonly report: VerifyReport }
  | { readonly type: 'failed'; readonly isUnavailable: boolean; readonly message: string };

export interface VerifyInThreadDeps extends RowsToVerify {
  readonly onProgress: NonNullable<VerifyRowsDeps['onProgress']>;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * @throws {StorageUnavailableError} when the database cannot be reached, or not any more
 * @throws {Error} when it was ended
 */
export function verifyRowsInThread({
  onProgress,
  signal,
  ...rows
}: VerifyInThreadDeps): Promise<VerifyReport> {
  const thread = new Worker(programOf('console/audit/rows/verify/verify-rows-thread'), {
    workerData: rows satisfies RowsToVerify,
    name: 'audit verify',
  });
  const end = () => void thread.terminate();
  signal.addEventListener('abort', end, { once: true });
  return new Promise<VerifyReport>((resolve, reject) => {
    thread.on('message', (message: FromVerifying) => {
      if (message.type === 'progress') onProgress(message.done, message.total);
      else if (message.type === 'verified') resolve(message.report);
      else
        reject(
          message.isUnavailable ? new StorageUnavailableError(message.message) : new Error(message.message),
        );
    });
    thread.on('error', reject);
    // Behind whatever it has said.
    thread.once('exit', () => reject(new Error('the thread that verifies the audit has ended')));
  }).finally(() => {
    signal.removeEventListener('abort', end);
    end();
  });
}
