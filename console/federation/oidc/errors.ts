/** What went wrong between the console and an OpenID Connect provider, in words for a person. */
import { errors } from 'jose';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { ProblemError } from '../../../platform/errors.ts';
import { reasonInWords } from '../../../platform/names/network-reason.ts';
import { OutboundError } from '../../http/outbound/outbound-exchange.ts';
import { FederationError } from '../connector.ts';

/** @returns what to throw instead: a bug of this program stays what it is */
export function asFederationError(error: unknown): unknown {
  if (error instanceof FederationError) return error;
  const federationError = (status: FederationError['status'], message: string) =>
    new FederationError(status, message, { cause: error });

  const network = causesOf(error).find((cause) => cause instanceof OutboundError);
  if (network)
    return federationError(
      503,
      `The identity provider could not be reached: ${reasonInWords(network.reason)}.`,
    );
  if (causesOf(error).some((cause) => cause instanceof ProblemError)) {
    return federationError(503, 'The identity provider has an address that this console does not call.');
  }
  if (error instanceof AuthorizationResponseError) return rejectedBy(error.error, federationError);
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
    return federationError(
      400,
      'The identity provider did not accept its own answer again. Please sign in again.',
    );
  }
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) {
    return federationError(
      503,
      'The identity provider does not accept this console: its registration there is wrong.',
    );
  }
  if (error instanceof errors.JOSEError) return federationError(401, notProven);
  if (!(error instanceof ClientError)) return error;
  // Without a code, it failed before anything of OpenID Connect was looked at.
  if (error.code === undefined || unreadable.has(error.code)) {
    return federationError(503, 'The identity provider answered with something that is no OpenID Connect.');
  }
  return federationError(401, notProven);
}

const notProven = 'What the identity provider sent does not prove who signed in.';

/** Errors that are the provider's own trouble (RFC 6749 §4.1.2.1). */
const passing = new Set(['temporarily_unavailable', 'server_error']);

const unreadable = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_TIMEOUT',
]);

/** The code alone: the description is whatever the address held. */
function rejectedBy(
  code: string,
  federationError: (status: FederationError['status'], message: string) => FederationError,
): FederationError {
  const shown = /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : '';
  if (code === 'access_denied')
    return federationError(403, 'The identity provider did not let you in (access_denied).');
  if (passing.has(code)) return federationError(503, `The identity provider has trouble of its own${shown}.`);
  return federationError(403, `The identity provider refused the sign-in${shown}.`);
}

export function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < 8; at = at.cause) causes.push(at);
  return causes;
}
