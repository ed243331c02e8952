/** Versions of records: who changes one may say which it has read. */
import { createHash } from 'node:crypto';
import { ProblemError, problems } from '../../platform/errors.ts';

/** Changes with the record, and with nothing else. @returns the tag's value, without its quotes */
export function versionOf(record: object): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22);
}

/**
 * For inside the transaction that makes the change.
 *
 * @param ifMatch  undefined: whatever it is
 * @throws {ProblemError} `precondition_failed`, which carries the version of now
 */
export function checkVersion(record: object, ifMatch: string | undefined): void {
  if (ifMatch === undefined) return;
  const current = versionOf(record);
  if (ifMatch === current) return;
  throw new ProblemError(
    problems.preconditionFailed,
    'This has changed meanwhile: read it again, and change what is there now.',
    { members: { current: `"${current}"` } },
  );
}
