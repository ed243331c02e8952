/** Client authentication by a signed assertion (RFC 7523 §2.2 and §3, OpenID Connect Core §9 `private_key_jwt`). */
import { createLocalJWKSet, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { OAuthError } from '../../../platform/errors.ts';
import { assertionAlgs } from '../../clients/client-keys.ts';
import type { Clients } from '../../clients/clients.ts';
import type { Form } from '../../http/form.ts';
import type { ClientRecord } from '../../storage/records.ts';
import { invalidClient } from '../oauth-errors.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Seconds that an assertion may still be good for: as long as those that were used are remembered. */
export const longestAssertionSeconds = 300;
/** Seconds that clocks may differ. */
const clockSeconds = 10;
/** Characters. */
const longestAssertion = 8192;
const longestJti = 128;

/** Where used assertions are remembered: here, or in a process that several ask. */
export interface AssertionMemory {
  /** @param caller  whose part of the memory it takes. @throws {Error} when there is no answer */
  add(
    used: { readonly thumbprint: string; readonly jti: string },
    caller: string,
  ): Outcome | Promise<Outcome>;
}

/** When there is no room to remember it, whether it came before will not be known the next time. */
type Outcome = 'first' | 'used' | 'callerFull' | 'full';

export interface ClientAssertionDeps {
  readonly clients: Pick<Clients, 'find'>;
  /** `CONSOLE_URL`. */
  readonly issuer: string;
  /** Of used assertions: at least {@link longestAssertionSeconds} long. */
  readonly memory: AssertionMemory;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * @param form  has a `client_assertion`
 * @returns whose it is
 * @throws {OAuthError} `invalid_client`; `invalid_request` for another type of assertion, or an id that is not its own
 */
export type CheckAssertion = (form: Form) => Promise<ClientRecord>;

export function createClientAssertion(deps: ClientAssertionDeps): CheckAssertion {
  const { clients, issuer, memory, now } = deps;
  const audiences = [issuer, `${issuer}/oauth2/token`];
  const keysOf = createKeysOf();

  return async (form) => {
    const assertion = form.get('client_assertion')!;
    if (form.get('client_assertion_type') !== assertionType)
      throw new OAuthError('invalid_request', `client_assertion_type is ${assertionType}`);
    const id = subjectOf(assertion);
    const client = await clients.find(id);
    if (!client?.jwks || client.disabled) throw invalidClient();
    const jti = await verify(assertion, client);
    const idInForm = form.get('client_id');
    if (idInForm !== undefined && idInForm !== id)
      throw new OAuthError('invalid_request', 'client_id is not the client of the assertion');
    await useOnce(client.id, jti);
    return client;
  };

  /** @returns its `jti` */
  async function verify(assertion: string, client: ClientRecord): Promise<string> {
    const seconds = Math.floor(now() / 1000);
    const { exp, iat, jti, aud } = await signedBy(assertion, client, new Date(seconds * 1000));
    // Another server that it is also for could send it here.
    const all = typeof aud === 'string' ? [aud] : (aud ?? []);
    if (!all.every((one) => audiences.includes(one)))
      throw invalidClient(`the aud of the assertion is not ${issuer} alone`);
    if (exp! > seconds + longestAssertionSeconds + clockSeconds)
      throw invalidClient(`the assertion is good for more than ${longestAssertionSeconds} s`);
    if (iat !== undefined && iat > seconds + clockSeconds)
      throw invalidClient('the iat of the assertion is in the future; the Date field tells the time here');
    if (typeof jti !== 'string' || jti === '' || jti.length > longestJti)
      throw invalidClient(`the jti of the assertion is not a text of 1 to ${longestJti} characters`);
    return jti;
  }

  async function signedBy(assertion: string, client: ClientRecord, currentDate: Date) {
    const options = {
      algorithms: [...assertionAlgs],
      issuer: client.id,
      subject: client.id,
      audience: audiences,
      requiredClaims: ['exp', 'jti'],
      clockTolerance: clockSeconds,
      currentDate,
    };
    try {
      return (await verifyByAny(assertion, keysOf(client), options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      throw invalidClient(reasonOf(error));
    }
  }

  async function useOnce(clientId: string, jti: string): Promise<void> {
    let outcome: Outcome;
    try {
      outcome = await memory.add({ thumbprint: clientId, jti }, clientId);
    } catch (cause) {
      throw busy(cause);
    }
    if (outcome === 'used')
      throw invalidClient('the assertion was used before: make a new one for each request');
    if (outcome !== 'first') throw busy();
  }
}

/** Without a `kid` several keys may fit: each is tried. */
async function verifyByAny(
  assertion: string,
  keys: JWTVerifyGetKey,
  options: Parameters<typeof jwtVerify>[2],
) {
  try {
    return await jwtVerify(assertion, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(assertion, key, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Read once for each form of a client. */
function createKeysOf(): (client: ClientRecord) => JWTVerifyGetKey {
  const known = new WeakMap<ClientRecord, JWTVerifyGetKey>();
  return (client) => {
    const found =
      known.get(client) ?? createLocalJWKSet({ keys: client.jwks!.keys.map((key) => ({ ...key })) });
    known.set(client, found);
    return found;
  };
}

function subjectOf(assertion: string): string {
  try {
    const { sub } = assertion.length > longestAssertion ? {} : decodeJwt(assertion);
    if (typeof sub === 'string') return sub;
  } catch {
    // Nobody's.
  }
  throw invalidClient();
}

/** Of who has signed it, so that nobody else learns anything. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the assertion has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `the ${error.claim} of the assertion is missing or not as it should be`;
  return 'client authentication failed';
}

function busy(cause?: unknown): OAuthError {
  return new OAuthError('temporarily_unavailable', 'no room to remember the assertion: try again', {
    status: 503,
    headers: { 'Retry-After': '5' },
    cause,
  });
}
