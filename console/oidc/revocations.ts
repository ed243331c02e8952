/**
 * Signed access tokens that must not work any more although their time has not come: revoked one by
 * one (RFC 7009), or void because their subject or client was changed. Asked on every call, so it
 * answers from memory.
 */
import type { ArtifactStore } from '../storage/storage.ts';

export interface TokenFacts {
  readonly jti: string;
  readonly sub: string;
  readonly clientId: string;
  /** Epoch seconds. */
  readonly iat: number;
}

export interface Revocations {
  /** Reads what earlier runs have revoked. Call once before use. */
  load(): Promise<void>;
  /**
   * @param jti        of one token, or what stands before the dot in the `jti` of every token of a grant
   * @param expiresAt  epoch seconds; afterwards the token is refused for its age anyway
   */
  revoke(jti: string, expiresAt: number): Promise<void>;
  isRevoked(token: TokenFacts): boolean;
}

export interface RevocationsDeps {
  readonly artifacts: ArtifactStore;
  readonly isAccountLive: (accountId: string, issuedAt: number) => boolean;
  readonly isClientLive: (clientId: string, issuedAt: number) => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const kind = 'Revocation';
const mostAtStart = 1_000_000;

export function createRevocations(deps: RevocationsDeps): Revocations {
  const { artifacts, isAccountLive, isClientLive, now } = deps;
  const revoked = new Map<string, number>();

  return {
    async load() {
      for (const { artifact } of await artifacts.list(kind, mostAtStart)) {
        revoked.set(String(artifact.payload.jti), artifact.expiresAt ?? Infinity);
      }
    },
    async revoke(jti, expiresAt) {
      await artifacts.put(kind, jti, { payload: { jti }, expiresAt });
      revoked.set(jti, expiresAt);
      forgetExpired();
    },
    isRevoked({ jti, sub, clientId, iat }) {
      if (revoked.size > 0 && (revoked.has(jti) || revoked.has(jti.slice(0, jti.indexOf('.'))))) return true;
      if (!isClientLive(clientId, iat)) return true;
      return sub !== clientId && !isAccountLive(sub, iat);
    },
  };

  /** Insertion is nearly in order of expiry, so the oldest few are enough to keep the map small. */
  function forgetExpired(): void {
    const seconds = now() / 1000;
    let looked = 0;
    for (const [jti, expiresAt] of revoked) {
      if (looked++ > 16) return;
      if (expiresAt < seconds) revoked.delete(jti);
    }
  }
}
