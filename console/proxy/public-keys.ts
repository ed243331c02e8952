/** Public keys of a key set, checked before anything is verified with them (RFC 7517, S3). */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { PublicJwk } from './messages.ts';

export interface VerificationKey {
  readonly kid: string;
  readonly alg: string;
  readonly key: KeyObject;
  /** What it was made of, to tell whether it is still the same. */
  readonly source: string;
}

/** What a key of each algorithm is. */
const kinds: Readonly<Record<string, (key: KeyObject, jwk: PublicJwk) => boolean>> = {
  RS256: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
    asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048,
  ES256: ({ asymmetricKeyType }, { crv }) => asymmetricKeyType === 'ec' && crv === 'P-256',
  EdDSA: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519',
};
const mostKeys = 100;

/**
 * @param content  of a JWK set, parsed
 * @returns its keys as they are; undefined when it is none
 */
export function keysOfSet(content: unknown): readonly PublicJwk[] | undefined {
  const { keys } = (typeof content === 'object' && content !== null ? content : {}) as { keys?: unknown };
  if (!Array.isArray(keys) || keys.length > mostKeys) return undefined;
  return keys.filter((jwk): jwk is PublicJwk => typeof jwk === 'object' && jwk !== null);
}

/** @returns undefined for a key that is not one to verify tokens with: weak, secret, or of a kind unknown here */
export function readVerificationKey(jwk: PublicJwk): VerificationKey | undefined {
  const { kid, alg, use = 'sig', kty, d } = jwk;
  if (typeof kid !== 'string' || typeof alg !== 'string' || !Object.hasOwn(kinds, alg)) return undefined;
  if (use !== 'sig' || kty === 'oct' || d !== undefined) return undefined;
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    return kinds[alg]!(key, jwk) ? { kid, alg, key, source: JSON.stringify(jwk) } : undefined;
  } catch {
    return undefined;
  }
}
