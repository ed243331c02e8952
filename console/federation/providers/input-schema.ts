/**
 * The fields that say what a provider is: one schema for the type, for what the admin API takes, and for which kind
 * of provider each field is for.
 */
import { z } from 'zod';
import { type FieldWithDefault, fieldsWithDefault } from './forgotten-fields.ts';
import { type ProviderKind, providerKinds } from './kinds.ts';
import { providerIdPattern } from './schema.ts';

const text = z.string().min(1).max(262_144);
const list = z.array(text).max(200);
const isAsked = z.boolean();
/** What comes in and never goes out again. */
const secret = text.meta({ writeOnly: true });

const commonFields = {
  name: text.meta({ example: 'Corp login' }),
  position: z.number().int().min(0).max(9999).meta({
    description:
      'Where it stands among those that people are offered, and in which order directories are asked: lower ones first, those without one last.',
    example: 1,
  }),
  roleRules: list.meta({
    description: '`attribute=value -> Role`',
    example: ['groups=cluster-admins -> Admin'],
  }),
  defaultRole: text.describe('`none` takes it away'),
};

const oidcFields = {
  issuer: text.meta({ example: 'https://login.corp.example' }),
  clientId: text.meta({ example: 'console' }),
  clientAuth: text.meta({ description: '`basic`, `post`, `private_key_jwt` or `none`', example: 'none' }),
  clientSecret: secret,
  clientKey: secret.describe('PEM or JWK'),
  clientKeyId: text,
  scopes: list,
  idTokenAlg: text,
  authorizationEndpoint: text,
  tokenEndpoint: text,
  jwksUri: text,
  userinfoEndpoint: text,
  endSessionEndpoint: text,
};

const samlFields = {
  metadataUrl: text,
  metadata: text.describe('the document'),
  metadataCertificate: text.describe('PEM: who signs the metadata'),
  signRequests: isAsked,
  encryptedAssertions: isAsked,
  nameIdFormat: text,
  subjectAttribute: text,
};

const ldapFields = {
  url: text,
  startTls: isAsked,
  ca: text.describe('PEM'),
  allowPlaintext: isAsked,
  bindDn: text,
  bindPassword: secret,
  baseDn: text,
  userFilter: text,
  dnTemplate: text,
  groupBaseDn: text,
  groupAttribute: text,
  groupNameAttribute: text,
  groupFilter: text,
  subjectAttribute: text,
  usernameAttribute: text,
  emailAttribute: text,
  nameAttribute: text,
};

const fields = { ...commonFields, ...oidcFields, ...samlFields, ...ldapFields };

/** What an administrator says of a provider; which fields have to be there hangs on its kind, and on the others. */
export const providerInput = z.strictObject(fields).partial();

/** What was said of a provider; what is absent was not. */
export type ProviderInput = z.infer<typeof providerInput>;
export type ProviderField = keyof ProviderInput;

const ofNew = {
  kind: z.enum(providerKinds).describe('the protocol'),
  enabled: isAsked.exactOptional().describe('false: nobody signs in by it yet'),
};

export const providerId = z
  .string()
  .regex(providerIdPattern, 'It has 1 to 32 characters of a-z, 0-9 and -, and begins and ends with none of -')
  .meta({ description: 'Part of the callback address, and of the key of every account.', example: 'corp' });
export const newProvider = providerInput.extend({ id: providerId, ...ofNew });
export type NewProviderInput = z.infer<typeof newProvider>;
export const replacedProvider = providerInput.extend(ofNew);
export type ReplacedProvider = z.infer<typeof replacedProvider>;

const defaulted: readonly ProviderField[] = fieldsWithDefault;

/** What has a default may be null, and goes back to it. */
export const changedProvider = z
  .strictObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        defaulted.some((one) => one === name) ? field.nullable() : field,
      ]),
    ) as { [F in ProviderField]: F extends FieldWithDefault ? z.ZodNullable<Field<F>> : Field<F> },
  )
  .extend({
    renewKeys: isAsked.describe(
      'With `signRequests` or `encryptedAssertions`: keys that were made for it before are made anew',
    ),
  })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, 'give at least one member');
export type ChangedProvider = z.infer<typeof changedProvider>;
type Field<F extends ProviderField> = (typeof fields)[F];

/** Fields that mean nothing to the other kinds; what is not here goes with all of them. */
export const fieldsOfKind: Readonly<Record<ProviderKind, readonly ProviderField[]>> = {
  oidc: Object.keys(oidcFields) as ProviderField[],
  saml: Object.keys(samlFields) as ProviderField[],
  ldap: Object.keys(ldapFields) as ProviderField[],
};
