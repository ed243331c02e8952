/** Checks what the console signs, by the key set at `jwks-uri`. */
import {
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import type { ConsoleFetch } from './console-fetch.ts';

export interface TokenRules {
  readonly audience: string;
  /** Header `typ` values that are taken. */
  readonly types: readonly string[];
  readonly requiredClaims: readonly string[];
  /** Claims that show a token made for something else. */
  readonly foreignClaims: readonly string[];
}

/** @throws {InvalidTokenError} it does not hold; {KeySetError} nobody can tell now */
export type CheckSigned = (token: string, rules: TokenRules) => Promise<JWTPayload>;

/** The message is for the log and for a caller who made the token; it holds nothing of the token. */
export class InvalidTokenError extends Error {
  override readonly name = 'InvalidTokenError';
}

export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

export interface CheckSignedDeps {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly fetch: ConsoleFetch;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A fixed list: neither `none` nor a symmetric algorithm, whatever a header says (RFC 8725 §3.1, S2). */
const algorithms = ['RS256', 'ES256', 'EdDSA'];
/** RFC 7515 §7.1; the library passes over blanks and line ends. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** A key that was not there a moment ago is looked for again, at most this often. */
const cooldownMs = 5_000;
const keySetMaxAgeMs = 600_000;

export function createCheckSigned({ issuer, jwksUri, fetch, now }: CheckSignedDeps): CheckSigned {
  const keySet = createRemoteJWKSet(new URL(jwksUri), {
    [customFetch]: (url, init) => fetch(url, init),
    cooldownDuration: cooldownMs,
    cacheMaxAge: keySetMaxAgeMs,
  });

  return async (token, { audience, types, requiredClaims, foreignClaims }) => {
    checkHeader(token, types);
    const claims = await verify(token, {
      issuer,
      audience,
      algorithms,
      requiredClaims: [...requiredClaims],
      currentDate: new Date(now()),
    });
    const foreign = foreignClaims.find((name) => name in claims);
    if (foreign !== undefined) throw new InvalidTokenError(`the claim ${foreign} does not belong in it`);
    return claims;
  };

  async function verify(token: string, options: Parameters<typeof jwtVerify>[2]): Promise<JWTPayload> {
    try {
      return (await jwtVerify(token, keySet, options)).payload;
    } catch (cause) {
      if (isAboutKeySet(cause)) throw new KeySetError('the key set of the console cannot be read', { cause });
      throw new InvalidTokenError(reasonOf(cause), { cause });
    }
  }
}

/** Before any key is looked for: a stray token causes no request. */
function checkHeader(token: string, types: readonly string[]): void {
  if (!compact.test(token)) throw new InvalidTokenError('it is not a signed token');
  let header: ReturnType<typeof decodeProtectedHeader>;
  try {
    header = decodeProtectedHeader(token);
  } catch (cause) {
    throw new InvalidTokenError('it is not a signed token', { cause });
  }
  const { alg, typ, kid } = header;
  if (!algorithms.includes(String(alg))) throw new InvalidTokenError('its algorithm is not accepted');
  if (!types.includes(String(typ))) throw new InvalidTokenError('its type is not accepted');
  if (typeof kid !== 'string') throw new InvalidTokenError('it does not name its key');
}

/** Everything but what jose says about the token itself. */
function isAboutKeySet(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true;
  return (
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === 'ERR_JOSE_GENERIC'
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} is not right`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'its key is not in the key set';
  return 'its signature does not hold';
}
