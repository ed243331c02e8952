/** The credentials of the settings, when a member does not take them: the caller has sent none and cannot mend it. */

import type { Member } from '../members/members.ts';
import type { UpstreamRequest } from './upstream-request.ts';

const everyMs = 60_000;

/**
 * @param log  told once a minute and member, and never the values
 * @param now  monotonic milliseconds
 * @returns what hears each answer to a call into which the credentials were filled
 */
export function createCredentialsMonitor(
  log: { warn(fields: object, message: string): void },
  now: () => number,
): NonNullable<UpstreamRequest['onAnswer']> {
  const saidAt = new WeakMap<Member, number>();

  return ({ status, bodyLength }, member) => {
    // A bare 403 is that of a group that is off (docs/member-surface.md#credentials has the other one).
    if (status !== 403 || bodyLength === 0) return;
    const at = now();
    if (at - (saidAt.get(member) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
    saidAt.set(member, at);
    log.warn(
      { member: new URL(member.address).host, status },
      'the member refuses the credentials that stand in for empty fields: set CONSOLE_MEMBER_USERNAME and ' +
        'CONSOLE_MEMBER_PASSWORD, or its entry in CONSOLE_MEMBER_CREDENTIALS, to what its cluster takes',
    );
  };
}
