import { ProblemError, problems } from '../platform/errors.ts';

/**
 * The errors that carry a challenge (RFC 6750 §3): what a bearer call lacks, told so that a
 * client can act on it, without telling a guesser how close it came.
 */

/** No credentials at all: a bare challenge, no error code (RFC 6750 §3.1, S61). */
export function missingToken(): ProblemError {
  return new ProblemError(problems.unauthorized, 'Send an access token as "Authorization: Bearer <token>"', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** A repeated or malformed `Authorization` field (RFC 6750 §3.1, S61). */
export function malformedAuthorization(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail, {
    headers: { 'WWW-Authenticate': challenge('invalid_request', detail) },
  });
}

/**
 * A token that does not hold (RFC 6750 §3.1, S2, S3).
 *
 * @param cause  what failed, for the log only
 */
export function invalidToken(detail = 'The access token is not valid', cause?: unknown): ProblemError {
  return new ProblemError(problems.invalidToken, detail, {
    headers: { 'WWW-Authenticate': challenge('invalid_token', detail) },
    cause,
  });
}

/** @param description  a quotation mark in it becomes an apostrophe */
export function challenge(error: string, description: string): string {
  return `Bearer error="${error}", error_description="${description.replaceAll(/["\\]/g, "'")}"`;
}
