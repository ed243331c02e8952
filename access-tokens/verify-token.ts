import { KeyObject } from 'node:crypto';
import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import type { ProblemError } from '../platform/errors.ts';
import { invalidToken } from './bearer-errors.ts';

/** Who is calling, as a verified access token says. */
export interface Caller {
  /** `sub`: a user's id, or the client id of a machine. */
  readonly subject: string;
  readonly clientId: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly jti: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  /** Of a person who has some of the roles for a while: under which elevation, and which these are. */
  readonly elevation?: { readonly id: string; readonly roles: readonly string[] } | undefined;
  /** Of the key that the token is bound to (`cnf.jkt`, RFC 9449 §6.1); absent for a bearer token. */
  readonly keyThumbprint?: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Names one verification key. */
export interface KeyName {
  readonly kid: string;
  readonly alg: string;
}

/** What a revocation can be recorded against. */
export interface TokenIdentity {
  readonly jti: string;
  readonly sub: string;
  readonly clientId: string;
  /** Epoch seconds. */
  readonly iat: number;
}

/** A token that has passed, and what must still hold on each later call with it. */
export interface VerifiedToken {
  readonly caller: Caller;
  readonly identity: TokenIdentity;
  readonly key: CryptoKey | KeyObject;
  readonly keyName: KeyName;
}

export interface VerifyDeps {
  /** The `iss` that tokens must carry, compared exactly. */
  readonly issuer: string;
  /** The resource identifier that `aud` must be or contain, compared exactly; of several, one. */
  readonly audience: string | readonly string[];
  /**
   * Looks up an own, published key; never fetches. Asked on every call, and must return the same
   * object for the same key, or a token is verified anew each time.
   */
  readonly findKey: (name: KeyName) => CryptoKey | KeyObject | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Tolerated difference between clocks for `nbf` and `iat`. `exp` gets none: a revocation ends with it. */
const clockSkewSeconds = 30;
const requiredClaims = ['iss', 'sub', 'aud', 'client_id', 'scope', 'iat', 'exp', 'jti'];
/** Header parameters that would let a token bring its own key (RFC 8725 §3.10). */
const keyParameters = ['jku', 'jwk', 'x5u', 'x5c'] as const;
/** Claims that only an ID token or a logout token has. */
const foreignClaims = ['nonce', 'at_hash', 'c_hash', 'events'];

/** The key that each algorithm needs: as node:crypto and as Web Crypto name it. */
const keyTypes: Readonly<Record<string, readonly string[]>> = {
  RS256: ['rsa', 'RSASSA-PKCS1-v1_5'],
  ES256: ['ec', 'ECDSA'],
  EdDSA: ['ed25519', 'Ed25519'],
};
const algorithms = Object.keys(keyTypes);

/**
 * Verifies header, signature and claims of an access token (RFC 9068 §4, RFC 8725 §3, S1 to S3).
 *
 * @throws {ProblemError} `invalid_token`
 */
export async function verifyToken(
  token: string,
  { issuer, audience, findKey, now }: VerifyDeps,
): Promise<VerifiedToken> {
  const keyName = readHeader(token);
  const key = findKey(keyName);
  if (key === undefined || !isKeyFor(keyName.alg, key)) {
    throw invalidToken();
  }
  const time = now();
  const claims = await verifySignature(token, key, {
    algorithms: [keyName.alg],
    issuer,
    audience: typeof audience === 'string' ? audience : [...audience],
    requiredClaims,
    clockTolerance: clockSkewSeconds,
    currentDate: new Date(time),
  });
  if (claims.exp! * 1000 <= time) {
    throw expiredToken();
  }
  if (claims.iat! > time / 1000 + clockSkewSeconds) {
    throw invalidToken();
  }
  return { ...readCaller(claims), key, keyName };
}

/** Refuses by the header alone, before any key is looked up or signature computed (S2, S3). */
function readHeader(token: string): KeyName {
  let header: ProtectedHeaderParameters;
  try {
    header = decodeProtectedHeader(token);
  } catch (cause) {
    throw invalidToken(undefined, cause);
  }
  const { alg, kid, typ } = header;
  if (typ !== 'JWT' && typ !== 'at+jwt') {
    throw invalidToken();
  }
  if (typeof alg !== 'string' || !algorithms.includes(alg) || typeof kid !== 'string') {
    throw invalidToken();
  }
  if (header.crit !== undefined || keyParameters.some((name) => header[name] !== undefined)) {
    throw invalidToken();
  }
  return { kid, alg };
}

function isKeyFor(alg: string, key: CryptoKey | KeyObject): boolean {
  const type = key instanceof KeyObject ? key.asymmetricKeyType : key.algorithm.name;
  return type !== undefined && keyTypes[alg]!.includes(type);
}

async function verifySignature(
  token: string,
  key: CryptoKey | KeyObject,
  options: Parameters<typeof jwtVerify>[2],
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, key, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw expiredToken();
    }
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
      throw otherResource(options!.audience!, error);
    }
    if (error instanceof errors.JOSEError) {
      throw invalidToken(undefined, error);
    }
    throw error;
  }
}

function readCaller(claims: JWTPayload): Pick<VerifiedToken, 'caller' | 'identity'> {
  const { sub, client_id: clientId, scope, jti, iat, exp } = claims;
  if (![sub, clientId, jti].every(isFilledText) || typeof scope !== 'string') {
    throw invalidToken();
  }
  if (!Number.isFinite(iat) || !Number.isFinite(exp) || foreignClaims.some((name) => name in claims)) {
    throw invalidToken();
  }
  const identity = { jti: jti!, sub: sub!, clientId: clientId as string, iat: iat! };
  return {
    identity,
    caller: {
      subject: identity.sub,
      clientId: identity.clientId,
      roles: Array.isArray(claims.roles) ? claims.roles.filter(isFilledText) : [],
      scopes: scope.split(' ').filter(isFilledText),
      jti: identity.jti,
      expiresAt: exp!,
      elevation: readElevation(claims.elevation),
      keyThumbprint: readBinding(claims.cnf),
      claims,
    },
  };
}

/** A form that nobody knows would leave open which roles are to stay. */
function readElevation(claim: unknown): Caller['elevation'] {
  if (claim === undefined) return undefined;
  const { id, roles } = (claim ?? {}) as { readonly id?: unknown; readonly roles?: unknown };
  if (!isFilledText(id) || !Array.isArray(roles) || !roles.every(isFilledText)) throw invalidToken();
  return { id, roles };
}

/** A binding that cannot be checked here is no reason to take the token as a bearer's (RFC 7800 §3.1). */
function readBinding(cnf: unknown): string | undefined {
  if (cnf === undefined) return undefined;
  const members = typeof cnf === 'object' && cnf !== null ? Object.entries(cnf) : [];
  const [[name, value] = []] = members;
  if (members.length !== 1 || name !== 'jkt' || !isFilledText(value)) {
    throw invalidToken();
  }
  return value;
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Signed here and good elsewhere: its holder is told what to ask for instead (RFC 8707 §2). */
function otherResource(audience: string | string[], cause: Error): ProblemError {
  const resource = typeof audience === 'string' ? audience : audience[0]!;
  return invalidToken(
    `The access token is for another resource: ask for one with resource=${resource}`,
    cause,
  );
}

export function expiredToken(): ProblemError {
  return invalidToken('The access token has expired');
}
