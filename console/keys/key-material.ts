/** Makes key pairs, and tells which ones may sign here (S4). */
import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import type { TokenAlg } from '../storage/records.ts';

/** A key of the store must not sign: too short, of another kind, or one that everybody knows. */
export class InvalidKeyError extends Error {
  override readonly name = 'InvalidKeyError';
}

const rsaBits = 2048;
const makePair = promisify(generateKeyPair);

export async function newPrivateJwk(alg: TokenAlg): Promise<JsonWebKey> {
  const { privateKey } = await newPair(alg);
  return privateKey.export({ format: 'jwk' });
}

function newPair(alg: TokenAlg) {
  if (alg === 'RS256') return makePair('rsa', { modulusLength: rsaBits });
  return alg === 'ES256' ? makePair('ec', { namedCurve: 'P-256' }) : makePair('ed25519');
}

/**
 * A private key as the store keeps it.
 *
 * @param kid   for the message
 * @param text  private JWK, in plaintext
 * @throws {InvalidKeyError} which says what to do about it
 */
export function readPrivateJwk(kid: string, alg: TokenAlg, text: string): JsonWebKey {
  try {
    const jwk = JSON.parse(text) as JsonWebKey;
    const fault = faultOf(alg, jwk);
    if (fault !== undefined) throw new InvalidKeyError(advise(kid, fault));
    return jwk;
  } catch (cause) {
    if (cause instanceof InvalidKeyError) throw cause;
    throw new InvalidKeyError(advise(kid, 'cannot be read'), { cause });
  }
}

function advise(kid: string, fault: string): string {
  return `Signing key ${kid} of the store ${fault}. Restore a backup, or take the key out of the store: a new one is made at the next start.`;
}

function faultOf(alg: TokenAlg, jwk: JsonWebKey): string | undefined {
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if ((jwk.crv ?? jwk.kty) !== kinds[alg]) return `is not a key for ${alg}`;
  if (alg === 'RS256' && modulusLength < rsaBits) return `has ${modulusLength} bits, fewer than ${rsaBits}`;
  // Exported anew, for a value has one spelling then.
  if (samples.has(thumbprint(createPublicKey(key).export({ format: 'jwk' }))))
    return 'is a sample, whose private part everybody knows';
  return undefined;
}

const kinds: Readonly<Record<TokenAlg, string>> = { RS256: 'RSA', ES256: 'P-256', EdDSA: 'Ed25519' };

/** RFC 7638 §3. */
function thumbprint({ crv, e, kty, n, x, y }: JsonWebKey): string {
  const required = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y };
  return createHash('sha256').update(JSON.stringify(required)).digest('base64url');
}

/** Thumbprints of key pairs whose private part is printed in a specification or comes with a tool. */
const samples: ReadonlySet<string> = new Set([
  'r1LkbBo3925Rb2ZFFrKyU3MVex9T2817Kx0vbi6i_Kc', // oidc-provider, development key
  'IsUn6_e04MaShXFIISMp4kG62LWzMIPy_MvSA5pJgX8', // RFC 7515 §A.2
  'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U', // RFC 7515 §A.3
  'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s', // RFC 7517 §A.2, P-256
  'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs', // RFC 7517 §A.2, RSA
  'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', // RFC 8037 §A
  'oGDmHqCJ7yzMkWEkrlZVHkvrHIyQwtlDmeq5ForUHeY', // jwt.io, RS256
  '19J8y7Zprt2-QKLjF2I5pVk0OELX6cY2AfaAv1LC_w8', // jwt.io, ES256
]);
