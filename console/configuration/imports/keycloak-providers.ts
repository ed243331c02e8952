/** Identity providers of a realm, with their mappers to roles. */
import { type Draft, providerIdOf, said } from './imported.ts';
import { type Realm, type RealmProvider, type RealmProviderMapper, shownSecret } from './keycloak-realm.ts';

export function addProviders({ identityProviders, identityProviderMappers }: Realm, draft: Draft): void {
  for (const provider of identityProviders) {
    const { alias, providerId: kind } = provider;
    const id = providerIdOf(alias);
    const settings = isOidc(kind)
      ? oidcOf(id, provider, draft)
      : kind === 'saml'
        ? samlOf(provider, draft)
        : undefined;
    if (!settings) {
      draft.leave(
        `identity provider ${alias} (${kind})`,
        'providers here are OpenID Connect with an issuer, SAML and LDAP',
      );
      continue;
    }
    if (id !== alias)
      draft.leave(`identity provider ${alias}: its name`, `it is ${id} here, in its callback address too`);
    const mappers = identityProviderMappers.filter((mapper) => mapper.identityProviderAlias === alias);
    const common = { name: provider.displayName || undefined, enabled: provider.enabled ? undefined : false };
    draft.add('identityProviders', id, said({ ...settings, ...common, ...rolesOf(alias, mappers, draft) }));
  }
}

function isOidc(kind: string): boolean {
  return kind === 'oidc' || kind === 'keycloak-oidc';
}

const authentications: Readonly<Record<string, string>> = {
  client_secret_basic: 'basic',
  client_secret_post: 'post',
};

function oidcOf(id: string, { alias, config }: RealmProvider, draft: Draft) {
  const { issuer, clientId, clientAuthMethod = 'client_secret_post', defaultScope = '' } = config;
  if (!issuer || !clientId) return undefined;
  const clientAuth = authentications[clientAuthMethod];
  if (!clientAuth) {
    draft.leave(
      `identity provider ${alias}: ${clientAuthMethod}`,
      'say clientAuth: private_key_jwt and clientKey, with a key of your own',
    );
  }
  const scopes = defaultScope.split(/\s+/).filter((scope) => scope !== '' && scope !== 'openid');
  return {
    kind: 'oidc',
    issuer,
    clientId,
    clientAuth: clientAuth ?? 'none',
    clientSecret:
      clientAuth &&
      draft.secret(`secrets/identityProviders-${id}-clientSecret`, shownSecret(config.clientSecret)),
    scopes: scopes.length > 0 ? scopes : undefined,
  };
}

function samlOf({ alias, config }: RealmProvider, draft: Draft) {
  const { metadataDescriptorUrl, idpEntityId, singleSignOnServiceUrl, signingCertificate } = config;
  const isWhole = idpEntityId && singleSignOnServiceUrl && signingCertificate;
  if (!isWhole && !metadataDescriptorUrl) return undefined;
  if (config.principalType && config.principalType !== 'SUBJECT' && !config.principalAttribute) {
    draft.leave(
      `identity provider ${alias}: ${config.principalType}`,
      'subjectAttribute names the attribute',
    );
  }
  return {
    kind: 'saml',
    ...(isWhole ? { metadata: metadataOf(config) } : { metadataUrl: metadataDescriptorUrl }),
    signRequests: config.wantAuthnRequestsSigned === 'true' || undefined,
    encryptedAssertions: config.wantAssertionsEncrypted === 'true' || undefined,
    nameIdFormat: config.nameIDPolicyFormat || undefined,
    subjectAttribute: config.principalAttribute || undefined,
  };
}

/** As the provider would publish them (SAML metadata 2.0): what is pinned there is pinned here. */
function metadataOf(config: Readonly<Record<string, string>>): string {
  const binding = `urn:oasis:names:tc:SAML:2.0:bindings:HTTP-${config.postBindingAuthnRequest === 'true' ? 'POST' : 'Redirect'}`;
  const out = config.singleLogoutServiceUrl;
  const keys = (config.signingCertificate ?? '')
    .split(',')
    .map(
      (certificate) =>
        `<KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${escaped(certificate.trim())}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`,
    );
  return [
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${escaped(config.idpEntityId ?? '')}">`,
    '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">',
    ...keys,
    ...(out ? [`<SingleLogoutService Binding="${binding}" Location="${escaped(out)}"/>`] : []),
    `<SingleSignOnService Binding="${binding}" Location="${escaped(config.singleSignOnServiceUrl ?? '')}"/>`,
    '</IDPSSODescriptor></EntityDescriptor>',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function rolesOf(alias: string, mappers: readonly RealmProviderMapper[], draft: Draft) {
  const roleRules: string[] = [];
  let defaultRole: string | undefined;
  for (const mapper of mappers) {
    const about = `identity provider ${alias}: mapper ${mapper.name}`;
    const given = mapper.config.role === undefined ? undefined : draft.roleFor(mapper.config.role);
    const pairs = pairsOf(mapper);
    if (!mapper.config.role)
      draft.leave(about, 'name, address and roles are all that is taken from a provider');
    else if (given === undefined)
      draft.leave(about, `--role ${mapper.config.role}=Viewer says which role it gives here`);
    else if (mapper.identityProviderMapper === 'oidc-hardcoded-role-idp-mapper') {
      if (given === 'Admin') draft.leave(about, 'not everybody can be an administrator');
      else defaultRole = given;
    } else if (pairs?.length === 1) roleRules.push(`${pairs[0]!.key}=${pairs[0]!.value} -> ${given}`);
    else draft.leave(about, 'a rule compares one attribute with one value');
  }
  return { roleRules: roleRules.length > 0 ? roleRules : undefined, defaultRole };
}

interface Pair {
  readonly key: string;
  readonly value: string;
}

/** @returns undefined for what is no comparison, or one by a pattern */
function pairsOf({ identityProviderMapper: kind, config }: RealmProviderMapper): readonly Pair[] | undefined {
  if (kind === 'oidc-role-idp-mapper')
    return [{ key: config.claim ?? '', value: config['claim.value'] ?? '' }];
  if (kind === 'saml-role-idp-mapper') {
    return [{ key: config['attribute.name'] ?? '', value: config['attribute.value'] ?? '' }];
  }
  const [list, isPattern] =
    kind === 'oidc-advanced-role-idp-mapper'
      ? [config.claims, config['are.claim.values.regex']]
      : [config.attributes, config['are.attribute.values.regex']];
  if (list === undefined || isPattern === 'true') return undefined;
  try {
    const pairs = JSON.parse(list) as unknown;
    return Array.isArray(pairs) ? (pairs as readonly Pair[]) : undefined;
  } catch {
    return undefined;
  }
}
