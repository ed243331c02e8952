/** Directories from which a realm takes people. */
import { type Draft, providerIdOf, said } from './imported.ts';
import { type Realm, type Storage, shownSecret, storagesOf } from './keycloak-realm.ts';

export function addDirectories(realm: Realm, draft: Draft): void {
  for (const storage of storagesOf(realm)) {
    if (storage.providerId === 'ldap') addDirectory(storage, realm, draft);
    else
      draft.leave(
        `user storage ${storage.name} (${storage.providerId})`,
        'people come from LDAP, OpenID Connect and SAML',
      );
  }
}

function addDirectory({ name, config, subComponents }: Storage, realm: Realm, draft: Draft): void {
  const id = providerIdOf(name);
  const about = `directory ${name}`;
  const one = (key: string) => config[key]?.[0] || undefined;
  const [url, ...more] = (one('connectionUrl') ?? '').split(/\s+/);
  const username = one('usernameLDAPAttribute') ?? 'uid';
  if (!url || !one('bindDn') || !one('usersDn')) {
    draft.leave(about, 'it has no address, no account to search with, or no place of people');
    return;
  }
  for (const other of more) draft.leave(`${about}: ${other}`, 'a directory has one address here');
  const mappers = Object.values(subComponents).flat();
  const groups = mappers.find(({ providerId }) => providerId === 'group-ldap-mapper');
  for (const mapper of mappers) {
    if (mapper === groups || ownMappers.includes(mapper.providerId)) continue;
    draft.leave(
      `${about}: mapper ${mapper.name}`,
      'name, address and groups are all that is taken from a directory',
    );
  }
  draft.add(
    'identityProviders',
    id,
    said({
      kind: 'ldap',
      name,
      enabled: one('enabled') === 'false' ? false : undefined,
      url,
      startTls: one('startTls') === 'true' || undefined,
      bindDn: one('bindDn'),
      bindPassword: draft.secret(
        `secrets/identityProviders-${id}-bindPassword`,
        shownSecret(one('bindCredential')),
      ),
      baseDn: one('usersDn'),
      userFilter: filterOf(username, one('userObjectClasses'), one('customUserSearchFilter')),
      usernameAttribute: username,
      subjectAttribute: one('uuidLDAPAttribute'),
      ...(groups && groupsOf(groups.config)),
      roleRules: groups && rulesOf(realm, draft),
    }),
  );
}

/** Those that every directory gets, and what they do is done here. */
const ownMappers = [
  'user-attribute-ldap-mapper',
  'full-name-ldap-mapper',
  'msad-user-account-control-mapper',
];

function filterOf(username: string, classes = '', custom = ''): string {
  const parts = classes
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => `(objectClass=${name})`);
  return `(&${parts.join('')}${custom}(${username}={username}))`;
}

function groupsOf(config: Readonly<Record<string, readonly string[]>>) {
  const one = (key: string) => config[key]?.[0] || undefined;
  return {
    groupBaseDn: one('groups.dn'),
    groupAttribute: one('membership.ldap.attribute'),
    groupNameAttribute: one('group.name.ldap.attribute'),
    groupFilter: one('groups.ldap.filter'),
  };
}

/** Groups that have roles in the realm. */
function rulesOf({ groups }: Realm, { roleFor }: Draft): readonly string[] | undefined {
  const rules = groups.flatMap(({ name, realmRoles }) =>
    realmRoles.flatMap((role) => {
      const given = roleFor(role);
      return given === undefined ? [] : [`groups=${name} -> ${given}`];
    }),
  );
  return rules.length > 0 ? rules : undefined;
}
