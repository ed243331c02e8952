/** A client as JSON, for the command line and the admin API. */
import type { ClientRecord } from '../storage/records.ts';
import { pkcePolicyOf } from './pkce.ts';
import { ceilingOf } from './role-ceiling.ts';
import type { ClientUse } from './uses/client-last-used.ts';

/**
 * What may be shown of a client: when its secrets were made and used, and nothing of them.
 *
 * @param use  left out where a change is reported
 */
export function viewOf(client: ClientRecord, use?: ClientUse) {
  const signsPeopleIn = client.grantTypes.includes('authorization_code');
  return {
    id: client.id,
    name: client.name ?? null,
    public: client.isPublic,
    firstParty: client.isFirstParty,
    disabled: client.disabled,
    fromSettings: client.fromSettings ?? false,
    grants: client.grantTypes,
    redirectUris: client.redirectUris,
    postLogoutUris: client.postLogoutRedirectUris,
    backchannelLogoutUri: client.backchannelLogoutUri ?? null,
    frontchannelLogoutUri: client.frontchannelLogoutUri ?? null,
    logoUri: client.logoUri ?? null,
    clientUri: client.clientUri ?? null,
    scopes: client.scopes,
    // Null: all that its users have.
    maxRoles: signsPeopleIn ? (ceilingOf(client) ?? null) : null,
    tokenAlg: client.tokenAlg,
    tokenTyp: client.tokenTyp,
    pkce: signsPeopleIn ? pkcePolicyOf(client) : null,
    dpopBoundAccessTokens: client.dpopBoundAccessTokens ?? false,
    secrets: client.secrets.map(({ createdAt }, index) => ({
      createdAt: timeOrNull(createdAt),
      ...(use ? { lastUsedAt: timeOrNull(use.secretsLastUsedAt[index] ?? 0) } : {}),
    })),
    createdAt: timeOrNull(client.createdAt),
    ...(use ? { lastUsedAt: timeOrNull(use.lastUsedAt ?? 0) } : {}),
  };
}

/** Clients of the settings have no date. @param at  epoch milliseconds, 0 for none */
function timeOrNull(at: number): string | null {
  return at === 0 ? null : new Date(at).toISOString();
}
