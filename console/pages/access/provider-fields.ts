/** Which fields each kind of identity provider has, and what presets fill them with. */

import type {
  ProviderField,
  ProviderValues,
} from '../../../views/management/access/identity-provider-form.tsx';
import type { ProviderKind } from '../../../views/management/access/identity-providers.tsx';

export interface FormField extends ProviderField {
  /** What the command calls it; by default its name with hyphens. */
  readonly flag?: string;
  /** Left empty it is not said at all, since nothing stands for it. */
  readonly isKept?: boolean;
  /** The API has several values of it, by lines or by spaces. */
  readonly list?: 'lines' | 'words';
}

const rare = { isOptional: true, isRare: true } as const;

const roleRules: FormField = {
  name: 'roleRules',
  label: 'Role rules',
  type: 'lines',
  hint: 'A line each: attribute=value -> Role. Claims inside objects by their path: realm_access.roles.',
  list: 'lines',
  flag: 'role-rule',
  isOptional: true,
};
const name: FormField = {
  name: 'name',
  label: 'Name',
  type: 'text',
  hint: 'What people see on the sign-in page.',
  isOptional: true,
};
const position: FormField = {
  name: 'position',
  label: 'Order',
  type: 'number',
  hint: 'Among those that people are offered, and in which directories are asked: 0 to 9999, lower ones first.',
  ...rare,
};

const endpoints = [
  ['authorizationEndpoint', 'Authorization endpoint'],
  ['tokenEndpoint', 'Token endpoint'],
  ['jwksUri', 'Key set'],
  ['userinfoEndpoint', 'Userinfo endpoint'],
  ['endSessionEndpoint', 'End-session endpoint'],
] as const;

const oidc: readonly FormField[] = [
  {
    name: 'issuer',
    label: 'Issuer',
    type: 'url',
    hint: 'The address before /.well-known/openid-configuration, character by character.',
  },
  { name: 'clientId', label: 'Client ID', type: 'text', hint: 'What this console is called there.' },
  {
    name: 'clientSecret',
    label: 'Client secret',
    type: 'secret',
    flag: 'client-secret-file',
    isOptional: true,
    isKept: true,
  },
];
const oidcRare: readonly FormField[] = [
  {
    name: 'clientAuth',
    label: 'Client authentication',
    type: 'select',
    options: [
      { value: '', label: 'By what is given: a secret or a key' },
      { value: 'basic', label: 'Secret in the header (client_secret_basic)' },
      { value: 'post', label: 'Secret in the form (client_secret_post)' },
      { value: 'private_key_jwt', label: 'Signed by a key (private_key_jwt)' },
      { value: 'none', label: 'None: a public client' },
    ],
    isRare: true,
    isKept: true,
  },
  {
    name: 'clientKey',
    label: 'Client key',
    type: 'secretLines',
    hint: 'PEM or JWK, for private_key_jwt.',
    flag: 'client-key-file',
    isKept: true,
    ...rare,
  },
  { name: 'clientKeyId', label: 'Key ID', type: 'text', isKept: true, ...rare },
  {
    name: 'scopes',
    label: 'Scopes',
    type: 'text',
    hint: 'Beside openid, with spaces between them.',
    list: 'words',
    flag: 'scope',
    ...rare,
  },
  {
    name: 'idTokenAlg',
    label: 'Signature of ID tokens',
    type: 'select',
    options: ['RS256', 'PS256', 'ES256', 'EdDSA'].map((value) => ({ value, label: value })),
    isRare: true,
  },
  ...endpoints.map(([name, label]) => ({
    name,
    label,
    type: 'url' as const,
    hint: 'Only where the provider publishes no metadata.',
    ...rare,
  })),
];

const saml: readonly FormField[] = [
  {
    name: 'metadataUrl',
    label: 'Address of its metadata',
    type: 'url',
    hint: 'Read once: what stands there now is pinned.',
    isOptional: true,
  },
  {
    name: 'metadata',
    label: 'Or its metadata',
    type: 'lines',
    hint: 'The document itself (XML).',
    flag: 'metadata-file',
    isOptional: true,
    isKept: true,
  },
];
const samlRare: readonly FormField[] = [
  {
    name: 'metadataCertificate',
    label: 'Certificate of who signs the metadata',
    type: 'lines',
    hint: 'PEM. With it they are fetched again by themselves.',
    flag: 'metadata-certificate-file',
    isKept: true,
    ...rare,
  },
  {
    name: 'signRequests',
    label: 'Signed requests',
    type: 'switch',
    hint: 'Sign requests, by a key that is made for it',
    isRare: true,
  },
  {
    name: 'encryptedAssertions',
    label: 'Encrypted assertions',
    type: 'switch',
    hint: 'Take encrypted assertions, by a key that is made for it',
    isRare: true,
  },
  { name: 'nameIdFormat', label: 'Form of NameID', type: 'text', ...rare },
  {
    name: 'subjectAttribute',
    label: 'Attribute that says who it is',
    type: 'text',
    hint: 'Where the NameID is missing or changes.',
    ...rare,
  },
];

const ldap: readonly FormField[] = [
  { name: 'url', label: 'Address', type: 'text', hint: 'ldaps://host or ldap://host', flag: 'ldap-url' },
  {
    name: 'bindDn',
    label: 'Bind DN',
    type: 'text',
    hint: 'The account that looks people up.',
    isOptional: true,
    isKept: true,
  },
  {
    name: 'bindPassword',
    label: 'Bind password',
    type: 'secret',
    flag: 'bind-password-file',
    isOptional: true,
    isKept: true,
  },
  {
    name: 'baseDn',
    label: 'Base DN',
    type: 'text',
    hint: 'Where people are.',
    isOptional: true,
    isKept: true,
  },
  {
    name: 'userFilter',
    label: 'User filter',
    type: 'text',
    hint: 'How they are found: (&(objectClass=person)(uid={username})) where nothing is said.',
    isOptional: true,
  },
];
const ldapRare: readonly FormField[] = [
  {
    name: 'dnTemplate',
    label: 'DN template',
    type: 'text',
    hint: 'Instead of a search: uid={username},ou=people,dc=example',
    isKept: true,
    ...rare,
  },
  { name: 'startTls', label: 'StartTLS', type: 'switch', hint: 'Encrypt an ldap: connection', isRare: true },
  {
    name: 'allowPlaintext',
    label: 'Unencrypted',
    type: 'switch',
    hint: 'Let passwords cross the network in the clear',
    isRare: true,
  },
  {
    name: 'ca',
    label: 'Certificates of the authorities',
    type: 'lines',
    hint: 'PEM: believed instead of the usual ones.',
    flag: 'ca-file',
    isKept: true,
    ...rare,
  },
  { name: 'groupBaseDn', label: 'Base DN of groups', type: 'text', ...rare },
  {
    name: 'groupAttribute',
    label: 'Attribute of members',
    type: 'text',
    hint: 'member, uniqueMember or memberUid.',
    ...rare,
  },
  { name: 'groupNameAttribute', label: 'Attribute of group names', type: 'text', ...rare },
  { name: 'groupFilter', label: 'Group filter', type: 'text', ...rare },
  { name: 'subjectAttribute', label: 'Attribute that says who it is', type: 'text', ...rare },
  { name: 'usernameAttribute', label: 'Attribute of user names', type: 'text', ...rare },
  { name: 'emailAttribute', label: 'Attribute of email addresses', type: 'text', ...rare },
  { name: 'nameAttribute', label: 'Attribute of names', type: 'text', ...rare },
];

const ofKind: Readonly<Record<ProviderKind, readonly [readonly FormField[], readonly FormField[]]>> = {
  oidc: [oidc, oidcRare],
  saml: [saml, samlRare],
  ldap: [ldap, ldapRare],
};

/** @param roles  that may be given to whoever fits no rule */
export function fieldsOf(kind: ProviderKind, roles: readonly string[]): readonly FormField[] {
  const [usual, seldom] = ofKind[kind];
  const defaultRole: FormField = {
    name: 'defaultRole',
    label: 'Role of whoever fits no rule',
    type: 'select',
    options: [
      { value: '', label: 'None: refused' },
      ...roles.filter((role) => role !== 'Admin').map((value) => ({ value, label: value })),
    ],
  };
  return [name, ...usual, roleRules, defaultRole, position, ...seldom];
}

export interface Preset {
  /** In the address. */
  readonly id: string;
  readonly label: string;
  readonly meaning: string;
  readonly kind: ProviderKind;
  /** What the new provider may be called. */
  readonly provider: string;
  /** What has to be done at the provider. */
  readonly before: string;
  readonly values: ProviderValues;
}

const registered = 'At the provider, register a confidential client with the authorization code flow.';

export const presets: readonly [Preset, ...Preset[]] = [
  {
    id: 'keycloak',
    label: 'Keycloak',
    meaning: 'a realm, by OpenID Connect',
    kind: 'oidc',
    provider: 'keycloak',
    before:
      'In Keycloak: Clients, Create client, client ID “console”, Client authentication on, Standard flow alone; then in the client scope “roles” switch “Add to ID token” on. The issuer is https://…/realms/REALM.',
    values: {
      name: 'Keycloak',
      clientId: 'console',
      roleRules: 'realm_access.roles=cluster-admin -> Admin',
    },
  },
  {
    id: 'entra',
    label: 'Entra ID',
    meaning: 'Microsoft, by OpenID Connect',
    kind: 'oidc',
    provider: 'entra',
    before:
      'In Entra ID: App registrations, New registration; then a client secret, and app roles for whom you assign.',
    values: {
      name: 'Microsoft',
      issuer: 'https://login.microsoftonline.com/TENANT/v2.0',
      roleRules: 'roles=Cluster.Admin -> Admin',
    },
  },
  {
    id: 'oidc',
    label: 'OpenID Connect',
    meaning: 'Okta, Auth0, Google, another console',
    kind: 'oidc',
    provider: '',
    before: registered,
    values: { roleRules: 'groups=cluster-admins -> Admin' },
  },
  {
    id: 'saml',
    label: 'SAML 2.0',
    meaning: 'ADFS, Shibboleth, SimpleSAMLphp',
    kind: 'saml',
    provider: '',
    before:
      'It may not begin sign-ins by itself; it sends a NameID that lasts, and signs its assertions. What it needs of this console stands on the next page.',
    values: { roleRules: 'groups=cluster-admins -> Admin' },
  },
  {
    id: 'ad',
    label: 'Active Directory',
    meaning: 'people type its name and password here',
    kind: 'ldap',
    provider: 'ad',
    before: 'In the directory, make an account that may search for people.',
    values: {
      name: 'Active Directory',
      url: 'ldaps://',
      userFilter: '(&(objectClass=user)(sAMAccountName={username}))',
      usernameAttribute: 'sAMAccountName',
      subjectAttribute: 'objectGUID',
      roleRules: 'memberOf=CN=Cluster Admins,OU=Groups,DC=corp,DC=example -> Admin',
    },
  },
  {
    id: 'ldap',
    label: 'LDAP',
    meaning: 'OpenLDAP, 389 Directory and others',
    kind: 'ldap',
    provider: '',
    before: 'In the directory, make an account that may search for people.',
    values: { url: 'ldaps://', roleRules: 'memberOf=cn=ops,ou=groups,dc=corp,dc=example -> Admin' },
  },
];

export function presetNamed(id: string | undefined): Preset | undefined {
  return presets.find((preset) => preset.id === id);
}
