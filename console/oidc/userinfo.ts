/**
 * `/userinfo` (OpenID Connect Core §5.3). A person's access token is a JWT for the member surface here,
 * which the library's own handler refuses; this one checks it like the proxy does.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OAuthError, ProblemError } from '../errors.ts';
import { noStore, sendJson } from '../http/send.ts';
import type { UserRecord } from '../storage/records.ts';
import { asOAuthRefusal } from './token-refusals.ts';
import type { CheckToken, VerifiedToken } from './verified-token.ts';

export interface UserinfoDeps {
  readonly checkToken: CheckToken;
  readonly findUser: (id: string) => UserRecord | undefined;
}

/** @throws {OAuthError} RFC 6750 §3.1; `insufficient_scope` for a machine's token (S14) */
export type Userinfo = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export function createUserinfo({ checkToken, findUser }: UserinfoDeps): Userinfo {
  return async (req, res) => {
    if (req.method !== 'GET' && req.method !== 'POST') {
      throw new OAuthError('invalid_request', 'use GET or POST', {
        status: 405,
        headers: { Allow: 'GET, POST' },
      });
    }
    const token = await verify(req, checkToken);
    const user = findUser(token.subject);
    if (!user) throw tooLittle('a token of a person is needed');
    if (!token.scopes.includes('openid')) throw tooLittle('scope openid is required');
    req.resume();
    sendJson(res, 200, JSON.stringify(userClaims(user, token)), noStore);
  };
}

function userClaims(user: UserRecord, { scopes, roles }: VerifiedToken) {
  return {
    sub: user.id,
    ...(scopes.includes('profile') ? { preferred_username: user.username, roles } : {}),
    ...(scopes.includes('email') && user.email !== undefined ? { email: user.email } : {}),
  };
}

function readCredentials({ headers: { authorization } }: IncomingMessage) {
  if (authorization === undefined) {
    throw new OAuthError('invalid_token', 'an access token is needed', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  const [, scheme, token] = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization) ?? [];
  if (!scheme || !token) {
    throw new OAuthError('invalid_request', 'the Authorization field is not well formed', {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_request"' },
    });
  }
  return { token, hasProof: scheme.toLowerCase() === 'dpop' };
}

async function verify(req: IncomingMessage, checkToken: CheckToken): Promise<VerifiedToken> {
  const { token, hasProof } = readCredentials(req);
  try {
    return await (hasProof ? checkToken(token, req) : checkToken(token));
  } catch (error) {
    throw error instanceof ProblemError ? asOAuthRefusal(error) : error;
  }
}

function tooLittle(description: string): OAuthError {
  const challenge = `Bearer error="insufficient_scope", error_description="${description}"`;
  return new OAuthError('insufficient_scope', description, { headers: { 'WWW-Authenticate': challenge } });
}
