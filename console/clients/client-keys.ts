/** Public keys by which a client proves who it is (RFC 7523 §3, `private_key_jwt`), as an administrator gives them. */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { ClientKey, ClientKeys } from '../storage/records.ts';
import { invalid } from './registration-errors.ts';

const mostKeys = 5;
const longestKeyId = 128;
const rsaBits = { min: 2048, max: 4096 } as const;
/** Members of a private or a secret key (RFC 7518 §6). */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
/** By key type and curve, the algorithms of assertions that it may sign. */
export const assertionAlgs = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const;
const algsOf: Readonly<Record<string, readonly string[]>> = {
  RSA: ['RS256', 'PS256'],
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  Ed25519: ['EdDSA', 'Ed25519'],
};

/**
 * What is kept of a JWK Set (RFC 7517 §5): of each key what verifies, and its id.
 *
 * @throws {ProblemError} `invalid_request` for one that is private, too weak, of another kind or use, or there twice
 */
export function checkKeys({ keys }: { readonly keys: readonly unknown[] }): ClientKeys {
  if (keys.length === 0 || keys.length > mostKeys)
    throw invalid(`A client has 1 to ${mostKeys} public keys.`, '/jwks/keys');
  const checked = keys.map(checkKey);
  const ids = checked.flatMap(({ kid }) => (kid === undefined ? [] : [kid]));
  if (new Set(ids).size < ids.length) throw invalid('Two keys have the same kid.', '/jwks/keys');
  return { keys: checked };
}

function checkKey(given: unknown, i: number): ClientKey {
  const pointer = `/jwks/keys/${i}`;
  if (typeof given !== 'object' || given === null) throw invalid('A key is a JSON object.', pointer);
  const jwk = given as Readonly<Record<string, unknown>>;
  if (privateMembers.some((member) => jwk[member] !== undefined))
    throw invalid('This is a private key: give its public half alone, and replace it.', pointer);
  const kind = jwk.kty === 'RSA' ? 'RSA' : `${jwk.crv}`;
  const algs = algsOf[kind];
  if (!algs) throw invalid('A key is RSA, or on P-256, P-384 or Ed25519.', pointer);
  if (jwk.use !== undefined && jwk.use !== 'sig') throw invalid('The use of a key is sig.', `${pointer}/use`);
  const alg = optionalText(jwk.alg, `${pointer}/alg`);
  if (alg !== undefined && !algs.includes(alg))
    throw invalid(`The alg of this key is ${algs.join(' or ')}.`, `${pointer}/alg`);
  const kid = optionalText(jwk.kid, `${pointer}/kid`);
  if (kid !== undefined && (kid === '' || kid.length > longestKeyId))
    throw invalid(`A kid has 1 to ${longestKeyId} characters.`, `${pointer}/kid`);
  return { ...readKey(jwk, pointer), ...(kid !== undefined && { kid }), ...(alg !== undefined && { alg }) };
}

/** Written anew, so that nothing else that came with it is kept. */
function readKey(jwk: Readonly<Record<string, unknown>>, pointer: string): ClientKey {
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    const isFit = bits === undefined || (bits >= rsaBits.min && bits <= rsaBits.max);
    if (isFit) return key.export({ format: 'jwk' }) as ClientKey;
  } catch {
    throw invalid('This is no public key in JWK form (RFC 7517).', pointer);
  }
  throw invalid(`An RSA key has ${rsaBits.min} to ${rsaBits.max} bits.`, pointer);
}

function optionalText(value: unknown, pointer: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw invalid('It is a text.', pointer);
}

/** Whether all keys of before are still there: who had one of the others proves nothing by it any more. */
export function hasAllKeys(before: ClientKeys | undefined, after: ClientKeys | undefined): boolean {
  const material = ({ kty, n, e, crv, x, y }: ClientKey) => JSON.stringify([kty, n, e, crv, x, y]);
  const there = new Set(after?.keys.map(material));
  return (before?.keys ?? []).every((key) => there.has(material(key)));
}
