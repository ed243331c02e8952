import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import type { KeyName } from '../../access-tokens/verify-token.ts';

export const issuer = 'http://console.test:8080';
export const audience = 'urn:cluster-console:member';

export type Alg = 'RS256' | 'ES256' | 'EdDSA';

/** A signing key as the console would hold it, and the look-up of its public half. */
export interface TestKey {
  readonly alg: Alg;
  readonly kid: string;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

export async function makeKey(alg: Alg, kid = `${alg}-1`): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, publicKey, privateKey };
}

/** The key set of an issuer; keys can be withdrawn. */
export function keySet(...keys: TestKey[]) {
  const published = new Map(keys.map((key) => [key.kid, key]));
  return {
    findKey: ({ kid, alg }: KeyName) => {
      const key = published.get(kid);
      return key?.alg === alg ? key.publicKey : undefined;
    },
    withdraw: (kid: string) => published.delete(kid),
    publicJwk: (key: TestKey) => exportJWK(key.publicKey),
  };
}

export interface TokenParts {
  readonly header?: Record<string, unknown>;
  /** A claim set to undefined is left out. */
  readonly claims?: Record<string, unknown>;
}

let serial = 0;

/** A token that the check accepts, unless `parts` spoils it. */
export function signToken(key: TestKey, { header = {}, claims = {} }: TokenParts = {}): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  serial += 1;
  const payload = {
    iss: issuer,
    sub: 'user-1',
    aud: audience,
    client_id: 'client-1',
    clientId: 'client-1',
    scope: '',
    roles: [] as string[],
    iat,
    exp: iat + 300,
    jti: `jti-${serial}`,
    ...claims,
  };
  const protectedHeader = { alg: key.alg, kid: key.kid, typ: 'JWT', ...header } as JWTHeaderParameters;
  return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(key.privateKey, {
    crit: Object.fromEntries(((header.crit as string[] | undefined) ?? []).map((name) => [name, true])),
  });
}

export const tokenFor = (key: TestKey, ...roles: string[]) => signToken(key, { claims: { roles } });
