/**
 * `/userinfo` (OpenID Connect Core §5.3). A person's access token is a JWT for the member surface here,
 * which the library's own handler refuses; this one checks it like the proxy does.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OAuthError, ProblemError } from '../errors.ts';
import type { CallerCheck } from '../http/caller-check.ts';
import { noStore, sendJson } from '../http/send.ts';
import type { UserRecord } from '../storage/records.ts';
import { asOAuthRefusal } from './token-refusals.ts';
import type { VerifiedToken } from './verified-token.ts';

export interface UserinfoDeps {
  readonly callers: CallerCheck<VerifiedToken>;
  readonly findUser: (id: string) => UserRecord | undefined;
}

/** @throws {OAuthError} RFC 6750 §3.1; `insufficient_scope` for a machine's token (S14) */
export type Userinfo = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export function createUserinfo({ callers, findUser }: UserinfoDeps): Userinfo {
  return async (req, res) => {
    if (req.method !== 'GET' && req.method !== 'POST') {
      throw new OAuthError('invalid_request', 'use GET or POST', {
        status: 405,
        headers: { Allow: 'GET, POST' },
      });
    }
    try {
      const token = await callers.authenticate(req);
      const user = findUser(token.subject);
      if (!user) throw callers.insufficientScope(token, 'a token of a person is needed');
      if (!token.scopes.includes('openid')) {
        throw callers.insufficientScope(token, 'scope openid is required', 'openid');
      }
      req.resume();
      sendJson(res, 200, JSON.stringify(userClaims(user, token)), noStore);
    } catch (error) {
      throw error instanceof ProblemError ? asOAuthRefusal(error) : error;
    }
  };
}

function userClaims(user: UserRecord, { scopes, roles }: VerifiedToken) {
  return {
    sub: user.id,
    ...(scopes.includes('profile') ? { preferred_username: user.username, roles } : {}),
    ...(scopes.includes('email') && user.email !== undefined ? { email: user.email } : {}),
  };
}
