/** The signatures that a proof may have: asymmetric ones only, each tied to one kind of key (RFC 9449 §4.3, RFC 8725 §3.1). */
import { constants, type SignKeyObjectInput } from 'node:crypto';

export interface ProofAlgorithm {
  /** Members of the public JWK that make up its thumbprint, in order (RFC 7638 §3.2). */
  readonly members: readonly string[];
  /** What those members must be, where only one value is taken. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Absent where the algorithm has its own. */
  readonly hash?: 'sha256';
  /** How node:crypto has to read the signature. */
  readonly form: Omit<SignKeyObjectInput, 'key'>;
}

const p256 = { members: ['crv', 'kty', 'x', 'y'], fixed: { kty: 'EC', crv: 'P-256' } };
const ed25519 = { members: ['crv', 'kty', 'x'], fixed: { kty: 'OKP', crv: 'Ed25519' } };
/** A large exponent would make each check as dear as a signature. */
const rsa = { members: ['e', 'kty', 'n'], fixed: { kty: 'RSA', e: 'AQAB' } };

const algorithms = {
  ES256: { ...p256, hash: 'sha256', form: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { ...ed25519, form: {} },
  // The same by its newer, fully specified name (RFC 9864).
  Ed25519: { ...ed25519, form: {} },
  RS256: { ...rsa, hash: 'sha256', form: { padding: constants.RSA_PKCS1_PADDING } },
  PS256: { ...rsa, hash: 'sha256', form: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } },
} satisfies Record<string, ProofAlgorithm>;

/** Bits of an RSA modulus: shorter is too weak, longer too dear to check on every call. */
export const rsaBits = { min: 2048, max: 4096 } as const;

export type ProofAlg = keyof typeof algorithms;
export const proofAlgs = Object.keys(algorithms) as readonly ProofAlg[];

/** @returns nothing for a name that is not on the list, such as `none` and every HMAC */
export function proofAlgorithm(alg: unknown): ProofAlgorithm | undefined {
  return typeof alg === 'string' && Object.hasOwn(algorithms, alg) ? algorithms[alg as ProofAlg] : undefined;
}
