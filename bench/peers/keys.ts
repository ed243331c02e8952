import { generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

const generate = promisify(generateKeyPair);

/** One fresh key per algorithm: RSA with 2048 bits, and P-256. */
export async function newPrivateKeys(): Promise<{ readonly RS256: KeyObject; readonly ES256: KeyObject }> {
  const [rsa, ec] = await Promise.all([
    generate('rsa', { modulusLength: 2048 }),
    generate('ec', { namedCurve: 'P-256' }),
  ]);
  return { RS256: rsa.privateKey, ES256: ec.privateKey };
}

export async function newPrivateJwks(): Promise<(JsonWebKey & { alg: string; use: string; kid: string })[]> {
  const keys = await newPrivateKeys();
  return Object.entries(keys).map(([alg, key]) => ({
    ...key.export({ format: 'jwk' }),
    alg,
    use: 'sig',
    kid: alg,
  }));
}
