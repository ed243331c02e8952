/**
 * `/userinfo` (OpenID Connect Core §5.3). A person's access token is a JWT for the member surface here,
 * which the library's own handler refuses; this one checks it like the proxy does.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OAuthError, ProblemError } from '../../platform/errors.ts';
import type { CallerCheck } from '../http/caller-check.ts';
import type { OAuthEndpoint } from '../http/endpoints.ts';
import { noStore, sendJson } from '../http/send.ts';
import type { UserRecord } from '../storage/records.ts';
import { asOAuthError } from './oauth-errors.ts';
import { readParameters } from './oauth-request.ts';
import { emailClaims, profileClaims } from './user-claims.ts';
import type { VerifiedToken } from './verified-token.ts';

export interface UserinfoDeps {
  readonly callers: CallerCheck<VerifiedToken>;
  readonly findUser: (id: string) => Promise<UserRecord | undefined>;
}

type PersonEndpoint = (
  req: IncomingMessage,
  res: ServerResponse,
  user: UserRecord,
  token: VerifiedToken,
) => void;

/**
 * The guard `person` of a route line: a token of a person, with the scope `openid`. Throws {@link OAuthError}s (RFC 6750
 * §3.1): `insufficient_scope` for a machine's token (S14).
 */
export function createPersonGuard({ callers, findUser }: UserinfoDeps) {
  return (inner: PersonEndpoint): OAuthEndpoint =>
    async (req, res) => {
      if (req.method !== 'GET' && req.method !== 'POST') {
        throw new OAuthError('invalid_request', 'use GET or POST', {
          status: 405,
          headers: { Allow: 'GET, POST' },
        });
      }
      try {
        const token = await callers.authenticate(await withTokenOfForm(req));
        const user = await findUser(token.subject);
        if (!user) throw callers.insufficientScope(token, 'a token of a person is needed');
        if (!token.scopes.includes('openid')) {
          throw callers.insufficientScope(token, 'scope openid is required', 'openid');
        }
        inner(req, res, user, token);
        return false;
      } catch (error) {
        throw error instanceof ProblemError ? asOAuthError(error) : error;
      }
    };
}

export const sendUserinfo: PersonEndpoint = (req, res, user, token) => {
  req.resume();
  sendJson(res, 200, JSON.stringify(userClaims(user, token)), noStore);
};

/**
 * A bearer token may stand in the form of a POST (RFC 6750 §2.2), which is then presented as if in the field. One that is
 * bound to a key may not (RFC 9449 §7.1): the check refuses it, as it does behind `Bearer`.
 *
 * @throws {OAuthError} `invalid_request` when there is one in the field as well
 */
async function withTokenOfForm(req: IncomingMessage): Promise<IncomingMessage> {
  if (req.method !== 'POST' || !isForm(req)) return req;
  const token = (await readParameters(req)).get('access_token');
  if (token === undefined) return req;
  if (req.headers.authorization !== undefined) {
    const headers = { 'WWW-Authenticate': 'Bearer error="invalid_request"' };
    throw new OAuthError('invalid_request', 'send the token in one way', { headers });
  }
  req.headers.authorization = `Bearer ${token}`;
  return req;
}

function isForm({ headers }: IncomingMessage): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

function userClaims(user: UserRecord, { scopes, roles, claims }: VerifiedToken) {
  return {
    sub: user.id,
    ...singleClaims(user, claims.userinfo_claims),
    ...(scopes.includes('profile') ? { ...profileClaims(user), roles } : {}),
    ...(scopes.includes('email') ? emailClaims(user) : {}),
  };
}

/** Asked for one by one, by the parameter `claims`. */
function singleClaims(user: UserRecord, asked: unknown): object {
  if (!Array.isArray(asked)) return {};
  const all = { ...profileClaims(user), ...emailClaims(user) };
  return Object.fromEntries(Object.entries(all).filter(([claim]) => asked.includes(claim)));
}
