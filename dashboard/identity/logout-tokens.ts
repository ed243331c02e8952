/** Logout tokens that the console sends on the back channel (OpenID Connect Back-Channel Logout 1.0 §2.6). */
import { type CheckSigned, UnfitTokenError } from './signed-tokens.ts';

/** Whose sessions are to end; at least one of the two is there. */
export interface LogoutOrder {
  readonly subject: string | undefined;
  readonly sid: string | undefined;
}

/** @throws {UnfitTokenError} | {KeySetError} */
export type CheckLogoutToken = (token: string) => Promise<LogoutOrder>;

export interface CheckLogoutTokenDeps {
  readonly checkSigned: CheckSigned;
  readonly clientId: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const event = 'http://schemas.openid.net/event/backchannel-logout';
/** A logout token is fresh, or it is somebody's old copy. */
const maxAgeSeconds = 300;
const clockSkewSeconds = 30;
/** More ids than this are not remembered; the oldest go first. */
const maxRemembered = 10_000;

export function createCheckLogoutToken({
  checkSigned,
  clientId,
  now,
}: CheckLogoutTokenDeps): CheckLogoutToken {
  /** `jti` to the epoch seconds at which its token is too old anyway. */
  const seen = new Map<string, number>();

  return async (token) => {
    const claims = await checkSigned(token, {
      audience: clientId,
      types: ['logout+jwt', 'JWT'],
      requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti', 'events'],
      foreignClaims: ['nonce'],
    });
    const { iat, jti, sub, sid, events } = claims;
    const seconds = now() / 1000;
    if (!isLogoutEvent(events)) throw new UnfitTokenError('it is not about a logout');
    if (typeof jti !== 'string' || jti === '') throw new UnfitTokenError('its claim jti is not right');
    if (Number(iat) < seconds - maxAgeSeconds || Number(iat) > seconds + clockSkewSeconds) {
      throw new UnfitTokenError('it was not issued just now');
    }
    if (!isFilled(sub) && !isFilled(sid))
      throw new UnfitTokenError('it names neither a subject nor a session');
    remember(jti, Number(iat) + maxAgeSeconds, seconds);
    return { subject: isFilled(sub) ? sub : undefined, sid: isFilled(sid) ? sid : undefined };
  };

  function remember(jti: string, until: number, seconds: number): void {
    if (seen.has(jti)) throw new UnfitTokenError('it was sent before');
    seen.set(jti, until);
    for (const [old, end] of seen) {
      if (end >= seconds && seen.size <= maxRemembered) break;
      seen.delete(old);
    }
  }
}

function isLogoutEvent(events: unknown): boolean {
  if (typeof events !== 'object' || events === null || !(event in events)) return false;
  const member = (events as Record<string, unknown>)[event];
  return typeof member === 'object' && member !== null && !Array.isArray(member);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
