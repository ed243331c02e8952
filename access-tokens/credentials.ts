/** Reads `Authorization` (RFC 6750 §2.1, RFC 9449 §7.1), for every address here that takes access tokens. */

import { malformedAuthorization, missingToken } from './bearer-errors.ts';
import { withDpopChallenge } from './dpop/errors.ts';

/** `b64token` (RFC 6750 §2.1). */
const tokenForm = /^[A-Za-z0-9._~+/-]+=*$/;

/**
 * Takes the token out of `Authorization`, the one place where it counts (S61).
 *
 * @throws {ProblemError} `unauthorized`; `invalid_request`, challenged in the scheme that was used
 */
export function readToken(authorization: string | undefined): string {
  if (authorization === undefined || !/^(?:bearer|dpop)(?: |$)/i.test(authorization)) {
    throw missingToken();
  }
  const token = authorization.slice(isDpop(authorization) ? 'DPoP '.length : 'Bearer '.length).trimStart();
  if (!tokenForm.test(token)) {
    const error = malformedAuthorization('The Authorization field is not "Bearer" or "DPoP" and one token');
    throw isDpop(authorization) ? withDpopChallenge(error) : error;
  }
  return token;
}

/** As {@link readToken}, which remembers the fields that were well formed: clients send the same one for minutes. */
export function createTokenReader(maxRemembered = 1_000): typeof readToken {
  const known = new Map<string, string>();
  return (authorization) => {
    const remembered = authorization === undefined ? undefined : known.get(authorization);
    if (remembered !== undefined) return remembered;
    const token = readToken(authorization);
    if (known.size >= maxRemembered) known.clear();
    known.set(authorization!, token);
    return token;
  };
}

/**
 * Whether the token came with a proof of possession (RFC 9449 §7.1) rather than alone.
 *
 * @param authorization  one that {@link readToken} has taken a token from
 */
export function isDpop(authorization: string): boolean {
  return authorization.charCodeAt(0) === 0x44 || authorization.charCodeAt(0) === 0x64;
}
