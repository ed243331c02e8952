/** Logout tokens that the console sends on the back channel (OpenID Connect Back-Channel Logout 1.0 §2.6). */
import { createCheckFresh } from './freshness.ts';
import { type CheckSigned, InvalidTokenError } from './signed-tokens.ts';

/** Whose sessions are to end; at least one of the two is there. */
export interface LogoutOrder {
  readonly subject: string | undefined;
  readonly sid: string | undefined;
}

/** @throws {InvalidTokenError} | {KeySetError} */
export type CheckLogoutToken = (token: string) => Promise<LogoutOrder>;

export interface CheckLogoutTokenDeps {
  readonly checkSigned: CheckSigned;
  readonly clientId: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const event = 'http://schemas.openid.net/event/backchannel-logout';

export function createCheckLogoutToken({
  checkSigned,
  clientId,
  now,
}: CheckLogoutTokenDeps): CheckLogoutToken {
  const checkFresh = createCheckFresh({ now });

  return async (token) => {
    const claims = await checkSigned(token, {
      audience: clientId,
      types: ['logout+jwt', 'JWT'],
      requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'events'],
      foreignClaims: ['nonce'],
    });
    const { sub, sid, events } = claims;
    if (!isLogoutEvent(events)) throw new InvalidTokenError('it is not about a logout');
    if (!isFilled(sub) && !isFilled(sid))
      throw new InvalidTokenError('it names neither a subject nor a session');
    checkFresh(claims);
    return { subject: isFilled(sub) ? sub : undefined, sid: isFilled(sid) ? sid : undefined };
  };
}

function isLogoutEvent(events: unknown): boolean {
  if (typeof events !== 'object' || events === null || !(event in events)) return false;
  const member = (events as Record<string, unknown>)[event];
  return typeof member === 'object' && member !== null && !Array.isArray(member);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
