import { invalidToken } from './refusals.ts';
import {
  type Caller,
  expiredToken,
  type TokenIdentity,
  type VerifiedToken,
  type VerifyDeps,
  verifyToken,
} from './verify-token.ts';

export type { Caller };

export interface BearerDeps extends VerifyDeps {
  /** Asked on every call, remembered or not; a lookup in memory. */
  readonly isRevoked: (token: TokenIdentity) => boolean;
  /** Most tokens remembered at once; the oldest give way. */
  readonly maxRemembered?: number;
}

export interface BearerCheck {
  /**
   * Checks an access token (RFC 9068 §4, RFC 8725 §3, S1 to S3).
   *
   * @param token  the credentials behind `Bearer `, as received
   * @returns the caller, at once when the token is remembered
   * @throws {ProblemError} `invalid_token`; thrown or rejected with
   */
  check(token: string): Caller | Promise<Caller>;
  /** Whether a caller that has passed would still pass; false once the token is revoked. */
  isStillGood(caller: Caller): boolean;
}

/**
 * Checks access tokens against the issuer's own keys. A signature costs more than all the rest of
 * a call, so a verified token is remembered until it expires, is revoked, or its key is withdrawn.
 */
export function createBearerCheck(deps: BearerDeps): BearerCheck {
  const { findKey, isRevoked, now, maxRemembered = 10_000 } = deps;
  const remembered = new Map<string, VerifiedToken>();
  const identities = new WeakMap<Caller, VerifiedToken['identity']>();

  return {
    check(token) {
      const known = remembered.get(token);
      if (known !== undefined && findKey(known.keyName) === known.key) {
        return acceptKnown(token, known);
      }
      remembered.delete(token);
      return verifyAndRemember(token);
    },
    isStillGood(caller) {
      const identity = identities.get(caller);
      return identity !== undefined && !isRevoked(identity);
    },
  };

  function acceptKnown(token: string, known: VerifiedToken): Caller {
    if (known.caller.expiresAt * 1000 <= now()) {
      remembered.delete(token);
      throw expiredToken();
    }
    if (isRevoked(known.identity)) {
      throw invalidToken();
    }
    return known.caller;
  }

  async function verifyAndRemember(token: string): Promise<Caller> {
    const verified = await verifyToken(token, deps);
    if (isRevoked(verified.identity)) {
      throw invalidToken();
    }
    if (remembered.size >= maxRemembered) {
      makeRoom();
    }
    remembered.set(token, verified);
    identities.set(verified.caller, verified.identity);
    return verified.caller;
  }

  /** Drops what has expired, or else the oldest tenth, so that a full map is not walked for every new token. */
  function makeRoom(): void {
    const time = now();
    for (const [token, { caller }] of remembered) {
      if (caller.expiresAt * 1000 <= time) {
        remembered.delete(token);
      }
    }
    const tooMany = remembered.size - Math.floor(maxRemembered * 0.9);
    let dropped = 0;
    for (const token of remembered.keys()) {
      if (dropped >= tooMany) {
        return;
      }
      remembered.delete(token);
      dropped += 1;
    }
  }
}
