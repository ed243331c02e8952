/** Who calls, and whether the token that he brings still holds: the check behind every address that takes access tokens. */
import { ProblemError } from '../platform/errors.ts';
import { invalidToken } from './bearer-errors.ts';
import { boundToKey, boundToNoKey, boundToOtherKey, withDpopChallenge } from './dpop/errors.ts';
import type { ProofCheck, ProvenRequest } from './dpop/proof.ts';
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
  /** Checks proofs of possession; without it no token is taken that comes with one. */
  readonly proofs?: ProofCheck;
  /** Most tokens remembered at once; the oldest give way. */
  readonly maxRemembered?: number;
}

export type BearerCheck = ReturnType<typeof createBearerCheck>;

/**
 * Checks access tokens against the issuer's own keys. A signature costs more than all the rest of
 * a call, so a verified token is remembered until it expires, is revoked, or its key is withdrawn.
 */
export function createBearerCheck(deps: BearerDeps) {
  const { findKey, isRevoked, now, proofs, maxRemembered = 10_000 } = deps;
  const remembered = new Map<string, VerifiedToken>();
  const identities = new WeakMap<Caller, VerifiedToken['identity']>();

  return {
    /**
     * Checks an access token (RFC 9068 §4, RFC 8725 §3, S1 to S3) in the way that it was presented: one that
     * is bound to a key passes with a proof of that key only, and one that is not without (RFC 9449 §7.1).
     *
     * @param token     the credentials behind `Bearer ` or `DPoP `, as received
     * @param provenBy  behind `DPoP `: the request, with its proof
     * @returns the caller, at once when the token is remembered
     * @throws {ProblemError} `invalid_token`, `invalid_dpop_proof`, `too_many_requests`, `busy`; thrown or
     *   rejected with
     */
    check(token: string, provenBy?: ProvenRequest): Caller | Promise<Caller> {
      if (provenBy !== undefined) {
        return checkProven(token, provenBy);
      }
      const caller = inspect(token);
      return caller instanceof Promise ? caller.then(rejectBound) : rejectBound(caller);
    },
    /**
     * The same for a token that somebody asks about instead of presenting it: whether it is bound does not matter.
     *
     * @throws {ProblemError} `invalid_token`; thrown or rejected with
     */
    inspect,
    /**
     * Whether a caller that has passed would still pass; false once the token is revoked.
     *
     * @throws {ProblemError} when that is not known now
     */
    isStillGood,
  };

  function isStillGood(caller: Caller): boolean {
    const identity = identities.get(caller);
    return identity !== undefined && !isRevoked(identity);
  }

  function inspect(token: string): Caller | Promise<Caller> {
    const known = remembered.get(token);
    if (known !== undefined && findKey(known.keyName) === known.key) {
      return acceptKnown(token, known);
    }
    remembered.delete(token);
    return verifyAndRemember(token);
  }

  /** The token first: its check is remembered, that of a proof cannot be. */
  async function checkProven(token: string, request: ProvenRequest): Promise<Caller> {
    try {
      if (proofs === undefined) {
        throw invalidToken('No DPoP proofs are taken here');
      }
      const caller = await inspect(token);
      if (caller.keyThumbprint === undefined) {
        throw boundToNoKey();
      }
      const proof = proofs.verify(request, token);
      if (proof.thumbprint !== caller.keyThumbprint) {
        throw boundToOtherKey();
      }
      await proofs.useOnce(proof, caller.subject);
      // The answer may come from another process, and what ended meanwhile is not let through (S34).
      if (!isStillGood(caller)) throw invalidToken();
      return caller;
    } catch (error) {
      throw error instanceof ProblemError ? withDpopChallenge(error) : error;
    }
  }

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

/** A token that is bound to a key is no bearer token, whoever sends it (RFC 9449 §7.2). */
function rejectBound(caller: Caller): Caller {
  if (caller.keyThumbprint !== undefined) {
    throw boundToKey();
  }
  return caller;
}
