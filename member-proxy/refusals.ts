import { ProblemError, problems } from '../console/errors.ts';
import type { Member } from './members.ts';
import { type EndpointGroup, endpointGroups } from './rule-table.ts';

/**
 * The refusals that carry a challenge (RFC 6750 §3): what a bearer call lacks, told so that a
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

/** The token was good when the call began; what the member may still answer goes nowhere. */
export function revokedWhileWaiting(): ProblemError {
  return invalidToken('The access token was revoked while the call was under way');
}

/** The member's whole answer would be to hang up (docs/member-surface.md#routing), or a bare 403. */
export function groupDisabled(group: EndpointGroup, { address, offGroups }: Member): ProblemError {
  const { host } = new URL(address);
  const key = `network.rest-api.endpoint-groups.${group}.enabled: true`;
  const isRestOff = offGroups.size === endpointGroups.length;
  return new ProblemError(
    problems.groupDisabled,
    isRestOff
      ? `REST is off at the member ${host}. Set network.rest-api.enabled: true and ${key} in its configuration and restart it`
      : `The endpoint group ${group} is off at the member ${host}. Set ${key} in its configuration and restart it`,
  );
}

/** @param scope  the scope that would open the call (RFC 6750 §3.1, S60) */
export function insufficientScope(scope: string): ProblemError {
  const detail = `This call needs the scope ${scope} or a role that includes it`;
  return new ProblemError(problems.insufficientScope, detail, {
    headers: { 'WWW-Authenticate': `${challenge('insufficient_scope', detail)}, scope="${scope}"` },
  });
}

/** @param description  a quotation mark in it becomes an apostrophe */
export function challenge(error: string, description: string): string {
  return `Bearer error="${error}", error_description="${description.replaceAll(/["\\]/g, "'")}"`;
}
