/** Clients of a realm: those with the code flow are applications, those with a service account machines. */
import { type Draft, said } from './imported.ts';

import { ownClients, type Realm, type RealmClient, shownSecret } from './keycloak-realm.ts';

export function addClients(realm: Realm, draft: Draft): void {
  for (const client of realm.clients) {
    if (ownClients.includes(client.clientId)) continue;
    const why = reasonToLeave(client);
    if (why !== undefined) draft.leave(`client ${client.clientId}`, why);
    else addClient(client, realm, draft);
  }
}

function reasonToLeave(client: RealmClient): string | undefined {
  const { clientId, protocol, bearerOnly, standardFlowEnabled, serviceAccountsEnabled } = client;
  if (protocol !== 'openid-connect') return `it speaks ${protocol}: applications here speak OpenID Connect`;
  if (bearerOnly) return 'it only takes tokens: whoever checks them needs no client here';
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(clientId))
    return 'an id here has 1 to 64 letters, digits and . _ -';
  if (!standardFlowEnabled && !serviceAccountsEnabled)
    return 'it has neither the code flow nor a service account';
  const isUsable = !standardFlowEnabled || serviceAccountsEnabled || redirectsOf(client).taken.length > 0;
  return isUsable ? undefined : 'none of its redirect addresses stands for itself: name each one';
}

function addClient(client: RealmClient, realm: Realm, draft: Draft): void {
  const { clientId: id, name, publicClient, serviceAccountsEnabled } = client;
  const about = `client ${id}`;
  const { taken: redirectUris, left } = redirectsOf(client);
  const isApplication = client.standardFlowEnabled && redirectUris.length > 0;
  for (const uri of left) {
    draft.leave(
      `${about}: redirect address ${uri}`,
      'addresses are compared character by character: name each one',
    );
  }
  const grants = ['authorization_code', 'refresh_token', 'client_credentials'];
  const described = {
    displayName: name === undefined || name === '' || name.startsWith('${') ? undefined : name.slice(0, 64),
    isPublic: publicClient || undefined,
    enabled: client.enabled ? undefined : false,
    grants: isApplication && serviceAccountsEnabled ? grants : undefined,
    scopes: scopesOf(client, realm, isApplication, draft),
    ...(isApplication && {
      redirectUris,
      ...logoutOf(client, redirectUris, draft),
      clientUri: homeOf(client, draft),
    }),
    ...tokensOf(client, draft),
    secrets: secretsOf(client, isApplication, draft),
  };
  draft.add(isApplication ? 'applications' : 'clients', id, said(described));
  leaveRest(client, draft);
}

function redirectsOf({ redirectUris, rootUrl = '' }: RealmClient) {
  const whole = redirectUris.map((uri) => (uri.startsWith('/') ? rootUrl.replace(/\/$/, '') + uri : uri));
  const isOne = (uri: string) => !uri.includes('*') && URL.canParse(uri) && !uri.includes('${');
  return { taken: whole.filter(isOne), left: whole.filter((uri) => !isOne(uri)) };
}

/** Of a machine: the roles of its service account that stand for something here. */
function scopesOf(
  { clientId, serviceAccountsEnabled }: RealmClient,
  { users }: Realm,
  isApplication: boolean,
  draft: Draft,
): readonly string[] | undefined {
  if (!serviceAccountsEnabled) return undefined;
  const roles =
    users.find(({ serviceAccountClientId }) => serviceAccountClientId === clientId)?.realmRoles ?? [];
  const scopes = roles.flatMap((role) => {
    const name = draft.roleFor(role);
    return name === undefined ? [] : [`app:${name}`];
  });
  if (scopes.length > 0) return isApplication ? ['openid', 'email', 'profile', ...scopes] : scopes;
  draft.leave(
    `client ${clientId}: scopes`,
    'roles there say nothing of maps and queues: give it scopes, else its tokens open nothing',
  );
  return undefined;
}

function logoutOf(
  { clientId, attributes, frontchannelLogout }: RealmClient,
  redirectUris: readonly string[],
  draft: Draft,
) {
  const listed = (attributes['post.logout.redirect.uris'] ?? '')
    .split('##')
    .filter((uri) => uri !== '' && uri !== '-');
  const posts = [...new Set(listed.flatMap((uri) => (uri === '+' ? redirectUris : [uri])))];
  const wide = posts.filter((uri) => uri.includes('*'));
  for (const uri of wide) {
    draft.leave(
      `client ${clientId}: address after sign-out ${uri}`,
      'addresses are compared character by character',
    );
  }
  const postLogoutUris = posts.filter((uri) => !wide.includes(uri));
  return {
    postLogoutUris: postLogoutUris.length > 0 ? postLogoutUris : undefined,
    backchannelLogoutUri: attributes['backchannel.logout.url'] || undefined,
    frontchannelLogoutUri: (frontchannelLogout && attributes['frontchannel.logout.url']) || undefined,
    logoUri: attributes.logoUri || undefined,
    pkce: attributes['pkce.code.challenge.method'] === 'S256' ? 'required' : undefined,
  };
}

/** @returns undefined for none, and for one that people would not be led to here */
function homeOf({ clientId, rootUrl = '', baseUrl = '' }: RealmClient, draft: Draft): string | undefined {
  if (baseUrl === '') return undefined;
  const uri = baseUrl.startsWith('/') ? rootUrl.replace(/\/$/, '') + baseUrl : baseUrl;
  if (/^https:\/\/[^#${]+$/.test(uri) && URL.canParse(uri)) return uri;
  draft.leave(`client ${clientId}: home page ${uri}`, 'a home page here is a whole https address');
  return undefined;
}

const algs = ['RS256', 'ES256', 'EdDSA'];

function tokensOf({ clientId, attributes }: RealmClient, draft: Draft) {
  const alg = attributes['access.token.signed.response.alg'];
  const life = attributes['access.token.lifespan'];
  const seconds = life === undefined || life === '' ? undefined : Number(life);
  const isLife = seconds !== undefined && seconds >= 60 && seconds <= 3600;
  if (alg && !algs.includes(alg)) {
    draft.leave(`client ${clientId}: signature ${alg}`, `tokens here are signed by ${algs.join(', ')}`);
  }
  if (seconds !== undefined && !isLife) {
    draft.leave(`client ${clientId}: token life of ${life} s`, 'a token here lives 60 to 3600 seconds');
  }
  return {
    tokenAlg: alg && alg !== 'RS256' && algs.includes(alg) ? alg : undefined,
    tokenTtlSeconds: isLife ? seconds : undefined,
    dpop: attributes['dpop.bound.access.tokens'] === 'true' || undefined,
  };
}

function secretsOf(
  { clientId, publicClient, clientAuthenticatorType: type, secret }: RealmClient,
  isApplication: boolean,
  draft: Draft,
) {
  if (publicClient) return undefined;
  if (type !== 'client-secret') {
    draft.leave(`client ${clientId}: ${type}`, 'clients prove who they are by a secret here: add one');
    return undefined;
  }
  const value = shownSecret(secret);
  if (value !== undefined && (value.length < 32 || value.length > 256)) {
    draft.leave(`client ${clientId}: its secret`, 'a secret here has 32 to 256 characters: add another one');
    return undefined;
  }
  const path = `secrets/${isApplication ? 'applications' : 'clients'}-${clientId}-keycloak`;
  return [{ id: 'keycloak', from: draft.secret(path, value) }];
}

function leaveRest(client: RealmClient, { leave }: Draft): void {
  const about = `client ${client.clientId}`;
  if (client.implicitFlowEnabled)
    leave(`${about}: implicit flow`, 'there is none here: the code flow with PKCE');
  if (client.directAccessGrantsEnabled)
    leave(`${about}: passwords at the token endpoint`, 'there is no such grant here');
  if (client.authorizationServicesEnabled)
    leave(`${about}: authorization services`, 'there is nothing of the kind');
  if (client.standardFlowEnabled && !client.consentRequired) {
    leave(
      `${about}: sign-in without consent`,
      'firstParty: true has people not asked, and gives it all their roles',
    );
  }
  const origins = client.webOrigins.filter((origin) => origin !== '+' && origin !== '');
  if (origins.length > 0)
    leave(`${about}: web origins ${origins.join(' ')}`, 'origins follow from its redirect addresses');
  const mappers = client.protocolMappers.filter(
    ({ protocolMapper }) => protocolMapper !== 'oidc-usersessionmodel-note-mapper',
  );
  for (const { name } of mappers)
    leave(`${about}: mapper ${name}`, 'claims of tokens are the same for all here');
}
