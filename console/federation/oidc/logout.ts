/**
 * Logout between the console and an OpenID Connect provider: passed on by RP-Initiated Logout 1.0,
 * received by Back-Channel Logout 1.0 (S41) and Front-Channel Logout 1.0.
 */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { FederationError, type ReceivedLogout, type RedirectConnector } from '../connector.ts';
import { asFederationError } from './errors.ts';
import type { OidcKeys } from './keys.ts';
import { isBrowserAddress, type OidcMetadata } from './metadata.ts';

export interface OidcLogoutDeps {
  readonly issuer: string;
  readonly clientId: string;
  /** The one algorithm of the provider's tokens, asymmetric. */
  readonly alg: string;
  readonly metadata: OidcMetadata;
  /** For logout tokens alone: anybody may send one, and use up how often the keys are read again. */
  readonly keys: OidcKeys;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export type OidcLogout = Required<
  Pick<RedirectConnector, 'beginLogout' | 'readLogoutToken' | 'readFrontChannelLogout'>
>;

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** A provider sends its tokens at once; their `exp` is up to it. */
const oldestSeconds = 600;
const skewSeconds = 60;
const longestToken = 16_384;
/** RFC 7515 §7.1; the library passes over blanks and line ends. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Groups and the like make ID tokens longer than servers take addresses. */
const longestHint = 6000;
/** Explicit typing is recommended, not required, and older providers write what is on all their tokens. */
const tokenTypes: readonly (string | undefined)[] = [
  'logout+jwt',
  'application/logout+jwt',
  'jwt',
  undefined,
];

export function createOidcLogout(deps: OidcLogoutDeps): OidcLogout {
  const { issuer, clientId, alg, metadata, keys, now } = deps;

  return {
    async beginLogout({ session, logoutId, returnUrl, isRepeated = false }) {
      const { end_session_endpoint: endpoint } = await currentMetadata();
      if (endpoint === undefined) return undefined;
      if (!isBrowserAddress(issuer, endpoint)) {
        throw new FederationError(
          503,
          'The logout address of the identity provider is not an https address.',
        );
      }
      const location = new URL(endpoint);
      const { hint } = session;
      // Without it, the provider asks the person: that is for them to answer, an error page is not.
      if (hint !== undefined && !isRepeated && (await isOfUse(hint))) {
        location.searchParams.set('id_token_hint', hint);
      }
      location.searchParams.set('client_id', clientId);
      location.searchParams.set('post_logout_redirect_uri', returnUrl);
      location.searchParams.set('state', logoutId);
      return { method: 'GET', location: location.href };
    },
    async readLogoutToken(token) {
      if (token.length > longestToken) throw invalid('is too long');
      if (!compact.test(token)) throw invalid('is not a signed token');
      return logoutOf(await verified(token), now());
    },
    readFrontChannelLogout(parameters) {
      const sid = parameters.get('sid') ?? '';
      if (parameters.get('iss') !== issuer || sid === '' || sid.length > 1024) {
        throw new FederationError(400, 'This logout names no session of this identity provider.');
      }
      return sid;
    },
  };

  /** A provider that has retired a key refuses what it signed by it, on a page that leads nowhere. */
  async function isOfUse(hint: string): Promise<boolean> {
    if (hint.length > longestHint) return false;
    try {
      const { alg: _, ...header } = decodeProtectedHeader(hint);
      await keys.verify(async (find) => find({ ...header, alg }, { payload: '', signature: '' }));
      return true;
    } catch (error) {
      return !(error instanceof errors.JWKSNoMatchingKey);
    }
  }

  async function verified(token: string): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await keys.verify((find) =>
        jwtVerify(token, find, {
          algorithms: [alg],
          issuer,
          audience: clientId,
          clockTolerance: skewSeconds,
          maxTokenAge: oldestSeconds,
          // Without `exp`, `iat` and one use bound it.
          requiredClaims: ['iat', 'jti', 'events'],
          currentDate: new Date(now()),
        }),
      );
      if (!tokenTypes.includes(protectedHeader.typ?.toLowerCase()))
        throw invalid('is a token of another type');
      return payload;
    } catch (error) {
      throw asInvalid(error);
    }
  }

  async function currentMetadata(): Promise<ServerMetadata> {
    try {
      return await metadata.current();
    } catch (error) {
      throw asFederationError(error);
    }
  }
}

/** What the library does not know of logout tokens (Back-Channel Logout §2.4, §2.6). */
function logoutOf({ sub, sid, jti, exp, iat, events, nonce }: JWTPayload, nowMs: number): ReceivedLogout {
  if (!isObject(events) || !isObject(events[logoutEvent])) throw invalid('is about no logout');
  if (nonce !== undefined) throw invalid('is an ID token in another place');
  if (!isId(jti)) throw invalid('has no id');
  if (sub === undefined && sid === undefined) throw invalid('names nobody');
  if ((sub !== undefined && !isId(sub)) || (sid !== undefined && !isId(sid))) throw invalid('names nobody');
  // Its age is told in whole seconds, so that it is taken to the end of the last of them.
  const usableUntil = Math.min(exp ?? Infinity, iat! + oldestSeconds + 1) + skewSeconds;
  return {
    ...(sub === undefined ? {} : { subject: sub }),
    sessionIds: sid === undefined ? [] : [sid as string],
    messageId: jti,
    usableUntilMs: Math.max(usableUntil * 1000, nowMs),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 1024;
}

/** Keys that cannot be had stay what they are: no fault of the token. */
function asInvalid(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return invalid('has expired', error);
  if (error instanceof errors.JWTClaimValidationFailed) return invalid(`has a wrong ${error.claim}`, error);
  if (error instanceof errors.JOSEAlgNotAllowed) return invalid('is signed by another algorithm', error);
  if (error instanceof errors.JOSEError) return invalid('is not signed by the identity provider', error);
  return asFederationError(error);
}

function invalid(reason: string, cause?: unknown): FederationError {
  return new FederationError(400, `The logout token ${reason}.`, { cause });
}
