/**
 * The fields that say what a provider is: one schema for the type, for what the admin API takes, and for which kind
 * of provider each field is for.
 */
import { z } from 'zod';
import { type ProviderKind, providerKinds } from './kinds.ts';

const text = z.string().min(1).max(262_144).optional();
const list = z.array(z.string().min(1).max(262_144)).max(200).optional();
const isAsked = z.boolean().optional();

const commonFields = {
  name: text,
  roleRules: list.describe('`attribute=value -> Role`'),
  defaultRole: text.describe('`none` takes it away'),
};

const oidcFields = {
  issuer: text,
  clientId: text,
  clientAuth: text.describe('`basic`, `post`, `private_key_jwt` or `none`'),
  clientSecret: text,
  clientKey: text.describe('PEM or JWK'),
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
  bindPassword: text,
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

export const changedProvider = z.strictObject({
  ...commonFields,
  ...oidcFields,
  ...samlFields,
  ...ldapFields,
});

export const newProvider = changedProvider.extend({
  id: z.string().min(1).max(262_144),
  kind: z.enum(providerKinds),
  enabled: z.boolean().default(true),
});

/** What was said of a provider; what is absent was not. */
export type ProviderInput = z.infer<typeof changedProvider>;
export type ProviderField = keyof ProviderInput;

/** Fields that mean nothing to the other kinds; what is not here goes with all of them. */
export const fieldsOfKind: Readonly<Record<ProviderKind, readonly ProviderField[]>> = {
  oidc: Object.keys(oidcFields) as ProviderField[],
  saml: Object.keys(samlFields) as ProviderField[],
  ldap: Object.keys(ldapFields) as ProviderField[],
};
