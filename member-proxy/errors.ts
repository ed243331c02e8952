import { challenge, invalidToken } from '../access-tokens/bearer-errors.ts';
import { type EndpointGroup, endpointGroups, groupDisabled } from '../platform/endpoint-groups.ts';
import { ProblemError, problems } from '../platform/errors.ts';
import type { Member } from './members/members.ts';

/** The token was good when the call began; what the member may still answer goes nowhere. */
export function revokedWhileWaiting(): ProblemError {
  return invalidToken('The access token was revoked while the call was in flight');
}

/** The member's whole answer would be to hang up (docs/member-surface.md#routing), or a bare 403. */
export function groupDisabledAt(group: EndpointGroup, { address, offGroups }: Member): ProblemError {
  return groupDisabled(group, new URL(address).host, offGroups.size === endpointGroups.length);
}

/** @param scope  the scope that would open the call (RFC 6750 §3.1, S60) */
export function insufficientScope(scope: string): ProblemError {
  const detail = `This call needs the scope ${scope} or a role that includes it`;
  return new ProblemError(problems.insufficientScope, detail, {
    headers: { 'WWW-Authenticate': `${challenge('insufficient_scope', detail)}, scope="${scope}"` },
  });
}
