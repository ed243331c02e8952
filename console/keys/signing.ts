/**
 * One signature per token, and nothing else on that path: the header is encoded once per key
 * and type, the key object is made once, and only what differs between two tokens is serialised.
 */
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import type { TokenAlg, TokenTyp } from '../storage/records.ts';

/** The `typ` header of what is signed here, so that none is taken for another (RFC 8725 §3.11). */
export type JwtTyp = TokenTyp | 'logout+jwt' | 'licence+jwt' | 'doctor+jwt';

export interface SigningKey {
  readonly kid: string;
  readonly alg: TokenAlg;
  readonly publicKey: KeyObject;
  readonly publicJwk: Readonly<Record<string, string>>;
  readonly privateJwk: Readonly<JsonWebKey>;
  /**
   * A compact JWS (RFC 7515 §3.1).
   *
   * @param claims  the JWT claims set
   * @param typ     the `typ` header parameter
   */
  signJwt(claims: object, typ: JwtTyp): Promise<string>;
  /** The same of claims that are JSON text already. */
  signJson(claims: string, typ: JwtTyp): Promise<string>;
}

const digests: Record<TokenAlg, string | null> = { RS256: 'sha256', ES256: 'sha256', EdDSA: null };

/**
 * @param kid         as the key set shows it
 * @param privateJwk  RSA with CRT members, P-256 or Ed25519
 */
export function createSigningKey(kid: string, alg: TokenAlg, privateJwk: JsonWebKey): SigningKey {
  const privateKey = createPrivateKey({ key: privateJwk, format: 'jwk' });
  const publicKey = createPublicKey(privateKey);
  const digest = digests[alg];
  const headerOf = (typ: JwtTyp) => encodeHeader({ alg, typ, kid });
  const headers: Record<JwtTyp, string> = {
    JWT: headerOf('JWT'),
    'at+jwt': headerOf('at+jwt'),
    'logout+jwt': headerOf('logout+jwt'),
    'licence+jwt': headerOf('licence+jwt'),
    'doctor+jwt': headerOf('doctor+jwt'),
  };
  const signingInput = (claims: string, typ: JwtTyp) =>
    `${headers[typ]}.${Buffer.from(claims).toString('base64url')}`;
  const signJson = alg === 'RS256' ? signOnPool : signHere;

  return {
    kid,
    alg,
    publicKey,
    publicJwk: publicMembers(kid, alg, publicKey),
    privateJwk,
    signJwt: (claims, typ) => signJson(JSON.stringify(claims), typ),
    signJson,
  };

  /** RSA takes about 0.7 ms: the thread pool spreads it over the cores and keeps the event loop free. */
  function signOnPool(claims: string, typ: JwtTyp): Promise<string> {
    const input = signingInput(claims, typ);
    return new Promise((resolve, reject) => {
      sign(digest, Buffer.from(input), privateKey, (error, signature) =>
        error ? reject(error) : resolve(`${input}.${signature.toString('base64url')}`),
      );
    });
  }

  /** Elliptic curves take about 0.05 ms, less than handing the work to another thread. */
  async function signHere(claims: string, typ: JwtTyp): Promise<string> {
    const input = signingInput(claims, typ);
    const signature = sign(digest, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  }
}

function encodeHeader(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url');
}

/** Public members only (RFC 7517 §4), with `alg`, which decoders of this ecosystem look for. */
function publicMembers(kid: string, alg: TokenAlg, key: KeyObject): Record<string, string> {
  return { ...(key.export({ format: 'jwk' }) as Record<string, string>), kid, alg, use: 'sig' };
}
