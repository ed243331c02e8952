/** What an upstream identity provider is: the form that the registry keeps, and as connectors take it. */
import { z } from 'zod';
import type { Secret } from '../../../platform/secret.ts';
import { isRoleName } from '../role-rules.ts';

/** 1 to 32 characters, so that a user name can end in it. */
export const providerIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

const roleName = z.string().refine(isRoleName);
const text = (most: number) => z.string().min(1).max(most);
const address = text(2048);
/** As the cipher left it, at one of the places of secrets.ts; a key of 4096 bits has some 3200 characters. */
const ciphertext = text(16_384).brand<'ciphertext'>();
const pem = z.string().startsWith('-----BEGIN ').max(65_536);

const base = {
  /** Part of the callback address, and of the key of every account that comes from there. */
  id: z.string().regex(providerIdPattern),
  /** Shown to people. */
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a shown name must not hold
  name: text(64).regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'it is one line'),
  enabled: z.boolean(),
  /** Among those that people are offered: lower ones first, then those without one. */
  position: z.number().int().min(0).max(9999).exactOptional(),
  /** Epoch milliseconds. */
  createdAt: z.number().int().nonnegative(),
  /** Epoch milliseconds of the last change. */
  updatedAt: z.number().int().nonnegative().exactOptional(),
  owner: z.strictObject({ kind: z.literal('code'), source: text(256) }).exactOptional(),
  hold: z.strictObject({ by: text(256), reason: text(256), at: z.number().int() }).exactOptional(),
  /** As every record of a provider may have them. */
  accountsValidFrom: z.number().int().nonnegative().exactOptional(),
  sweep: z.enum(['void', 'remove']).exactOptional(),
  roleRules: z.strictObject({
    rules: z
      .array(z.strictObject({ attribute: text(256), value: text(1024), role: roleName }))
      .max(200)
      .readonly(),
    // Admin is none: everybody whom the provider knows would be one.
    defaultRole: roleName.refine((role) => role !== 'Admin').exactOptional(),
  }),
} as const;

/** Asymmetric ones: with a shared secret the provider could not be told from a leak of it (S44). */
export const idTokenAlgs = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

const oidcRecord = z.strictObject({
  ...base,
  kind: z.literal('oidc'),
  oidc: z.strictObject({
    /** Exactly as the provider writes it, in its metadata and in `iss`. */
    issuer: address,
    /** Of a provider that publishes no metadata. */
    endpoints: z
      .strictObject({
        authorization: address,
        token: address,
        keys: address,
        userinfo: address.exactOptional(),
        endSession: address.exactOptional(),
        /** Whether its answers carry `iss` (RFC 9207 §3). */
        sendsIssuer: z.boolean().exactOptional(),
      })
      .exactOptional(),
    clientId: text(512),
    /** How the console proves itself at the token endpoint, as it is registered there. */
    authentication: z.discriminatedUnion('method', [
      z.strictObject({ method: z.literal('client_secret_basic'), secret: ciphertext }),
      z.strictObject({ method: z.literal('client_secret_post'), secret: ciphertext }),
      /** A private JWK with `alg`, and `kid` when the provider holds several (RFC 7523 §2.2). */
      z.strictObject({ method: z.literal('private_key_jwt'), key: ciphertext }),
      z.strictObject({ method: z.literal('none') }),
    ]),
    /** Beside `openid`; `email profile` unless set. */
    scopes: z
      .array(
        z
          .string()
          .regex(
            /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/,
            'it has 1 to 256 letters without accents, digits and signs, without a space, a quotation mark or a backslash',
          ),
      )
      .max(64)
      .readonly()
      .exactOptional(),
    /** The one algorithm of ID tokens; `RS256` unless set. */
    idTokenAlg: z.enum(idTokenAlgs).exactOptional(),
  }),
});

const samlRecord = z.strictObject({
  ...base,
  kind: z.literal('saml'),
  saml: z.strictObject({
    /** As an administrator handed it in, or as it was fetched again under the trust below: its certificates are pinned. */
    metadata: z.strictObject({
      /** The issuer that every answer must name. */
      entityId: text(1024),
      /** Takes requests. */
      signOnUrl: address,
      /** By HTTP-Redirect unless it says that it takes forms only. */
      signOnBinding: z.literal('post').exactOptional(),
      /** Where the provider takes logout messages, if it does. */
      logout: z
        .strictObject({ binding: z.enum(['redirect', 'post']), url: address, replyUrl: address })
        .exactOptional(),
      /** The only keys that are believed; two or more while the provider changes its key. */
      certificates: z.array(pem).min(1).max(16).readonly(),
      nameIdFormats: z.array(text(256)).max(32).readonly(),
    }),
    /** Where it came from, to compare it with what is there today. */
    metadataUrl: address.exactOptional(),
    /** Who signs the metadata. With it they are fetched again by themselves. */
    metadataCertificate: pem.exactOptional(),
    /** Asked for in requests; left to the provider when absent. */
    nameIdFormat: text(256).exactOptional(),
    /** The attribute that never belongs to another person, where the NameID does not do. */
    subjectAttribute: text(256).exactOptional(),
    /** Opens assertions that were encrypted for us (PKCS #8). */
    encryption: z.strictObject({ key: ciphertext, certificate: pem }).exactOptional(),
    /** Requests are signed with it, by RSA-SHA-256 (PKCS #8). */
    signing: z.strictObject({ key: ciphertext, certificate: pem }).exactOptional(),
  }),
});

const attribute = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
    'it has 1 to 64 letters from A to Z, digits and -, and starts with a letter',
  );
export const memberAttributes = ['member', 'uniqueMember', 'memberUid'] as const;

const ldapRecord = z.strictObject({
  ...base,
  kind: z.literal('ldap'),
  ldap: z.strictObject({
    /** `ldap://host[:port]` or `ldaps://host[:port]`, nothing behind it. */
    url: address,
    /** Encrypts an `ldap:` connection before anything is said on it. */
    startTls: z.boolean().exactOptional(),
    /** Certificates of the authorities to believe instead of those that Node believes. */
    ca: pem.exactOptional(),
    /** Leave to send passwords in the clear to another machine than this one. */
    allowPlaintext: z.boolean().exactOptional(),
    find: z.discriminatedUnion('by', [
      /** The service account looks the person up; then the password is tried on what it found. */
      z.strictObject({
        by: z.literal('search'),
        bindDn: text(1024),
        bindPassword: ciphertext,
        baseDn: text(1024),
        /** Such as `(&(objectClass=person)(uid={username}))`. */
        filter: text(2048),
      }),
      /**
       * The name that was typed gives the entry away, and people may read their own: such as
       * `uid={username},ou=people,dc=example,dc=org`.
       */
      z.strictObject({ by: z.literal('template'), dn: text(1024) }),
    ]),
    /** For directories whose entries do not carry `memberOf`; the names come as attribute `groups`. */
    groups: z
      .strictObject({
        baseDn: text(1024),
        /** Names members by their DN, or by their user name (`memberUid`, RFC 2307 §4). */
        memberAttribute: z.enum(memberAttributes),
        /** `cn` unless given. */
        nameAttribute: attribute.exactOptional(),
        /** What an entry must be besides, such as `(objectClass=groupOfNames)`. */
        filter: text(2048).exactOptional(),
      })
      .exactOptional(),
    /** Holds what never belongs to another person; entryUUID (RFC 4530) or objectGUID unless given. */
    subjectAttribute: attribute.exactOptional(),
    /** `uid`, `mail` and `displayName` unless given. */
    usernameAttribute: attribute.exactOptional(),
    emailAttribute: attribute.exactOptional(),
    nameAttribute: attribute.exactOptional(),
    /** Further attributes that role rules look at; `memberOf` is always there. */
    attributes: z.array(attribute).max(64).readonly().exactOptional(),
  }),
});

export const providerRecord = z.discriminatedUnion('kind', [oidcRecord, samlRecord, ldapRecord]);
export type StoredProvider = z.infer<typeof providerRecord>;

/** As connectors take it: the same, with each secret opened and wrapped. */
type Opened<T> =
  T extends z.infer<typeof ciphertext>
    ? Secret
    : T extends object
      ? { readonly [K in keyof T]: Opened<T[K]> }
      : T;
export type Provider = Opened<StoredProvider>;

export type OidcProvider = Extract<Provider, { readonly kind: 'oidc' }>;
export type OidcSettings = OidcProvider['oidc'];
export type SamlProvider = Extract<Provider, { readonly kind: 'saml' }>;
export type SamlSettings = SamlProvider['saml'];
export type LdapProvider = Extract<Provider, { readonly kind: 'ldap' }>;
export type LdapSettings = LdapProvider['ldap'];
export type SearchThenBind = Extract<LdapSettings['find'], { readonly by: 'search' }>;
export type GroupSearch = NonNullable<LdapSettings['groups']>;
