/** What a change may be bound to: a version of the record, or that there is none yet (RFC 9110 §13.1). */
import { ProblemError, problems } from '../../platform/errors.ts';

/** One strong tag, or `*`; undefined without the field. @throws {ProblemError} `invalid_request` */
export function readIfMatch(field: string | undefined): string | undefined {
  if (field === undefined || field === '*') return undefined;
  const version = /^"([\w-]{1,64})"$/.exec(field)?.[1];
  if (version !== undefined) return version;
  throw new ProblemError(problems.invalidRequest, 'If-Match takes the ETag of an answer, or *.');
}

/** Only `*`: what is asked for is to be new. @throws {ProblemError} `invalid_request` */
export function readIfNoneMatch(field: string | undefined): boolean {
  if (field === undefined) return false;
  if (field === '*') return true;
  throw new ProblemError(
    problems.invalidRequest,
    'If-None-Match takes * alone: only when there is none yet.',
  );
}
