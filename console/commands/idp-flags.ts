/** The flags of `idp add` and `idp update`, and what they say of a provider. */
import type { ProviderField, ProviderInput } from '../federation/providers/input-schema.ts';
import { type Flag, type Input, type Tools, UsageError } from './runner/command.ts';

/** How each field is given; `-file` fields hold what is in the file. */
const flagOfField: Readonly<Record<ProviderField, string>> = {
  name: 'name',
  roleRules: 'role-rule',
  defaultRole: 'default-role',
  issuer: 'issuer',
  clientId: 'client-id',
  clientAuth: 'client-auth',
  clientSecret: 'client-secret-file',
  clientKey: 'client-key-file',
  clientKeyId: 'client-key-id',
  scopes: 'scope',
  idTokenAlg: 'id-token-alg',
  authorizationEndpoint: 'authorization-endpoint',
  tokenEndpoint: 'token-endpoint',
  jwksUri: 'jwks-uri',
  userinfoEndpoint: 'userinfo-endpoint',
  endSessionEndpoint: 'end-session-endpoint',
  metadataUrl: 'metadata-url',
  metadata: 'metadata-file',
  metadataCertificate: 'metadata-certificate-file',
  signRequests: 'sign-requests',
  encryptedAssertions: 'encrypted-assertions',
  nameIdFormat: 'name-id-format',
  url: 'url',
  startTls: 'start-tls',
  ca: 'ca-file',
  allowPlaintext: 'allow-plaintext',
  bindDn: 'bind-dn',
  bindPassword: 'bind-password-file',
  baseDn: 'base-dn',
  userFilter: 'user-filter',
  dnTemplate: 'dn-template',
  groupBaseDn: 'group-base-dn',
  groupAttribute: 'group-attribute',
  groupNameAttribute: 'group-name-attribute',
  groupFilter: 'group-filter',
  subjectAttribute: 'subject-attribute',
  usernameAttribute: 'username-attribute',
  emailAttribute: 'email-attribute',
  nameAttribute: 'name-attribute',
};

export const providerFlags: Readonly<Record<string, Flag>> = {
  name: { value: 'N', meaning: 'what people see (default: the id)' },
  'role-rule': {
    value: '"attribute=value -> Role"',
    isRepeatable: true,
    meaning: 'who has this value gets this role; both compare exactly',
  },
  'default-role': {
    value: 'R',
    meaning: 'for whom no rule matches: Viewer or MetricsViewer (default: refused)',
  },

  issuer: { value: 'U', meaning: 'oidc: the issuer, exactly as the provider writes it' },
  'client-id': { value: 'I', meaning: 'oidc: what this console is called there' },
  'client-auth': { value: 'A', meaning: 'oidc: how it proves itself: basic, post, private_key_jwt, none' },
  'client-secret-file': {
    value: 'F',
    meaning: 'oidc: the file that holds the client secret; - is standard input',
  },
  'client-key-file': {
    value: 'F',
    meaning: 'oidc: the file that holds the client’s private key, PEM or JWK',
  },
  'client-key-id': { value: 'K', meaning: 'oidc: kid of that key, where the provider wants one' },
  scope: { value: '"…"', isRepeatable: true, meaning: 'oidc: scopes beside openid (default: email profile)' },
  'id-token-alg': { value: 'A', meaning: 'oidc: RS256, PS256, ES256 or EdDSA (default: RS256)' },
  'authorization-endpoint': {
    value: 'U',
    meaning: 'oidc: by hand, where the provider publishes no metadata',
  },
  'token-endpoint': { value: 'U', meaning: 'oidc: the same' },
  'jwks-uri': { value: 'U', meaning: 'oidc: the same' },
  'userinfo-endpoint': { value: 'U', meaning: 'oidc: the same, if there is one' },
  'end-session-endpoint': { value: 'U', meaning: 'oidc: the same, if there is one' },

  'metadata-url': { value: 'U', meaning: 'saml: where the provider’s metadata are; read once and pinned' },
  'metadata-file': { value: 'F', meaning: 'saml: the same as a file' },
  'metadata-certificate-file': {
    value: 'F',
    meaning:
      'saml: the certificate (PEM) of who signs the metadata, which are then fetched again by themselves',
  },
  'sign-requests': { meaning: 'saml: makes a key and a certificate, and signs requests' },
  'encrypted-assertions': {
    meaning: 'saml: makes a key and a certificate, for which the provider may encrypt assertions',
  },
  'name-id-format': { value: 'N', meaning: 'saml: the form of NameID to ask for' },

  url: { value: 'ldap://…', meaning: 'ldap: ldaps://host or ldap://host, and a port if need be' },
  'start-tls': { meaning: 'ldap: encrypts an ldap: connection before anything is said' },
  'ca-file': {
    value: 'F',
    meaning: 'ldap: certificates (PEM) of the authorities to believe instead of the usual ones',
  },
  'allow-plaintext': { meaning: 'ldap: passwords may cross the network in the clear' },
  'bind-dn': { value: 'D', meaning: 'ldap: the account that looks people up' },
  'bind-password-file': {
    value: 'F',
    meaning: 'ldap: the file that holds its password; - is standard input',
  },
  'base-dn': { value: 'D', meaning: 'ldap: where people are' },
  'user-filter': {
    value: '"(…)"',
    meaning: 'ldap: how they are found (default: (&(objectClass=person)(uid={username})))',
  },
  'dn-template': { value: 'D', meaning: 'ldap: without a search: uid={username},ou=people,…' },
  'group-base-dn': {
    value: 'D',
    meaning: 'ldap: where groups are looked up; their names come as attribute groups',
  },
  'group-attribute': {
    value: 'A',
    meaning: 'ldap: how groups name members: member, uniqueMember or memberUid',
  },
  'group-name-attribute': { value: 'A', meaning: 'ldap: what names a group (default: cn)' },
  'group-filter': { value: '"(…)"', meaning: 'ldap: what else a group must be' },
  'subject-attribute': {
    value: 'A',
    meaning:
      'saml, ldap: what never belongs to another person (default: the NameID; entryUUID or objectGUID)',
  },
  'username-attribute': { value: 'A', meaning: 'ldap: the user name (default: uid)' },
  'email-attribute': { value: 'A', meaning: 'ldap: the e-mail address (default: mail)' },
  'name-attribute': { value: 'A', meaning: 'ldap: the name (default: displayName)' },
};

export function flagCalled(field: ProviderField): string {
  return `--${flagOfField[field]}`;
}

const secretFields = ['clientSecret', 'bindPassword', 'clientKey'] as const;
const fileFields = ['metadata', 'metadataCertificate', 'ca'] as const;
const switches = ['signRequests', 'encryptedAssertions', 'startTls', 'allowPlaintext'] as const;
const repeated = ['roleRules', 'scopes'] as const;

/** @throws {ProblemError} when a file cannot be read */
export async function readProviderFlags(
  input: Input,
  { readSecret, readFile }: Pick<Tools, 'readSecret' | 'readFile'>,
): Promise<ProviderInput> {
  const fromStdin = secretFields.filter((field) => input.text(flagOfField[field]) === '-');
  if (fromStdin.length > 1) {
    throw new UsageError(
      `Standard input holds one secret: ${fromStdin.map(flagCalled).join(' and ')} cannot both be -.`,
    );
  }
  const said: Partial<Record<ProviderField, unknown>> = {};
  for (const [field, flag] of Object.entries(flagOfField) as [ProviderField, string][]) {
    if (!input.has(flag)) continue;
    if (isOneOf(switches, field)) said[field] = true;
    else if (isOneOf(repeated, field)) said[field] = input.texts(flag);
    else if (isOneOf(secretFields, field)) said[field] = await readSecret(input.text(flag)!);
    else if (isOneOf(fileFields, field)) said[field] = await readFile(input.text(flag)!);
    else said[field] = input.text(flag);
  }
  return said as ProviderInput;
}

function isOneOf(fields: readonly ProviderField[], field: ProviderField): boolean {
  return fields.includes(field);
}
