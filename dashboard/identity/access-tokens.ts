/** Access tokens as this application takes them, its own people's and those that machines send (docs/surface.md#access-tokens). */
import type { CheckSigned } from './signed-tokens.ts';

/** Whom an access token speaks for. */
export interface Caller {
  readonly subject: string;
  readonly clientId: string;
  readonly username: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  /** Epoch seconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** @throws {InvalidTokenError} | {KeySetError} */
export type CheckAccessToken = (token: string) => Promise<Caller>;

/** Both header types: RFC 9068, and the one that the resource servers of this ecosystem expect. */
const types = ['JWT', 'at+jwt'];
const requiredClaims = ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope'];
/**
 * Only ID tokens and logout tokens have these (S3); and `cnf` binds a token to a key, of which nothing is
 * asked here, so that whoever holds it could use it (RFC 9449 §7.2).
 */
const foreignClaims = ['nonce', 'at_hash', 'c_hash', 'events', 'cnf'];

export function createCheckAccessToken(checkSigned: CheckSigned, audience: string): CheckAccessToken {
  return async (token) => {
    const claims = await checkSigned(token, { audience, types, requiredClaims, foreignClaims });
    const { sub, client_id: clientId, scope, roles, preferred_username: username, iat, exp } = claims;
    return {
      subject: String(sub),
      clientId: String(clientId),
      username: typeof username === 'string' ? username : String(sub),
      roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [],
      scopes: String(scope).split(' ').filter(Boolean),
      issuedAt: Number(iat),
      expiresAt: Number(exp),
    };
  };
}
