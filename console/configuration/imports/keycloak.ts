/** A realm as Keycloak exports it: `bin/kc.sh export`, or *Export* in its console, which hides secrets. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import { createDraft, type Draft, type Imported } from './imported.ts';
import { addClients } from './keycloak-clients.ts';
import { addDirectories } from './keycloak-directories.ts';
import { addProviders } from './keycloak-providers.ts';
import { ownClients, type Realm, realmForm } from './keycloak-realm.ts';

export interface ImportOptions {
  readonly source: string;
  /** What roles of the other server stand for here. */
  readonly roles: ReadonlyMap<string, string>;
}

/** @throws {ProblemError} `invalid_request` for what is no export of a realm */
export function importKeycloakRealm(text: string, { source, roles }: ImportOptions): Imported {
  const draft = createDraft(roles);
  const realm = readRealm(text);
  leaveRoles(realm, draft);
  addProviders(realm, draft);
  addDirectories(realm, draft);
  addClients(realm, draft);
  leaveRest(realm, draft);
  return draft.finish(source);
}

function readRealm(text: string): Realm {
  const read = realmForm.safeParse(parsed(text));
  if (read.success) return read.data;
  const at = read.error.issues[0]?.path.join('.');
  throw notRealm(at ? `${at} is not as Keycloak writes it` : 'it is not as Keycloak writes it');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notRealm('it is not JSON');
  }
}

function notRealm(why: string): ProblemError {
  return new ProblemError(problems.invalidRequest, `This is no export of one realm: ${why}.`);
}

/** Its own, which every realm has. */
const isOwnRole = (name: string, realm: string) =>
  ['uma_authorization', 'offline_access', `default-roles-${realm}`].includes(name);

function leaveRoles({ realm, roles, groups }: Realm, draft: Draft): void {
  const named = [
    ...roles.realm.filter(({ name }) => !isOwnRole(name, realm)).map(({ name }) => name),
    ...Object.entries(roles.client).flatMap(([client, list]) =>
      ownClients.includes(client) ? [] : list.map(({ name }) => `${client}.${name}`),
    ),
  ];
  for (const name of named) {
    if (draft.roleFor(name) !== undefined) continue;
    draft.leave(
      `role ${name}`,
      `a role here is made of permissions: --role ${name}=Viewer says which one it stands for`,
    );
  }
  for (const { path } of groups) {
    draft.leave(
      `group ${path}`,
      'there are no groups here: roles are given to people, or by rules of a provider',
    );
  }
}

function leaveRest(realm: Realm, { leave }: Draft): void {
  const people = realm.users.filter(({ serviceAccountClientId }) => serviceAccountClientId === undefined);
  if (people.length > 0) {
    leave(
      `${people.length} users`,
      'npx console import users FILE --from keycloak brings them along, with passwords',
    );
  }
  const setting = (what: string, value: number | undefined, name: string) => {
    if (value !== undefined) leave(`${what} ${value}`, `a setting of the console: ${name}=${value}`);
  };
  setting('accessTokenLifespan', realm.accessTokenLifespan, 'CONSOLE_ACCESS_TOKEN_TTL');
  setting('ssoSessionIdleTimeout', realm.ssoSessionIdleTimeout, 'CONSOLE_SESSION_IDLE_SECONDS');
  setting('ssoSessionMaxLifespan', realm.ssoSessionMaxLifespan, 'CONSOLE_SESSION_MAX_SECONDS');
  if (realm.passwordPolicy) {
    leave(
      `password policy ${realm.passwordPolicy}`,
      'CONSOLE_PASSWORD_MIN_LENGTH sets the length, the rest is built in',
    );
  }
  const flows = realm.authenticationFlows.filter(({ builtIn }) => builtIn === false);
  for (const { alias } of flows)
    leave(`authentication flow ${alias}`, 'sign-in has one way, with a password or a provider');
  for (const { name, protocol } of realm.clientScopes) {
    if (isOwnScope(name, protocol)) continue;
    leave(`client scope ${name}`, 'scopes here open calls to members: they are said of each client');
  }
  if (Object.keys(realm.smtpServer).length > 0) leave('mail server', 'the console sends no mail');
  if (realm.registrationAllowed)
    leave('registration by people themselves', 'administrators and providers make accounts');
  if (realm.bruteForceProtected) leave('protection against guessing', 'it is built in, and always on');
  if (realm.organizationsEnabled) leave('organizations', 'there is nothing of the kind');
}

const ownScopes = [
  ...[
    'acr',
    'address',
    'basic',
    'email',
    'microprofile-jwt',
    'offline_access',
    'organization',
    'phone',
    'profile',
  ],
  ...['role_list', 'roles', 'saml_organization', 'service_account', 'web-origins'],
];

function isOwnScope(name: string, protocol: string | undefined): boolean {
  return ownScopes.includes(name) || protocol === 'saml';
}
