/** Proofs of possession as a client makes them (RFC 9449 §4), good ones and spoilt ones. */
import { createHash, randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

export type ProofAlg = 'ES256' | 'EdDSA' | 'RS256' | 'PS256';

export interface ClientKey {
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  /** RFC 7638. */
  readonly thumbprint: string;
}

export async function newClientKey(alg: string = 'ES256', options: object = {}): Promise<ClientKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true, ...options });
  const [publicJwk, privateJwk] = [await exportJWK(publicKey), await exportJWK(privateKey)];
  return { alg, privateKey, publicJwk, privateJwk, thumbprint: await calculateJwkThumbprint(publicJwk) };
}

export interface ProofParts {
  readonly method?: string;
  readonly url: string;
  /** Whose digest goes into `ath`. */
  readonly token?: string | undefined;
  readonly header?: Readonly<Record<string, unknown>>;
  /** A claim set to undefined is left out. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** A proof that passes, unless `parts` spoils it. */
export function makeProof(
  key: ClientKey,
  { method = 'POST', url, token, header = {}, claims = {} }: ProofParts,
): Promise<string> {
  const payload = {
    jti: randomUUID(),
    htm: method,
    htu: url,
    iat: Math.floor(Date.now() / 1000),
    ...(token === undefined ? {} : { ath: digest(token) }),
    ...claims,
  };
  const protectedHeader = { typ: 'dpop+jwt', alg: key.alg, jwk: key.publicJwk, ...header };
  const crit = Object.fromEntries(((header.crit as string[] | undefined) ?? []).map((name) => [name, true]));
  return new SignJWT(payload)
    .setProtectedHeader(protectedHeader as JWTHeaderParameters)
    .sign(key.privateKey, { crit });
}

export function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Parts of a compact JWS that no library would sign. */
export function encodePart(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}
