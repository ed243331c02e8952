/**
 * An outside identity provider as the registry keeps it, and as connectors take it: the same fields, with
 * secrets sealed there and wrapped here (S79). Nothing else reads or writes these records.
 */
import type { JWK } from 'jose';
import { z } from 'zod';
import { roles } from '../accounts/roles.ts';
import { Secret } from '../secret.ts';
import type { ProviderRecord } from '../storage/records.ts';
import { type LdapSettings, ldapProblems } from './ldap-settings.ts';
import type { OidcClientAuthentication, OidcProviderConfig } from './oidc.ts';
import type { RoleRules } from './role-rules.ts';
import type { ProviderMetadata } from './saml-metadata.ts';

/** Turns a secret into what the store keeps, and back. */
export interface SecretSealer {
  /** Whether the store keeps this as it is although there is a key by now. */
  isBare(stored: string): boolean;
  seal(text: string, label: string): string;
  /** @throws {Error} when the text was sealed with another key, or was altered */
  open(stored: string, label: string): string;
}

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
  /** As it was when an administrator handed it in: its certificates are pinned, and it is not fetched again. */
  readonly metadata: ProviderMetadata;
  /** Where it came from, to compare it with what is there today. */
  readonly metadataUrl?: string;
  /** Asked for in requests. */
  readonly nameIdFormat?: string;
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

const text = (most: number) => z.string().min(1).max(most);
const address = text(2048);
/** As the sealer left it; a key of 4096 bits has some 3200 characters. */
const sealed = text(16_384);
const pem = z.string().startsWith('-----BEGIN ').max(65_536);

const base = {
  id: z.string().regex(providerIdPattern),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a shown name must not hold
  name: text(64).regex(/^[^\u0000-\u001f\u007f-\u009f]*$/),
  enabled: z.boolean(),
  createdAt: z.number().int().nonnegative(),
  roleRules: z.strictObject({
    rules: z
      .array(z.strictObject({ attribute: text(256), value: text(1024), role: z.enum(roles) }))
      .max(200)
      .readonly(),
    // Admin is none: everybody whom the provider knows would be one.
    defaultRole: z.enum(['Viewer', 'MetricsViewer']).exactOptional(),
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
      z.strictObject({ method: z.literal('client_secret_basic'), secret: sealed }),
      z.strictObject({ method: z.literal('client_secret_post'), secret: sealed }),
      z.strictObject({ method: z.literal('private_key_jwt'), key: sealed }),
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
      logout: z
        .strictObject({ binding: z.enum(['redirect', 'post']), url: address, replyUrl: address })
        .exactOptional(),
      certificates: z.array(pem).min(1).max(16).readonly(),
      nameIdFormats: z.array(text(256)).max(32).readonly(),
    }),
    metadataUrl: address.exactOptional(),
    nameIdFormat: text(256).exactOptional(),
    signing: z.strictObject({ key: sealed, certificate: pem }).exactOptional(),
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
        bindPassword: sealed,
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
type StoredProvider = z.infer<typeof providerRecord>;

/** A record that is none, or whose secrets do not open; the message holds no value of it. */
export class ProviderRecordError extends Error {
  override readonly name = 'ProviderRecordError';
}

/** @throws {ProviderRecordError} */
export function openProvider(record: ProviderRecord, sealer: SecretSealer): Provider {
  const parsed = providerRecord.safeParse(record);
  if (!parsed.success) throw new ProviderRecordError(fieldsOf(parsed.error), { cause: parsed.error });
  try {
    return checked(opened(parsed.data, sealer));
  } catch (cause) {
    if (cause instanceof ProviderRecordError) throw cause;
    // What a sealer says names the setting and no secret.
    throw new ProviderRecordError(cause instanceof Error ? cause.message : 'its secrets do not open', {
      cause,
    });
  }
}

/** @throws {ProviderRecordError} which says what of it cannot be kept */
export function sealProvider(provider: Provider, sealer: SecretSealer): ProviderRecord {
  checked(provider);
  const parsed = providerRecord.safeParse(sealedOf(provider, sealer));
  if (!parsed.success) throw new ProviderRecordError(fieldsOf(parsed.error), { cause: parsed.error });
  return parsed.data;
}

/** Whether a secret in it is kept as it is although there is a key by now. */
export function hasBareSecret(record: ProviderRecord, sealer: SecretSealer): boolean {
  const parsed = providerRecord.safeParse(record);
  return parsed.success && secretsOf(parsed.data).some((secret) => sealer.isBare(secret));
}

function opened(stored: StoredProvider, sealer: SecretSealer): Provider {
  const open = (what: SecretName, secret: string) => sealer.open(secret, labelOf(what, stored));
  switch (stored.kind) {
    case 'oidc':
      return { ...stored, oidc: { ...stored.oidc, authentication: openedAuthentication(stored, open) } };
    case 'saml': {
      const { signing, ...saml } = stored.saml;
      if (!signing) return { ...stored, saml };
      const key = new Secret(open('signing key', signing.key));
      return { ...stored, saml: { ...saml, signing: { ...signing, key } } };
    }
    case 'ldap': {
      const { find } = stored.ldap;
      if (find.by === 'template') return { ...stored, ldap: { ...stored.ldap, find } };
      const bindPassword = new Secret(open('bind password', find.bindPassword));
      return { ...stored, ldap: { ...stored.ldap, find: { ...find, bindPassword } } };
    }
  }
}

function openedAuthentication(
  { oidc: { authentication } }: Extract<StoredProvider, { kind: 'oidc' }>,
  open: (what: SecretName, secret: string) => string,
): OidcClientAuthentication {
  switch (authentication.method) {
    case 'none':
      return { method: 'none' };
    case 'private_key_jwt': {
      const key = new Secret(JSON.parse(open('client key', authentication.key)) as JWK);
      return { method: 'private_key_jwt', key };
    }
    default: {
      const secret = new Secret(open('client secret', authentication.secret));
      return { method: authentication.method, secret };
    }
  }
}

function sealedOf(provider: Provider, sealer: SecretSealer): unknown {
  const seal = (what: SecretName, secret: string) => sealer.seal(secret, labelOf(what, provider));
  switch (provider.kind) {
    case 'oidc':
      return {
        ...provider,
        oidc: { ...provider.oidc, authentication: sealedAuthentication(provider, seal) },
      };
    case 'saml': {
      const { signing, ...saml } = provider.saml;
      if (!signing) return provider;
      const key = seal('signing key', signing.key.reveal());
      return { ...provider, saml: { ...saml, signing: { ...signing, key } } };
    }
    case 'ldap': {
      const { find } = provider.ldap;
      if (find.by === 'template') return provider;
      const bindPassword = seal('bind password', find.bindPassword.reveal());
      return { ...provider, ldap: { ...provider.ldap, find: { ...find, bindPassword } } };
    }
  }
}

function sealedAuthentication(
  { oidc: { authentication } }: OidcProvider,
  seal: (what: SecretName, secret: string) => string,
) {
  switch (authentication.method) {
    case 'none':
      return authentication;
    case 'private_key_jwt':
      return {
        method: authentication.method,
        key: seal('client key', JSON.stringify(authentication.key.reveal())),
      };
    default:
      return { method: authentication.method, secret: seal('client secret', authentication.secret.reveal()) };
  }
}

type SecretName = 'client secret' | 'client key' | 'signing key' | 'bind password';

/** Authenticated with the secret: none can be moved to another provider, or to another place of this one. */
function labelOf(what: SecretName, { id }: { readonly id: string }): string {
  return `${what} of the identity provider ${id}`;
}

function secretsOf(stored: StoredProvider): readonly string[] {
  switch (stored.kind) {
    case 'oidc': {
      const { authentication } = stored.oidc;
      if (authentication.method === 'none') return [];
      return [authentication.method === 'private_key_jwt' ? authentication.key : authentication.secret];
    }
    case 'saml':
      return stored.saml.signing ? [stored.saml.signing.key] : [];
    case 'ldap':
      return stored.ldap.find.by === 'search' ? [stored.ldap.find.bindPassword] : [];
  }
}

/** What the fields cannot say one by one. */
function checked(provider: Provider): Provider {
  const problems = provider.kind === 'ldap' ? ldapProblems(provider.ldap) : [];
  if (problems.length > 0) throw new ProviderRecordError(problems.join('; '));
  return provider;
}

/** By name alone: a value may be a secret in the wrong place. */
function fieldsOf({ issues }: z.ZodError): string {
  const names = issues.map(({ path }) => path.join('.') || 'the record');
  return `not as it should be: ${[...new Set(names)].join(', ')}`;
}
