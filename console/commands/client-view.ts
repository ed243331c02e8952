/** What is shown of a client. */
import type { ClientUse } from '../oidc/client-uses.ts';
import type { ClientRecord } from '../storage/records.ts';
import { fields, minute, time } from './output.ts';

/**
 * What may be shown of a client: when its secrets were made and used, and nothing of them.
 *
 * @param use  left out where a change is reported
 */
export function viewOf(client: ClientRecord, use?: ClientUse) {
  return {
    id: client.id,
    public: client.isPublic,
    firstParty: client.isFirstParty,
    disabled: client.disabled,
    fromSettings: client.fromSettings ?? false,
    grants: client.grantTypes,
    redirectUris: client.redirectUris,
    postLogoutUris: client.postLogoutRedirectUris,
    backchannelLogoutUri: client.backchannelLogoutUri ?? null,
    frontchannelLogoutUri: client.frontchannelLogoutUri ?? null,
    scopes: client.scopes,
    tokenAlg: client.tokenAlg,
    tokenTyp: client.tokenTyp,
    dpopBoundAccessTokens: client.dpopBoundAccessTokens ?? false,
    secrets: client.secrets.map(({ createdAt }, index) => ({
      createdAt: timeOrNull(createdAt),
      ...(use ? { lastUsedAt: timeOrNull(use.secretsLastUsedAt[index] ?? 0) } : {}),
    })),
    createdAt: timeOrNull(client.createdAt),
    ...(use ? { lastUsedAt: timeOrNull(use.lastUsedAt ?? 0) } : {}),
  };
}

export function describe(client: ClientRecord, use: ClientUse): string {
  return fields({
    id: client.id,
    kind: kindOf(client),
    state: stateOf(client),
    consent: client.isFirstParty ? 'not asked for' : undefined,
    grants: client.grantTypes.join(', '),
    scopes: client.scopes.join(' '),
    'redirect addresses': client.redirectUris,
    'post-logout addresses': client.postLogoutRedirectUris,
    'back-channel logout': client.backchannelLogoutUri,
    'front-channel logout': client.frontchannelLogoutUri,
    tokens: `${client.tokenTyp}, ${client.tokenAlg}${client.dpopBoundAccessTokens ? ', bound to a key (DPoP)' : ''}`,
    secrets: client.secrets.map(({ createdAt }, index) =>
      createdAt
        ? `of ${time(createdAt)}, last used: ${timeOfUse(use.secretsLastUsedAt[index])}`
        : 'of the settings',
    ),
    added: client.createdAt ? time(client.createdAt) : 'follows from the settings',
    'last used': timeOfUse(use.lastUsedAt),
  });
}

export function timeOfUse(at: number | undefined): string {
  return at === undefined ? 'never' : minute(at);
}

/** Clients of the settings have no date. */
function timeOrNull(at: number): string | null {
  return at === 0 ? null : time(at);
}

export function kindOf({ isPublic, grantTypes: grants }: ClientRecord): string {
  if (!grants.includes('authorization_code')) return 'machine';
  return isPublic ? 'public application' : 'application';
}

export function stateOf({ disabled, fromSettings }: ClientRecord): string {
  return `${disabled ? 'disabled' : 'active'}${fromSettings ? ', from the settings' : ''}`;
}
