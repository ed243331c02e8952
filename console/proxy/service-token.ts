/** The proxy's own access token, got as any machine gets one (RFC 6749 §4.4). */
import { jsonObject } from '../../platform/json.ts';
import type { Outbound } from '../http/outbound/outbound.ts';

export interface ServiceTokenDeps {
  readonly outbound: Pick<Outbound, 'send'>;
  /** Address of the token endpoint. */
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly secret: string;
  readonly scope: string;
}

/** The console answered, and not with what was asked for; the message is for the operator. */
export class RejectedByConsoleError extends Error {
  override readonly name = 'RejectedByConsoleError';
}

/**
 * @returns a token
 * @throws {RejectedByConsoleError} or what {@link Outbound.send} throws
 */
export async function fetchServiceToken(deps: ServiceTokenDeps): Promise<string> {
  const { outbound, tokenEndpoint, clientId, secret, scope } = deps;
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  const { status, body } = await outbound.send({
    url: tokenEndpoint,
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }).toString(),
  });
  const { access_token: token, error } = jsonObject(body) ?? {};
  if (status === 200 && typeof token === 'string') return token;
  throw new RejectedByConsoleError(explain(status, error, scope));
}

function explain(status: number, error: unknown, scope: string): string {
  switch (error) {
    case 'invalid_client':
      return 'the console does not know the client of CONSOLE_PROXY_CLIENT_ID, or not by this secret';
    case 'invalid_scope':
      return `the client of CONSOLE_PROXY_CLIENT_ID lacks the scope ${scope}`;
    case 'unauthorized_client':
      return 'the client of CONSOLE_PROXY_CLIENT_ID is no machine: it lacks the grant client_credentials';
    default:
      return `the console answered ${status} to the request for a token`;
  }
}
