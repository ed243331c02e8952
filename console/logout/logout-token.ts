/** Tells an application that a session has ended (OpenID Connect Back-Channel Logout 1.0 §2.4). */

import type { Keys } from '../keys/keys.ts';
import type { ClientRecord } from '../storage/records.ts';

export interface LogoutTokenDeps {
  readonly issuer: string;
  readonly keys: Pick<Keys, 'signing'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Whose session has ended, and which. */
export interface EndedSession {
  /** The subject (`sub`), as in the application's ID tokens. */
  readonly sub: string;
  /** The `sid` that the application's ID tokens carry, when it is known. */
  readonly sid: string | undefined;
  /** Of the token: it is used once, but by whoever makes the same try again. */
  readonly jti: string;
}

/** A logout token for one application, for one try. */
export type SignLogoutToken = (
  client: Pick<ClientRecord, 'id' | 'tokenAlg'>,
  session: EndedSession,
) => Promise<string>;

/** Back-Channel Logout 1.0 §2.4 recommends two minutes at most. */
const logoutTokenSeconds = 120;
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} } as const;

export function createLogoutToken({ issuer, keys, now }: LogoutTokenDeps): SignLogoutToken {
  return (client, { sub, sid, jti }) => {
    const iat = Math.floor(now() / 1000);
    // Never a nonce, so that nobody takes it for an ID token.
    const claims = {
      iss: issuer,
      aud: client.id,
      iat,
      exp: iat + logoutTokenSeconds,
      jti,
      events,
      sub,
      ...(sid === undefined ? {} : { sid }),
    };
    return keys.signing(client.tokenAlg).signJwt(claims, 'logout+jwt');
  };
}
