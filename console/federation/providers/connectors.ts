/** From a provider's record to its connector, with the protocols that are needed and no others. */

import type { Logger } from '../../../platform/log.ts';
import type { Outbound } from '../../http/outbound/outbound.ts';
import type { ProviderRecord } from '../../storage/records.ts';
import type { ArtifactStore } from '../../storage/storage.ts';
import type { Connector } from '../connector.ts';
import type { ProviderDocument } from '../provider-uses.ts';
import type { LdapProvider, OidcProvider, Provider, SamlProvider } from './schema.ts';
import type { SecretCipher } from './secrets.ts';

export type ProviderTools = Awaited<ReturnType<typeof loadProviderTools>>;

export interface ConnectorDeps {
  readonly cipher: SecretCipher;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly artifacts: Pick<ArtifactStore, 'count'>;
  /** `CONSOLE_URL`: names of this console at SAML providers begin with it. */
  readonly url: string;
  readonly randomBytes: (size: number) => Buffer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** What a provider publishes of itself was read. */
  readonly onRead?: ((providerId: string, what: ProviderDocument) => void) | undefined;
}

/** What this console is called at a SAML provider, and where it describes itself. */
export function samlEntityId(url: string, id: string): string {
  return `${url}/login/saml/${id}/metadata`;
}

/** Where SAML logout messages come to, requests and answers. */
export function samlLogoutAddress(url: string, id: string): string {
  return `${url}/login/saml/${id}/logout`;
}

/** Where an OpenID provider sends the browser after a logout that was passed on to it. */
export function logoutReturnAddress(url: string, id: string): string {
  return `${url}/login/logout/${id}`;
}

/** Where an administrator signs in to see what a provider sends. */
export function testAddress(url: string, id: string): string {
  return `${url}/login/test/${id}`;
}

/** Where a provider's answer comes to. */
export function callbackAddress(url: string, id: string): string {
  return `${url}/login/callback/${id}`;
}

/** Loading a protocol takes longer than the rest of a start: only the kinds that these records have. */
export async function loadProviderTools(records: readonly ProviderRecord[], deps: ConnectorDeps) {
  const kinds = new Set(records.map(({ kind }) => kind));
  const [{ hasOutdatedSecret, openProvider, encryptProvider }, oidc, saml, ldap] = await Promise.all([
    import('./records.ts'),
    kinds.has('oidc') ? import('../oidc/connector.ts') : undefined,
    kinds.has('saml') ? import('../saml/connector.ts') : undefined,
    kinds.has('ldap') ? import('../ldap/connector.ts') : undefined,
  ]);
  const loaded = { oidc, saml, ldap };
  const parser = ldap?.FilterParser;
  const open = (record: ProviderRecord) => openProvider(record, deps.cipher, parser);

  return {
    /** Whether a record of this kind can be opened; one of no known kind can be, to be refused. */
    has: ({ kind }: ProviderRecord) => !isKind(kind) || loaded[kind] !== undefined,
    /** @throws {ProviderRecordError} */
    open,
    /** Whether there is an encryption key by now with which a secret of it is not kept yet. */
    isOutdated: (record: ProviderRecord) => hasOutdatedSecret(record, deps.cipher),
    /** @throws {ProviderRecordError} */
    reencrypt: (record: ProviderRecord) => encryptProvider(open(record), deps.cipher, parser),
    /** @throws {Error} when there can be no connector with these settings */
    connect(provider: Provider): Connector {
      switch (provider.kind) {
        case 'oidc':
          return oidc!.createOidcConnector(oidcDeps(provider, deps));
        case 'saml':
          return saml!.createSamlConnector(samlDeps(provider, deps));
        case 'ldap':
          return ldap!.createLdapConnector(ldapSettings(provider), { log: deps.log });
      }
    },
  };

  function isKind(kind: unknown): kind is keyof typeof loaded {
    return typeof kind === 'string' && Object.hasOwn(loaded, kind);
  }
}

export function oidcDeps(
  { id, oidc, roleRules: { rules } }: OidcProvider,
  { outbound, now, onRead }: Pick<ConnectorDeps, 'outbound' | 'now' | 'onRead'>,
) {
  const claims = [...new Set(rules.map(({ attribute }) => claimOf(attribute)))];
  return {
    ...{ config: { ...oidc, claims }, outbound, now },
    onRead: (what: ProviderDocument) => onRead?.(id, what),
  };
}

/** Of a path such as `realm_access.roles`, the claim that it begins with; an address is a claim's whole name. */
function claimOf(attribute: string): string {
  return attribute.includes('://') ? attribute : attribute.split('.')[0]!;
}

export function samlDeps(
  { id, saml }: SamlProvider,
  { url, artifacts, randomBytes, now }: Omit<ConnectorDeps, 'cipher' | 'log' | 'onRead'>,
) {
  return { saml, entityId: samlEntityId(url, id), artifacts, randomBytes, now };
}

/** With the attributes that rules look at; `memberOf` and the names of groups are there without asking. */
export function ldapSettings({ ldap, roleRules: { rules } }: LdapProvider): LdapProvider['ldap'] {
  const asked = rules
    .map(({ attribute }) => attribute)
    .filter((name) => name !== 'memberOf' && !(name === 'groups' && ldap.groups));
  const attributes = [...new Set([...(ldap.attributes ?? []), ...asked])];
  return { ...ldap, ...(attributes.length > 0 && { attributes }) };
}
