/** The key that every proxy of the benchmark checks against, and a token of the size that the console issues. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { audience, issuer, keyId } from '../peers/common.ts';

export interface TokenKey {
  readonly privateKey: KeyObject;
  /** For `importJWK`. */
  readonly publicJwk: string;
  readonly publicPem: string;
  readonly privatePem: string;
}

export function makeKey(): TokenKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    privateKey,
    publicJwk: JSON.stringify(publicKey.export({ format: 'jwk' })),
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }) as string,
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  };
}

export function signToken({ privateKey }: TokenKey): Promise<string> {
  const roles = ['Admin'];
  return new SignJWT({
    client_id: 'application-client',
    clientId: 'application-client',
    scope: 'openid email profile',
    roles,
    realm_access: { roles },
    preferred_username: 'application-client',
    email: 'application-client',
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: keyId })
    .setIssuer(issuer)
    .setSubject('application-client')
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('1 h')
    .setJti('bench')
    .sign(privateKey);
}
