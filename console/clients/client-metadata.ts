/** How the provider library knows our clients. */
import { randomBytes } from 'node:crypto';
import type { ClientMetadata } from 'oidc-provider';
import type { ClientRecord, PkcePolicy } from '../storage/records.ts';
import { nameOfClient } from './client-name.ts';
import { pkcePolicies, pkcePolicyOf } from './pkce.ts';
import { identityScopes } from './scopes.ts';

/**
 * Stands where the library expects a plain secret. Secrets are stored as digests, which the library
 * cannot compare; {@link createClientAuthentication} does, and hands an authentic request on with this
 * one. It differs in every process and never leaves it, so that no request gets past that check.
 */
const internalSecret = randomBytes(32).toString('base64url');

/**
 * What the library knows as scopes of its own, and may restrict by client. It refuses a client with any
 * other; role scopes are the resource's, and restricted there.
 */
const signInScopes: ReadonlySet<string> = new Set([...identityScopes, 'offline_access']);

/** Asked for by the library where nothing can be waited for, so it goes along with the client. */
export const pkcePolicyMember = 'pkce_policy';

/** The same: life of its access tokens in seconds, where it has one of its own. */
export const tokenTtlMember = 'access_token_seconds';

/** @param client  as the library holds it */
export function tokenTtlOf(client: object): number | undefined {
  const seconds = (client as Readonly<Record<string, unknown>>)[tokenTtlMember];
  return typeof seconds === 'number' ? seconds : undefined;
}

/** @param client  as the library holds it */
export function pkceOf(client: object): PkcePolicy | undefined {
  const policy = (client as Readonly<Record<string, unknown>>)[pkcePolicyMember];
  return pkcePolicies.find((known) => known === policy);
}

/** A registered client as the library reads it (RFC 7591 §2). */
export function clientMetadata(client: ClientRecord): ClientMetadata {
  return {
    client_id: client.id,
    client_name: nameOfClient(client),
    grant_types: [...client.grantTypes],
    response_types: client.grantTypes.includes('authorization_code') ? ['code'] : [],
    redirect_uris: [...client.redirectUris],
    post_logout_redirect_uris: [...client.postLogoutRedirectUris],
    ...logoutMetadata(client),
    scope: client.scopes.filter((scope) => signInScopes.has(scope)).join(' '),
    id_token_signed_response_alg: client.tokenAlg,
    [pkcePolicyMember]: pkcePolicyOf(client),
    ...(client.tokenTtlSeconds === undefined ? {} : { [tokenTtlMember]: client.tokenTtlSeconds }),
    dpop_bound_access_tokens: client.dpopBoundAccessTokens ?? false,
    ...(client.isPublic
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: internalSecret }),
  };
}

/** Header fields by which the library finds the client of an authenticated request authentic. */
export function libraryCredentials({ id, isPublic }: ClientRecord): { authorization?: string } {
  if (isPublic) return {};
  const pair = `${encodeURIComponent(id)}:${internalSecret}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/**
 * To the library this means that ID tokens carry `sid`, which front-channel logout needs as well. It
 * sends nothing to the address: {@link createLogoutNotices} does.
 */
function logoutMetadata({
  backchannelLogoutUri,
  frontchannelLogoutUri,
}: ClientRecord): Partial<ClientMetadata> {
  const uri = backchannelLogoutUri ?? frontchannelLogoutUri;
  return uri === undefined ? {} : { backchannel_logout_uri: uri, backchannel_logout_session_required: true };
}
