import { malformedAuthorization, missingToken } from './refusals.ts';

/** `b64token` (RFC 6750 §2.1). */
const tokenForm = /^[A-Za-z0-9._~+/-]+=*$/;

/** Takes the token out of `Authorization`, the one place where it counts (RFC 6750 §2.1, S61). */
export function readToken(authorization: string | undefined): string {
  if (authorization === undefined || !/^bearer(?: |$)/i.test(authorization)) {
    throw missingToken();
  }
  const token = authorization.slice('Bearer '.length).trimStart();
  if (!tokenForm.test(token)) {
    throw malformedAuthorization('The Authorization field is not "Bearer" and one token');
  }
  return token;
}
