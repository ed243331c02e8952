/** Versions of records: who changes one may say which it has read. */
import { createHash } from 'node:crypto';
import { ProblemError, problems } from '../../platform/errors.ts';

/**
 * Changes with the record, and with nothing else: what somebody has for a while is none of what whoever changes the record has read.
 *
 * @returns the tag's value, without its quotes
 */
export function versionOf(record: object): string {
  const { elevation: _elevation, ...lasting } = record as { readonly elevation?: unknown };
  return createHash('sha256').update(JSON.stringify(lasting)).digest('base64url').slice(0, 22);
}

/**
 * For inside the transaction that makes what is to be new (RFC 9110 §13.1.2).
 *
 * @throws {ProblemError} `precondition_failed`
 */
export function checkIsNew(record: object | undefined, isNew: boolean): void {
  if (record && isNew) throw preconditionFailed('There is one of this id already.', record);
}

/**
 * For inside the transaction that makes the change.
 *
 * @param record   undefined: there is none, and no version of it either
 * @param ifMatch  undefined: whatever it is; empty: that there is none yet
 * @throws {ProblemError} `precondition_failed`, which carries the version of now
 */
export function checkVersion(record: object | undefined, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === (record ? versionOf(record) : '')) return;
  throw preconditionFailed(
    'This has changed meanwhile: read it again, and change what is there now.',
    record,
  );
}

function preconditionFailed(detail: string, record: object | undefined): ProblemError {
  return new ProblemError(problems.preconditionFailed, detail, {
    ...(record && { members: { current: `"${versionOf(record)}"` } }),
  });
}
