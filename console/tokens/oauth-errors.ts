/** How the errors of the token and proof checks, which answer problem details elsewhere, are said at an OAuth endpoint. */
import { OAuthError, type OAuthErrorCode, type ProblemError } from '../../platform/errors.ts';

const codes: ReadonlyMap<string, OAuthErrorCode> = new Map([
  ['unauthorized', 'invalid_token'],
  ['invalid_token', 'invalid_token'],
  ['invalid_dpop_proof', 'invalid_dpop_proof'],
  ['invalid_request', 'invalid_request'],
  ['insufficient_scope', 'insufficient_scope'],
]);

/** What is no fault of the token or the proof is for later: there is no OAuth error for too many requests. */
export function asOAuthError(error: ProblemError): OAuthError {
  const { problem, message, headers } = error;
  const code = codes.get(problem.code);
  if (code === undefined)
    return new OAuthError('temporarily_unavailable', message, { headers, cause: error });
  return new OAuthError(code, message, { status: problem.status, headers, cause: error });
}

/** The error of RFC 6749 §5.2, which names the scheme that would do. */
export function invalidClient(
  description = 'client authentication failed',
  audited?: OAuthError['audited'],
): OAuthError {
  return new OAuthError('invalid_client', description, {
    audited,
    headers: { 'WWW-Authenticate': 'Basic realm="console", charset="UTF-8"' },
  });
}
