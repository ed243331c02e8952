/**
 * Revocation (RFC 7009) and introspection (RFC 7662) of signed access tokens, which the library knows
 * nothing about once they are issued. Opaque refresh tokens go on to the library.
 */
import type { IncomingMessage } from 'node:http';
import { OAuthError, ProblemError } from '../../platform/errors.ts';
import type { Form } from '../http/form.ts';
import { noStore, sendJson } from '../http/send.ts';
import type { ClientRecord } from '../storage/records.ts';
import type { ClientEndpoint } from './client-authentication/client-authentication.ts';
import { invalidClient } from './oauth-errors.ts';
import { handToProvider } from './oauth-request.ts';
import type { Revocations } from './revocations.ts';
import { type InspectToken, isJwt, type VerifiedToken } from './verified-token.ts';

export interface RevocationDeps {
  readonly inspectToken: InspectToken;
  readonly revocations: Pick<Revocations, 'revoke'>;
  /** The client has been told that the token is void. */
  readonly onRevoked: (req: IncomingMessage, client: ClientRecord) => void;
}

/** Behind `client`. @throws {OAuthError} RFC 6749 §5.2; another client's token is `invalid_request` (RFC 7009 §2.1) */
export function createRevocation({ inspectToken, revocations, onRevoked }: RevocationDeps): ClientEndpoint {
  return async (req, res, client, form) => {
    const token = tokenIn(form);
    if (!isJwt(token)) return passOn(req, client, form);
    const verified = await check(token, inspectToken);
    if (verified && verified.clientId !== client.id) {
      throw new OAuthError('invalid_request', 'the token was issued to another client');
    }
    if (verified) await revocations.revoke(verified.jti, verified.expiresAt);
    res.writeHead(200, { ...noStore, 'Content-Length': 0 }).end();
    onRevoked(req, client);
    return false;
  };
}

/** Behind `client`, for confidential ones only (S15). @throws {OAuthError} RFC 6749 §5.2 */
export function createIntrospection(inspectToken: InspectToken): ClientEndpoint {
  return async (req, res, client, form) => {
    const token = tokenIn(form);
    if (client.isPublic) throw invalidClient('introspection needs a client with a secret');
    if (!isJwt(token)) return passOn(req, client, form);
    const verified = await check(token, inspectToken);
    sendJson(res, 200, JSON.stringify(verified ? describe(verified) : { active: false }), noStore);
    return false;
  };
}

/** Who is asked to take a bound token sees in `cnf` which key has to prove itself (RFC 9449 §6.2). */
function describe({ claims: { scope, ...claims }, keyThumbprint }: VerifiedToken) {
  return {
    active: true,
    ...claims,
    // RFC 7662 §2.2: a list of scopes, or left out.
    ...(scope === '' ? {} : { scope }),
    token_type: keyThumbprint === undefined ? 'Bearer' : 'DPoP',
  };
}

function tokenIn(form: Form): string {
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'token is missing');
  return token;
}

/** No JWT: the provider answers. */
function passOn(req: IncomingMessage, client: ClientRecord, form: Form): true {
  handToProvider(req, form, client);
  return true;
}

/** A token that is foreign, expired or revoked is no error here: it is simply not active. */
async function check(token: string, inspectToken: InspectToken): Promise<VerifiedToken | undefined> {
  try {
    return await inspectToken(token);
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
