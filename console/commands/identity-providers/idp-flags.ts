/** The flags of `idp add` and `idp update`, and what they say of a provider. */
import type { ProviderField, ProviderInput } from '../../federation/providers/input-schema.ts';
import { type Flag, flags, type Input, type Tools, UsageError } from '../runner/command.ts';

/** How each field is given, and what help says of it; a flag `-file` gives what is in the file. */
const usage: Readonly<Record<ProviderField, string>> = {
  name: '[--name N] what people see (default: the id)',
  position: '[--position N] where it stands among those that people are offered: 0 first, without one last',
  roleRules:
    '[--role-rule "attribute=value -> Role" …] who has this value gets this role; both compare exactly',
  defaultRole: '[--default-role R] for whom no rule matches: Viewer or MetricsViewer (default: refused)',
  issuer: '[--issuer U] oidc: the issuer, exactly as the provider writes it',
  clientId: '[--client-id I] oidc: what this console is called there',
  clientAuth: '[--client-auth A] oidc: how it proves itself: basic, post, private_key_jwt, none',
  clientSecret: '[--client-secret-file F] oidc: the file that holds the client secret; - is standard input',
  clientKey: '[--client-key-file F] oidc: the file that holds the client’s private key, PEM or JWK',
  clientKeyId: '[--client-key-id K] oidc: kid of that key, where the provider wants one',
  scopes: '[--scope "…" …] oidc: scopes beside openid (default: email profile)',
  idTokenAlg: '[--id-token-alg A] oidc: RS256, PS256, ES256 or EdDSA (default: RS256)',
  authorizationEndpoint:
    '[--authorization-endpoint U] oidc: by hand, where the provider publishes no metadata',
  tokenEndpoint: '[--token-endpoint U] oidc: the same',
  jwksUri: '[--jwks-uri U] oidc: the same',
  userinfoEndpoint: '[--userinfo-endpoint U] oidc: the same, if there is one',
  endSessionEndpoint: '[--end-session-endpoint U] oidc: the same, if there is one',
  metadataUrl: '[--metadata-url U] saml: where the provider’s metadata are; read once and pinned',
  metadata: '[--metadata-file F] saml: the same as a file',
  metadataCertificate:
    '[--metadata-certificate-file F] saml: the certificate (PEM) of who signs the metadata, which are then fetched again by themselves',
  signRequests:
    '[--sign-requests] saml: makes a key and a certificate, new ones at an update, and signs requests',
  encryptedAssertions:
    '[--encrypted-assertions] saml: makes a key and a certificate, for which the provider may encrypt assertions',
  nameIdFormat: '[--name-id-format N] saml: the form of NameID to ask for',
  url: '[--ldap-url U] ldap: ldaps://host or ldap://host, and a port if need be',
  startTls: '[--start-tls] ldap: encrypts an ldap: connection before anything is said',
  ca: '[--ca-file F] ldap: certificates (PEM) of the authorities to believe instead of the usual ones',
  allowPlaintext: '[--allow-plaintext] ldap: passwords may cross the network in the clear',
  bindDn: '[--bind-dn D] ldap: the account that looks people up',
  bindPassword: '[--bind-password-file F] ldap: the file that holds its password; - is standard input',
  baseDn: '[--base-dn D] ldap: where people are',
  userFilter:
    '[--user-filter "(…)"] ldap: how they are found (default: (&(objectClass=person)(uid={username})))',
  dnTemplate: '[--dn-template D] ldap: without a search: uid={username},ou=people,…',
  groupBaseDn: '[--group-base-dn D] ldap: where groups are looked up; their names come as attribute groups',
  groupAttribute: '[--group-attribute A] ldap: how groups name members: member, uniqueMember or memberUid',
  groupNameAttribute: '[--group-name-attribute A] ldap: what names a group (default: cn)',
  groupFilter: '[--group-filter "(…)"] ldap: what else a group must be',
  subjectAttribute:
    '[--subject-attribute A] saml, ldap: what never belongs to another person (default: the NameID; entryUUID or objectGUID)',
  usernameAttribute: '[--username-attribute A] ldap: the user name (default: uid)',
  emailAttribute: '[--email-attribute A] ldap: the e-mail address (default: mail)',
  nameAttribute: '[--name-attribute A] ldap: the name (default: displayName)',
};

interface FieldFlag extends Flag {
  readonly field: ProviderField;
}

export const providerFlags: Readonly<Record<string, FieldFlag>> = Object.fromEntries(
  (Object.entries(usage) as [ProviderField, string][]).flatMap(([field, text]) => {
    const [, form = '', meaning = ''] = /^(\[.*?\]) (.*)$/.exec(text) ?? [];
    return Object.entries(flags({ [form]: meaning })).map(([name, flag]) => [name, { ...flag, field }]);
  }),
);

/** Undefined: no field of a provider. */
export function flagCalled(field: string): string | undefined {
  const flag = flagOf(field);
  return flag && `--${flag}`;
}

function flagOf(field: string): string | undefined {
  return Object.keys(providerFlags).find((name) => providerFlags[name]!.field === field);
}

const secretFields: readonly ProviderField[] = ['clientSecret', 'bindPassword', 'clientKey'];

/** @throws {ProblemError} when a file cannot be read */
export async function readProviderFlags(
  input: Input,
  { readSecret, readFile }: Pick<Tools, 'readSecret' | 'readFile'>,
): Promise<ProviderInput> {
  const fromStdin = secretFields.filter((field) => input.text(flagOf(field)!) === '-');
  if (fromStdin.length > 1) {
    throw new UsageError(
      `Standard input holds one secret: ${fromStdin.map(flagCalled).join(' and ')} cannot both be -.`,
    );
  }
  const said: Partial<Record<ProviderField, unknown>> = {};
  for (const [flag, { field, value, isRepeatable }] of Object.entries(providerFlags)) {
    if (!input.has(flag)) continue;
    if (value === undefined) said[field] = true;
    else if (isRepeatable) said[field] = input.texts(flag);
    else if (secretFields.includes(field)) said[field] = await readSecret(input.text(flag)!);
    else if (flag.endsWith('-file')) said[field] = await readFile(input.text(flag)!);
    else if (field === 'position') said[field] = numberIn(input.text(flag)!);
    else said[field] = input.text(flag);
  }
  return said as ProviderInput;
}

/** @throws {UsageError} */
function numberIn(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError('--position is a number from 0 to 9999.');
}
