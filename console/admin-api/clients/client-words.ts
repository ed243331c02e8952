/** A client between the words of the API and those of the store. */
import type { ClientChange } from '../../clients/client-change.ts';
import { impliedGrants, impliedScopes, type NewClient } from '../../clients/client-rules.ts';
import { secretIds } from '../../clients/client-secrets.ts';
import { pkcePolicyOf } from '../../clients/pkce.ts';
import { ceilingOf } from '../../clients/role-ceiling.ts';
import type { ClientUse } from '../../clients/uses/client-last-used.ts';
import { holdOf, ownerOf } from '../../operations/owner.ts';
import { kindOfClient, statusOfClient } from '../../storage/client-lists.ts';
import type { ClientRecord } from '../../storage/records.ts';

/** Of the words that differ. */
const storedNames: Readonly<Record<string, string>> = {
  displayName: 'name',
  grants: 'grantTypes',
  firstParty: 'isFirstParty',
  postLogoutUris: 'postLogoutRedirectUris',
  dpop: 'dpopBoundAccessTokens',
};

type Said = Readonly<Record<string, unknown>>;

/** What takes an empty text for none. */
const texts: readonly string[] = [
  'displayName',
  'backchannelLogoutUri',
  'frontchannelLogoutUri',
  'logoUri',
  'clientUri',
];

/** @param said  null where it is as with nothing said */
export function changeOf(said: object): ClientChange {
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [
      storedNames[name] ?? name,
      value === null && texts.includes(name) ? '' : value,
    ]),
  );
}

/** @param said  all of it */
export function definitionOf(id: string, said: object): NewClient {
  const given = Object.entries(said).filter(([, value]) => value !== null);
  return { id, ...(changeOf(Object.fromEntries(given)) as Omit<NewClient, 'id'>) };
}

/** What is shown where nothing is said of it: it follows from the rest. @param said  not checked */
export function impliedFields({ redirectUris, grants, firstParty, isPublic }: Said) {
  const ofAddresses = impliedGrants(Array.isArray(redirectUris) ? redirectUris : []);
  const known: readonly unknown[] = Array.isArray(grants) ? grants : ofAddresses;
  const signsPeopleIn = known.includes('authorization_code');
  return {
    grants: ofAddresses,
    scopes: impliedScopes(signsPeopleIn ? ['authorization_code'] : []),
    pkce: signsPeopleIn ? pkcePolicyOf({ isPublic: isPublic === true }) : null,
    maxRoles: signsPeopleIn ? (ceilingOf({ isFirstParty: firstParty === true }) ?? null) : null,
  };
}

/** What is shown and recorded of it; a new object each time, to which the rest is added: it is read by the thousand. */
function saidOf(client: ClientRecord) {
  const signsPeopleIn = kindOfClient(client) === 'application';
  return {
    status: statusOfClient(client),
    displayName: client.name ?? null,
    scopes: client.scopes,
    grants: client.grantTypes,
    isPublic: client.isPublic,
    firstParty: client.isFirstParty,
    redirectUris: client.redirectUris,
    postLogoutUris: client.postLogoutRedirectUris,
    backchannelLogoutUri: client.backchannelLogoutUri ?? null,
    frontchannelLogoutUri: client.frontchannelLogoutUri ?? null,
    logoUri: client.logoUri ?? null,
    clientUri: client.clientUri ?? null,
    pkce: signsPeopleIn ? pkcePolicyOf(client) : null,
    maxRoles: (signsPeopleIn ? ceilingOf(client) : client.maxRoles) ?? null,
    tokenAlg: client.tokenAlg,
    tokenTyp: client.tokenTyp,
    tokenTtlSeconds: client.tokenTtlSeconds ?? null,
    jwks: client.jwks ?? null,
    dpop: client.dpopBoundAccessTokens ?? false,
  };
}

/** For the audit trail: of its secrets their ids alone. */
export function auditedOf(client: ClientRecord) {
  return Object.assign(saidOf(client), { secretIds: secretIds(client.secrets) });
}

/** As it is shown. */
export function shownClient(client: ClientRecord, use: ClientUse) {
  return {
    id: client.id,
    kind: kindOfClient(client),
    ...saidOf(client),
    authMethods: authMethodsOf(client),
    secrets: shownSecrets(client, use),
    lastUsedAt: time(use.lastUsedAt),
    lastUsedFrom: use.lastUsedFrom ?? null,
    tokensLastHour: use.tokensLastHour ?? 0,
    owner: ownerOf(client),
    hold: holdOf(client),
    createdAt: time(client.createdAt),
    updatedAt: time(client.updatedAt ?? client.createdAt),
  };
}

/** One that has keys and no secret proves itself by those alone. */
function authMethodsOf({ isPublic, jwks, secrets }: ClientRecord): readonly string[] {
  if (isPublic) return ['none'];
  const bySecret = jwks && secrets.length === 0 ? [] : ['client_secret_basic', 'client_secret_post'];
  return jwks ? [...bySecret, 'private_key_jwt'] : bySecret;
}

export function shownSecrets({ secrets }: ClientRecord, { secretsLastUsedAt }: ClientUse) {
  const ids = secretIds(secrets);
  return secrets.map(({ createdAt, expiresAt, endsOnUseOf }, i) => ({
    id: ids[i]!,
    createdAt: time(createdAt),
    lastUsedAt: time(secretsLastUsedAt[i]),
    expiresAt: time(expiresAt),
    endsOnUseOf: endsOnUseOf ?? null,
  }));
}

/** @param at  epoch milliseconds; 0 where there is none: clients of the settings have no date */
function time(at: number | undefined): string | null {
  return at ? new Date(at).toISOString() : null;
}
