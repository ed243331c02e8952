/** The key that a proof brings along, and the rest of its header (RFC 9449 §4.2). */
import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { type ProofAlgorithm, proofAlgorithm, proofAlgs, rsaBits } from './algorithms.ts';
import { invalidProof } from './errors.ts';

export interface ProofKey {
  /** SHA-256 thumbprint, base64url (RFC 7638): what tokens are bound to. */
  readonly thumbprint: string;
  readonly hasSigned: (data: string, signature: Buffer) => boolean;
}

/** Members that a public key has not (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * @param header  the first part of the proof, parsed
 * @throws {ProblemError} `invalid_dpop_proof`
 */
export function readProofKey(header: Readonly<Record<string, unknown>>): ProofKey {
  if (header.typ !== 'dpop+jwt') throw invalidProof('The typ of the DPoP proof is not dpop+jwt');
  if (header.crit !== undefined)
    throw invalidProof('The DPoP proof has a crit header, and none is understood');
  const algorithm = proofAlgorithm(header.alg);
  if (algorithm === undefined) {
    throw invalidProof(`The alg of the DPoP proof is not one of ${proofAlgs.join(', ')}`);
  }
  const jwk = readPublicJwk(header.jwk, algorithm);
  const key = importKey(jwk, algorithm);
  return {
    thumbprint: thumbprintOf(jwk),
    hasSigned: (data, signature) =>
      verify(algorithm.hash, Buffer.from(data, 'latin1'), { key, ...algorithm.form }, signature),
  };
}

/** @returns the members that count, and no others */
function readPublicJwk(jwk: unknown, { members, fixed }: ProofAlgorithm): Record<string, string> {
  if (typeof jwk !== 'object' || jwk === null) throw invalidProof('The DPoP proof has no jwk in its header');
  const given = jwk as Record<string, unknown>;
  if (privateMembers.some((name) => given[name] !== undefined)) {
    throw invalidProof(
      'The jwk of the DPoP proof is not a public key: replace that key, it has been disclosed',
    );
  }
  const read: Record<string, string> = {};
  for (const name of members) {
    const value = given[name];
    if (typeof value !== 'string' || (fixed[name] ?? value) !== value) {
      throw invalidProof(`The ${name} of the jwk of the DPoP proof does not fit its alg`);
    }
    read[name] = value;
  }
  return read;
}

function importKey(jwk: Record<string, string>, { members }: ProofAlgorithm): KeyObject {
  const key = createKey(jwk);
  const { modulusLength } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined && (modulusLength < rsaBits.min || modulusLength > rsaBits.max)) {
    throw invalidProof(`An RSA key of a DPoP proof has ${rsaBits.min} to ${rsaBits.max} bits`);
  }
  // One key, one spelling, one thumbprint.
  const exported = key.export({ format: 'jwk' }) as Record<string, unknown>;
  if (members.some((name) => exported[name] !== jwk[name])) {
    throw invalidProof('The jwk of the DPoP proof is not in its plain form');
  }
  return key;
}

function createKey(jwk: Record<string, string>): KeyObject {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch (cause) {
    throw invalidProof('The jwk of the DPoP proof is not a key', cause);
  }
}

/** @param jwk  its members are in the order of RFC 7638 §3.3 already */
function thumbprintOf(jwk: Record<string, string>): string {
  return createHash('sha256').update(JSON.stringify(jwk)).digest('base64url');
}
