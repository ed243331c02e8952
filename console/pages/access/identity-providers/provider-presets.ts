/** Providers that are often added, and what their forms begin with. */
import type { ProviderValues } from '../../../../views/management/access/identity-providers/provider-form.tsx';
import type { ProviderKind } from '../../../../views/management/access/identity-providers/provider-parts.tsx';
import type { WordKey } from '../../../../views/texts/text.ts';

export interface Preset {
  /** In the address. */
  readonly id: string;
  readonly label: string;
  readonly meaning: WordKey;
  readonly kind: ProviderKind;
  /** What the new provider may be called. */
  readonly provider: string;
  /** What has to be done at the provider. */
  readonly before: WordKey;
  readonly values: ProviderValues;
}

export const presets: readonly [Preset, ...Preset[]] = [
  {
    id: 'keycloak',
    label: 'Keycloak',
    meaning: 'preset.keycloak',
    kind: 'oidc',
    provider: 'keycloak',
    before: 'preset.keycloakBefore',
    values: {
      name: 'Keycloak',
      clientId: 'console',
      roleRules: 'realm_access.roles=cluster-admin -> Admin',
    },
  },
  {
    id: 'entra',
    label: 'Entra ID',
    meaning: 'preset.entra',
    kind: 'oidc',
    provider: 'entra',
    before: 'preset.entraBefore',
    values: {
      name: 'Microsoft',
      issuer: 'https://login.microsoftonline.com/TENANT/v2.0',
      roleRules: 'roles=Cluster.Admin -> Admin',
    },
  },
  {
    id: 'oidc',
    label: 'OpenID Connect',
    meaning: 'preset.oidc',
    kind: 'oidc',
    provider: '',
    before: 'preset.oidcBefore',
    values: { roleRules: 'groups=cluster-admins -> Admin' },
  },
  {
    id: 'saml',
    label: 'SAML 2.0',
    meaning: 'preset.saml',
    kind: 'saml',
    provider: '',
    before: 'preset.samlBefore',
    values: { roleRules: 'groups=cluster-admins -> Admin' },
  },
  {
    id: 'ad',
    label: 'Active Directory',
    meaning: 'preset.ad',
    kind: 'ldap',
    provider: 'ad',
    before: 'preset.directoryBefore',
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
    meaning: 'preset.ldap',
    kind: 'ldap',
    provider: '',
    before: 'preset.directoryBefore',
    values: { url: 'ldaps://', roleRules: 'memberOf=cn=ops,ou=groups,dc=corp,dc=example -> Admin' },
  },
];

export function presetNamed(id: string | undefined): Preset | undefined {
  return presets.find((preset) => preset.id === id);
}
