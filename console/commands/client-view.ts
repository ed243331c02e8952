/** A client in words. */
import type { ClientUse } from '../clients/client-last-used.ts';
import { pkcePolicyOf } from '../clients/pkce.ts';
import { ceilingOf } from '../clients/role-ceiling.ts';
import type { ClientRecord } from '../storage/records.ts';
import { fields, minute, time } from './runner/output.ts';

export function describe(client: ClientRecord, use: ClientUse): string {
  const signsPeopleIn = client.grantTypes.includes('authorization_code');
  return fields({
    id: client.id,
    name: client.name,
    kind: kindOf(client),
    state: stateOf(client),
    consent: client.isFirstParty ? 'not asked for' : undefined,
    grants: client.grantTypes.join(', '),
    scopes: client.scopes.join(' '),
    'roles at most': signsPeopleIn ? ceilingInWords(client) : undefined,
    'redirect addresses': client.redirectUris,
    'post-logout addresses': client.postLogoutRedirectUris,
    'back-channel logout': client.backchannelLogoutUri,
    'front-channel logout': client.frontchannelLogoutUri,
    PKCE: signsPeopleIn ? pkceInWords[pkcePolicyOf(client)] : undefined,
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

export function ceilingInWords(client: ClientRecord): string {
  const ceiling = ceilingOf(client);
  if (ceiling === undefined) return 'all of its users';
  return ceiling.length === 0 ? 'none' : ceiling.join(', ');
}

export const pkceInWords = {
  required: 'required',
  nonce: 'PKCE or a nonce',
  optional: 'optional: neither PKCE nor a nonce is asked for',
} as const;

export function timeOfUse(at: number | undefined): string {
  return at === undefined ? 'never' : minute(at);
}

export function kindOf({ isPublic, grantTypes: grants }: ClientRecord): string {
  if (!grants.includes('authorization_code')) return 'machine';
  return isPublic ? 'public application' : 'application';
}

export function stateOf({ disabled, fromSettings }: ClientRecord): string {
  return `${disabled ? 'disabled' : 'active'}${fromSettings ? ', from the settings' : ''}`;
}
