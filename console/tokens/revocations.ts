/**
 * Signed access tokens that must not work any more although their time has not come: revoked one by
 * one (RFC 7009), or void because their subject or client was changed. Asked on every call, so it
 * answers from memory and reads no record.
 */
import type { ArtifactStore } from '../storage/storage.ts';
import { jtiPrefix } from './grant-jti-prefix.ts';
import type { Voids } from './voids/voids.ts';

export interface TokenFacts {
  readonly jti: string;
  readonly sub: string;
  readonly clientId: string;
  /** Epoch seconds. */
  readonly iat: number;
}

/** See {@link Revocations.revoke}. */
export type Revoked = readonly [jti: string, expiresAt: number];

export type Revocations = ReturnType<typeof createRevocations>;

export interface RevocationsDeps {
  readonly artifacts: ArtifactStore;
  readonly voids: Voids;
  /** Whether it was a client of settings that imply it no longer: they have no record. */
  readonly isClientUnset: (clientId: string) => boolean;
  /** The longest life of an access token. */
  readonly accessTokenSeconds: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const kind = 'Revocation';
const mostAtStart = 1_000_000;

export function createRevocations(deps: RevocationsDeps) {
  const { artifacts, voids, isClientUnset, accessTokenSeconds, now } = deps;
  const revoked = new Map<string, number>();
  const listeners = new Set<(revoked: readonly Revoked[]) => void>();
  let unfollow = () => {};

  return {
    /** Reads what earlier runs have revoked, and follows what other processes revoke from then on. Call once before use. */
    async load() {
      await voids.load();
      unfollow = artifacts.onPut(kind, ({ payload }) => add([[String(payload.jti), Number(payload.until)]]));
      for (const { artifact } of await artifacts.list(kind, mostAtStart)) {
        revoked.set(String(artifact.payload.jti), artifact.expiresAt ?? Infinity);
      }
    },
    /**
     * @param jti        of one token, or what stands before the dot in the `jti` of every token of a grant
     * @param expiresAt  epoch seconds; afterwards the token is refused for its age anyway
     */
    revoke,
    /** Revokes every access token under a grant; they are signed and not looked up, so none is known by its `jti`. */
    revokeGrant: (grantId: string) =>
      revoke(jtiPrefix(grantId), Math.ceil(now() / 1000) + accessTokenSeconds),
    /** Whoever has lost something that could be in use still. */
    voids: voids.standing,
    countVoids: voids.counts,
    onVoided: voids.onVoided,
    /** Everything that is revoked and has not expired. */
    *all(): Iterable<Revoked> {
      const seconds = now() / 1000;
      for (const entry of revoked) if (entry[1] >= seconds) yield entry;
    },
    /** Tells what is revoked that was not before. @returns a function that ends the subscription */
    onRevoked(listener: (revoked: readonly Revoked[]) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Ends the following. */
    close() {
      voids.close();
      unfollow();
    },
    isRevoked({ jti, sub, clientId, iat }: TokenFacts): boolean {
      if (revoked.size > 0 && (revoked.has(jti) || revoked.has(jti.slice(0, jti.indexOf('.'))))) return true;
      return isClientUnset(clientId) || voids.isVoid(clientId, sub, iat);
    },
  };

  /** Whoever follows, this process too, learns of it before it resolves. */
  async function revoke(jti: string, expiresAt: number): Promise<void> {
    await artifacts.put(kind, jti, { payload: { jti, until: expiresAt }, expiresAt });
  }

  function add(entries: readonly Revoked[]): void {
    if (entries.length === 0) return;
    for (const [jti, expiresAt] of entries) revoked.set(jti, expiresAt);
    forgetExpired();
    for (const listener of listeners) listener(entries);
  }

  /** Insertion is nearly in order of expiry, so the oldest few are enough to keep the map small. */
  function forgetExpired(): void {
    const seconds = now() / 1000;
    let checked = 0;
    for (const [jti, expiresAt] of revoked) {
      if (checked++ > 16) return;
      if (expiresAt < seconds) revoked.delete(jti);
    }
  }
}
