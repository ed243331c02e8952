/** Claims of a right logout token (OpenID Connect Back-Channel Logout 1.0 §2.4), to be bent. */
import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { clientId } from './crafted-provider.ts';

/** @param changes  `undefined` takes a claim away */
export function logoutClaims(issuer: string, changes: Readonly<Record<string, unknown>> = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    aud: clientId,
    iat: now,
    exp: now + 120,
    jti: randomUUID(),
    sub: 'ada',
    sid: 'session-7',
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    ...changes,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
