/** What an upstream identity provider is: as connectors take it, and the form that the registry keeps. */
import { z } from 'zod';
import type { Secret } from '../../../platform/secret.ts';
import type { LdapSettings } from '../ldap/settings.ts';
import type { OidcProviderConfig } from '../oidc/connector.ts';
import { isRoleName, type RoleRules } from '../role-rules.ts';
import type { ProviderMetadata } from '../saml/metadata.ts';

interface ProviderBase {
  /** Part of the callback address, and of the key of every account that comes from there. */
  readonly id: string;
  /** Shown to people. */
  readonly name: string;
  readonly enabled: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly roleRules: RoleRules;
}

export interface OidcProvider extends ProviderBase {
  readonly kind: 'oidc';
  readonly oidc: Omit<OidcProviderConfig, 'claims'>;
}

export interface SamlProvider extends ProviderBase {
  readonly kind: 'saml';
  readonly saml: SamlSettings;
}

export interface SamlSettings {
  /** As an administrator handed it in, or as it was fetched again under the trust below: its certificates are pinned. */
  readonly metadata: ProviderMetadata;
  /** Where it came from, to compare it with what is there today. */
  readonly metadataUrl?: string;
  /** PEM: who signs the metadata. With it they are fetched again by themselves. */
  readonly metadataCertificate?: string;
  /** Asked for in requests. */
  readonly nameIdFormat?: string;
  /** Says who it is, instead of the NameID. */
  readonly subjectAttribute?: string;
  /** PEM; assertions may be encrypted when it is there. */
  readonly encryption?: { readonly key: Secret; readonly certificate: string };
  /** PEM; requests are signed when it is there. */
  readonly signing?: { readonly key: Secret; readonly certificate: string };
}

export interface LdapProvider extends ProviderBase {
  readonly kind: 'ldap';
  readonly ldap: LdapSettings;
}

export type Provider = OidcProvider | SamlProvider | LdapProvider;

/** 1 to 32 characters, so that a user name can end in it. */
export const providerIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

const roleName = z.string().refine(isRoleName);
const text = (most: number) => z.string().min(1).max(most);
const address = text(2048);
/** As the cipher left it; a key of 4096 bits has some 3200 characters. */
const ciphertext = text(16_384);
const pem = z.string().startsWith('-----BEGIN ').max(65_536);

const base = {
  id: z.string().regex(providerIdPattern),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a shown name must not hold
  name: text(64).regex(/^[^\u0000-\u001f\u007f-\u009f]*$/),
  enabled: z.boolean(),
  createdAt: z.number().int().nonnegative(),
  roleRules: z.strictObject({
    rules: z
      .array(z.strictObject({ attribute: text(256), value: text(1024), role: roleName }))
      .max(200)
      .readonly(),
    // Admin is none: everybody whom the provider knows would be one.
    defaultRole: roleName.refine((role) => role !== 'Admin').exactOptional(),
  }),
} as const;

const oidcRecord = z.strictObject({
  ...base,
  kind: z.literal('oidc'),
  oidc: z.strictObject({
    issuer: address,
    endpoints: z
      .strictObject({
        authorization: address,
        token: address,
        keys: address,
        userinfo: address.exactOptional(),
        endSession: address.exactOptional(),
        sendsIssuer: z.boolean().exactOptional(),
      })
      .exactOptional(),
    clientId: text(512),
    authentication: z.discriminatedUnion('method', [
      z.strictObject({ method: z.literal('client_secret_basic'), secret: ciphertext }),
      z.strictObject({ method: z.literal('client_secret_post'), secret: ciphertext }),
      z.strictObject({ method: z.literal('private_key_jwt'), key: ciphertext }),
      z.strictObject({ method: z.literal('none') }),
    ]),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/))
      .max(64)
      .readonly()
      .exactOptional(),
    idTokenAlg: z.enum(['RS256', 'PS256', 'ES256', 'EdDSA']).exactOptional(),
  }),
});

const samlRecord = z.strictObject({
  ...base,
  kind: z.literal('saml'),
  saml: z.strictObject({
    metadata: z.strictObject({
      entityId: text(1024),
      signOnUrl: address,
      signOnBinding: z.literal('post').exactOptional(),
      logout: z
        .strictObject({ binding: z.enum(['redirect', 'post']), url: address, replyUrl: address })
        .exactOptional(),
      certificates: z.array(pem).min(1).max(16).readonly(),
      nameIdFormats: z.array(text(256)).max(32).readonly(),
    }),
    metadataUrl: address.exactOptional(),
    metadataCertificate: pem.exactOptional(),
    nameIdFormat: text(256).exactOptional(),
    subjectAttribute: text(256).exactOptional(),
    encryption: z.strictObject({ key: ciphertext, certificate: pem }).exactOptional(),
    signing: z.strictObject({ key: ciphertext, certificate: pem }).exactOptional(),
  }),
});

const attribute = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/);
const ldapRecord = z.strictObject({
  ...base,
  kind: z.literal('ldap'),
  ldap: z.strictObject({
    url: address,
    startTls: z.boolean().exactOptional(),
    ca: pem.exactOptional(),
    allowPlaintext: z.boolean().exactOptional(),
    find: z.discriminatedUnion('by', [
      z.strictObject({
        by: z.literal('search'),
        bindDn: text(1024),
        bindPassword: ciphertext,
        baseDn: text(1024),
        filter: text(2048),
      }),
      z.strictObject({ by: z.literal('template'), dn: text(1024) }),
    ]),
    groups: z
      .strictObject({
        baseDn: text(1024),
        memberAttribute: z.enum(['member', 'uniqueMember', 'memberUid']),
        nameAttribute: attribute.exactOptional(),
        filter: text(2048).exactOptional(),
      })
      .exactOptional(),
    subjectAttribute: attribute.exactOptional(),
    usernameAttribute: attribute.exactOptional(),
    emailAttribute: attribute.exactOptional(),
    nameAttribute: attribute.exactOptional(),
    attributes: z.array(attribute).max(64).readonly().exactOptional(),
  }),
});

export const providerRecord = z.discriminatedUnion('kind', [oidcRecord, samlRecord, ldapRecord]);
export type StoredProvider = z.infer<typeof providerRecord>;
