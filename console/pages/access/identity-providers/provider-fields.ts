/** Which fields each kind of identity provider has. */

import type { ProviderField } from '../../../../views/management/access/identity-providers/provider-form.tsx';
import type { ProviderKind } from '../../../../views/management/access/identity-providers/provider-parts.tsx';
import type { Translate, WordKey } from '../../../../views/texts/text.ts';

export interface FormField extends ProviderField {
  /** What the command calls it; by default its name with hyphens. */
  readonly flag?: string;
  /** Left empty it is not said at all, since nothing stands for it. */
  readonly isKept?: boolean;
  /** The API has several values of it, by lines or by spaces. */
  readonly list?: 'lines' | 'words';
}

/** Told in words where it is shown. */
interface KnownField extends Omit<FormField, 'label' | 'hint' | 'options'> {
  readonly label: WordKey;
  readonly hint?: WordKey | ((t: Translate) => string);
  /** One without a label is the same in every language. */
  readonly options?: readonly (string | { readonly value: string; readonly label: WordKey })[];
}

const rare = { isOptional: true, isRare: true } as const;

const roleRules: KnownField = {
  name: 'roleRules',
  label: 'providers.roleRules',
  type: 'lines',
  hint: 'field.roleRulesHint',
  list: 'lines',
  flag: 'role-rule',
  isOptional: true,
};
const name: KnownField = {
  name: 'name',
  label: 'common.name',
  type: 'text',
  hint: 'field.nameHint',
  isOptional: true,
};
const position: KnownField = {
  name: 'position',
  label: 'providers.order',
  type: 'number',
  hint: 'field.positionHint',
  ...rare,
};

const endpoints = [
  ['authorizationEndpoint', 'field.authorizationEndpoint'],
  ['tokenEndpoint', 'field.tokenEndpoint'],
  ['jwksUri', 'common.keySet'],
  ['userinfoEndpoint', 'field.userinfoEndpoint'],
  ['endSessionEndpoint', 'field.endSessionEndpoint'],
] as const;

const oidc: readonly KnownField[] = [
  {
    name: 'issuer',
    label: 'field.issuer',
    type: 'url',
    hint: 'field.issuerHint',
  },
  { name: 'clientId', label: 'access.clientId', type: 'text', hint: 'field.clientIdHint' },
  {
    name: 'clientSecret',
    label: 'field.clientSecret',
    type: 'secret',
    flag: 'client-secret-file',
    isOptional: true,
    isKept: true,
  },
];
const oidcRare: readonly KnownField[] = [
  {
    name: 'clientAuth',
    label: 'field.clientAuth',
    type: 'select',
    options: [
      { value: '', label: 'field.byWhatIsGiven' },
      { value: 'basic', label: 'field.secretInHeader' },
      { value: 'post', label: 'field.secretInForm' },
      { value: 'private_key_jwt', label: 'field.signedByKey' },
      { value: 'none', label: 'field.noneIsPublic' },
    ],
    isRare: true,
    isKept: true,
  },
  {
    name: 'clientKey',
    label: 'field.clientKey',
    type: 'secretLines',
    hint: 'field.clientKeyHint',
    flag: 'client-key-file',
    isKept: true,
    ...rare,
  },
  { name: 'clientKeyId', label: 'field.keyId', type: 'text', isKept: true, ...rare },
  {
    name: 'scopes',
    label: 'grants.scopes',
    type: 'text',
    hint: 'field.scopesHint',
    list: 'words',
    flag: 'scope',
    ...rare,
  },
  {
    name: 'idTokenAlg',
    label: 'field.idTokenAlg',
    type: 'select',
    options: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    isRare: true,
  },
  ...endpoints.map(([name, label]) => ({
    name,
    label,
    type: 'url' as const,
    hint: 'field.endpointHint' as const,
    ...rare,
  })),
];

const saml: readonly KnownField[] = [
  {
    name: 'metadataUrl',
    label: 'field.metadataUrl',
    type: 'url',
    hint: 'field.metadataUrlHint',
    isOptional: true,
  },
  {
    name: 'metadata',
    label: 'field.metadata',
    type: 'lines',
    hint: 'field.metadataHint',
    flag: 'metadata-file',
    isOptional: true,
    isKept: true,
  },
];
const samlRare: readonly KnownField[] = [
  {
    name: 'metadataCertificate',
    label: 'field.metadataCertificate',
    type: 'lines',
    hint: 'field.metadataCertificateHint',
    flag: 'metadata-certificate-file',
    isKept: true,
    ...rare,
  },
  {
    name: 'signRequests',
    label: 'field.signRequests',
    type: 'switch',
    hint: 'field.signRequestsHint',
    isRare: true,
  },
  {
    name: 'encryptedAssertions',
    label: 'field.encryptedAssertions',
    type: 'switch',
    hint: 'field.encryptedAssertionsHint',
    isRare: true,
  },
  { name: 'nameIdFormat', label: 'field.nameIdFormat', type: 'text', ...rare },
  {
    name: 'subjectAttribute',
    label: 'field.subjectAttribute',
    type: 'text',
    hint: 'field.subjectAttributeHint',
    ...rare,
  },
];

const ldap: readonly KnownField[] = [
  { name: 'url', label: 'applications.address', type: 'text', hint: 'field.ldapUrlHint', flag: 'ldap-url' },
  {
    name: 'bindDn',
    label: 'field.bindDn',
    type: 'text',
    hint: 'field.bindDnHint',
    isOptional: true,
    isKept: true,
  },
  {
    name: 'bindPassword',
    label: 'field.bindPassword',
    type: 'secret',
    flag: 'bind-password-file',
    isOptional: true,
    isKept: true,
  },
  {
    name: 'baseDn',
    label: 'field.baseDn',
    type: 'text',
    hint: 'field.baseDnHint',
    isOptional: true,
    isKept: true,
  },
  {
    name: 'userFilter',
    label: 'field.userFilter',
    type: 'text',
    hint: (t) => t('field.userFilterHint', { filter: '(&(objectClass=person)(uid={username}))' }),
    isOptional: true,
  },
];
const ldapRare: readonly KnownField[] = [
  {
    name: 'dnTemplate',
    label: 'field.dnTemplate',
    type: 'text',
    hint: (t) => t('field.dnTemplateHint', { template: 'uid={username},ou=people,dc=example' }),
    isKept: true,
    ...rare,
  },
  { name: 'startTls', label: 'field.startTls', type: 'switch', hint: 'field.startTlsHint', isRare: true },
  {
    name: 'allowPlaintext',
    label: 'field.unencrypted',
    type: 'switch',
    hint: 'field.unencryptedHint',
    isRare: true,
  },
  {
    name: 'ca',
    label: 'field.ca',
    type: 'lines',
    hint: 'field.caHint',
    flag: 'ca-file',
    isKept: true,
    ...rare,
  },
  { name: 'groupBaseDn', label: 'field.groupBaseDn', type: 'text', ...rare },
  {
    name: 'groupAttribute',
    label: 'field.groupAttribute',
    type: 'text',
    hint: 'field.groupAttributeHint',
    ...rare,
  },
  { name: 'groupNameAttribute', label: 'field.groupNameAttribute', type: 'text', ...rare },
  { name: 'groupFilter', label: 'field.groupFilter', type: 'text', ...rare },
  { name: 'subjectAttribute', label: 'field.subjectAttribute', type: 'text', ...rare },
  { name: 'usernameAttribute', label: 'field.usernameAttribute', type: 'text', ...rare },
  { name: 'emailAttribute', label: 'field.emailAttribute', type: 'text', ...rare },
  { name: 'nameAttribute', label: 'field.nameAttribute', type: 'text', ...rare },
];

const ofKind: Readonly<Record<ProviderKind, readonly [readonly KnownField[], readonly KnownField[]]>> = {
  oidc: [oidc, oidcRare],
  saml: [saml, samlRare],
  ldap: [ldap, ldapRare],
};

/** @param roles  that may be given to whoever fits no rule */
export function fieldsOf(kind: ProviderKind, roles: readonly string[], t: Translate): readonly FormField[] {
  const [usual, seldom] = ofKind[kind];
  const defaultRole: KnownField = {
    name: 'defaultRole',
    label: 'field.defaultRole',
    type: 'select',
    options: [{ value: '', label: 'field.noneRefused' }, ...roles.filter((role) => role !== 'Admin')],
  };
  return [name, ...usual, roleRules, defaultRole, position, ...seldom].map((field) => inWords(field, t));
}

function inWords({ label, hint, options, ...field }: KnownField, t: Translate): FormField {
  return {
    ...field,
    label: t(label),
    ...(hint !== undefined && { hint: typeof hint === 'string' ? t(hint) : hint(t) }),
    ...(options && {
      options: options.map((one) =>
        typeof one === 'string' ? { value: one, label: one } : { value: one.value, label: t(one.label) },
      ),
    }),
  };
}
