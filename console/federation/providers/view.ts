/** What may be shown of a provider: everything but its secrets (S54). */
import { X509Certificate } from 'node:crypto';
import {
  callbackAddress,
  logoutReturnAddress,
  samlEntityId,
  samlLogoutAddress,
  testAddress,
} from './connectors.ts';
import type { ListedProvider } from './registration.ts';
import type { LdapProvider, OidcProvider, Provider, SamlProvider } from './schema.ts';

export type ProviderView = ReturnType<typeof viewOfProvider>;

/** @param url  `CONSOLE_URL` */
export function viewOfProvider({ id, provider, problem, accounts }: ListedProvider, url: string) {
  if (!provider) return { id, readable: false as const, problem: problem ?? '', accounts };
  const { name, kind, enabled, createdAt, roleRules } = provider;
  return {
    id,
    readable: true as const,
    name,
    kind,
    enabled,
    accounts,
    createdAt: new Date(createdAt).toISOString(),
    roleRules: roleRules.rules.map(({ attribute, value, role }) => `${attribute}=${value} -> ${role}`),
    defaultRole: roleRules.defaultRole ?? null,
    position: provider.position ?? null,
    // A directory has no callback: the password is typed here.
    callbackUrl: kind === 'ldap' ? null : callbackAddress(url, id),
    /** Where an administrator sees what the provider sends; a directory is tested on the command line. */
    testUrl: kind === 'ldap' ? null : testAddress(url, id),
    settings: settingsOf(provider, url),
  };
}

function settingsOf(provider: Provider, url: string): Readonly<Record<string, unknown>> {
  switch (provider.kind) {
    case 'oidc':
      return oidcSettings(provider, url);
    case 'saml':
      return samlSettings(provider, url);
    case 'ldap':
      return ldapSettings(provider);
  }
}

function oidcSettings({ id, oidc }: OidcProvider, url: string) {
  const { issuer, clientId, authentication, scopes = ['email', 'profile'], idTokenAlg = 'RS256' } = oidc;
  return {
    issuer,
    clientId,
    clientAuthentication: authentication.method,
    scopes: ['openid', ...scopes],
    idTokenAlg,
    endpoints: oidc.endpoints ?? null,
    postLogoutUrl: logoutReturnAddress(url, id),
    backchannelLogoutUrl: `${url}/login/backchannel/${id}`,
  };
}

function samlSettings({ id, saml }: SamlProvider, url: string) {
  const { metadata, metadataUrl, metadataCertificate, nameIdFormat, signing, encryption } = saml;
  return {
    entityId: metadata.entityId,
    signOnUrl: metadata.signOnUrl,
    signOnBinding: metadata.signOnBinding ?? 'redirect',
    logout: metadata.logout ?? null,
    certificates: metadata.certificates.map(viewOfCertificate),
    metadataUrl: metadataUrl ?? null,
    metadataCertificate: metadataCertificate === undefined ? null : viewOfCertificate(metadataCertificate),
    nameIdFormat: nameIdFormat ?? null,
    subjectAttribute: saml.subjectAttribute ?? null,
    ownEntityId: samlEntityId(url, id),
    ownLogoutUrl: samlLogoutAddress(url, id),
    signsRequests: signing !== undefined,
    ownCertificate: signing ? viewOfCertificate(signing.certificate) : null,
    takesEncrypted: encryption !== undefined,
    ownEncryptionCertificate: encryption ? viewOfCertificate(encryption.certificate) : null,
  };
}

/** As administrators compare it on both sides. */
export function viewOfCertificate(pem: string) {
  const { subject, validFrom, validTo, fingerprint256 } = new X509Certificate(pem);
  return {
    subject: subject.replaceAll('\n', ', '),
    validFrom: new Date(validFrom).toISOString(),
    validTo: new Date(validTo).toISOString(),
    sha256: fingerprint256,
  };
}

function ldapSettings({ ldap }: LdapProvider) {
  const { find, groups } = ldap;
  return {
    url: ldap.url,
    startTls: ldap.startTls ?? false,
    ownAuthorities: ldap.ca !== undefined,
    allowPlaintext: ldap.allowPlaintext ?? false,
    ...(find.by === 'search'
      ? { bindDn: find.bindDn, baseDn: find.baseDn, userFilter: find.filter, dnTemplate: null }
      : { bindDn: null, baseDn: null, userFilter: null, dnTemplate: find.dn }),
    groups: groups ?? null,
    subjectAttribute: ldap.subjectAttribute ?? null,
    usernameAttribute: ldap.usernameAttribute ?? 'uid',
    emailAttribute: ldap.emailAttribute ?? 'mail',
    nameAttribute: ldap.nameAttribute ?? 'displayName',
  };
}
