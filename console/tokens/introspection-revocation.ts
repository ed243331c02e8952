/**
 * Revocation (RFC 7009) and introspection (RFC 7662) of signed access tokens, which the library knows
 * nothing about once they are issued. Opaque refresh tokens go on to the library.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OAuthError, ProblemError } from '../../platform/errors.ts';
import { noStore, sendJson } from '../http/send.ts';
import type { ClientRecord } from '../storage/records.ts';
import { type AuthenticateClient, invalidClient } from './client-authentication.ts';
import { handToProvider, readParameters } from './oauth-request.ts';
import type { Revocations } from './revocations.ts';
import { type InspectToken, isJwt, type VerifiedToken } from './verified-token.ts';

export interface IntrospectionRevocationDeps {
  readonly authenticateClient: AuthenticateClient;
  readonly inspectToken: InspectToken;
  readonly revocations: Pick<Revocations, 'revoke'>;
}

export interface IntrospectionRevocationOutcome {
  readonly client: ClientRecord;
  /** The token was not a JWT: the provider answers. */
  readonly passedOn: boolean;
}

export type IntrospectionRevocationEndpoint = (
  req: IncomingMessage,
  res: ServerResponse,
) => Promise<IntrospectionRevocationOutcome>;

/** @throws {OAuthError} RFC 6749 §5.2; another client's token is `invalid_request` (RFC 7009 §2.1) */
export function createRevocation(deps: IntrospectionRevocationDeps): IntrospectionRevocationEndpoint {
  return async (req, res) => {
    const { client, token, passOn } = await readRequest(req, deps.authenticateClient);
    if (!isJwt(token)) return passOn();
    const verified = await check(token, deps.inspectToken);
    if (verified && verified.clientId !== client.id) {
      throw new OAuthError('invalid_request', 'the token was issued to another client');
    }
    if (verified) await deps.revocations.revoke(verified.jti, verified.expiresAt);
    res.writeHead(200, { ...noStore, 'Content-Length': 0 }).end();
    return { client, passedOn: false };
  };
}

/** Confidential clients only (S15). @throws {OAuthError} RFC 6749 §5.2 */
export function createIntrospection(deps: IntrospectionRevocationDeps): IntrospectionRevocationEndpoint {
  return async (req, res) => {
    const { client, token, passOn } = await readRequest(req, deps.authenticateClient);
    if (client.isPublic) throw invalidClient('introspection needs a client with a secret');
    if (!isJwt(token)) return passOn();
    const verified = await check(token, deps.inspectToken);
    sendJson(res, 200, JSON.stringify(verified ? describe(verified) : { active: false }), noStore);
    return { client, passedOn: false };
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

async function readRequest(req: IncomingMessage, authenticateClient: AuthenticateClient) {
  const form = await readParameters(req);
  const client = authenticateClient(req.headers.authorization, form);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'token is missing');
  const passOn = (): IntrospectionRevocationOutcome => {
    handToProvider(req, form, client);
    return { client, passedOn: true };
  };
  return { client, token, passOn };
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
