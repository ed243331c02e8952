/** What this application refuses with, on pages as on its JSON addresses (RFC 9457). */
import { problem } from '../platform/errors.ts';

export const problems = {
  invalidRequest: problem('invalid_request', 400, 'The request is not valid'),
  signInFailed: problem('sign_in_failed', 400, 'The sign-in did not succeed'),
  unauthorized: problem('unauthorized', 401, 'An access token is needed'),
  invalidToken: problem('invalid_token', 401, 'The access token is not valid'),
  insufficientScope: problem('insufficient_scope', 403, 'More rights are needed'),
  csrfFailed: problem('csrf_failed', 403, 'The form could not be trusted'),
  notFound: problem('not_found', 404, 'There is nothing here'),
  methodNotAllowed: problem('method_not_allowed', 405, 'This cannot be done here'),
  contentTooLarge: problem('content_too_large', 413, 'That is too much'),
  unsupportedMediaType: problem('unsupported_media_type', 415, 'This form of content is not read here'),
  serverError: problem('server_error', 500, 'Something went wrong'),
  consoleUnreachable: problem('console_unreachable', 503, 'The console cannot be reached'),
} as const;

/** The session of this application is over: whoever asks has to sign in again. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}
