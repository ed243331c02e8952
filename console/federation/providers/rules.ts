/** What must hold of a provider before it is kept, beyond the form of its fields. */
import { ProblemError, problems } from '../../../platform/errors.ts';
import { isLoopbackHost } from '../../http/outbound/loopback.ts';
import type { Outbound } from '../../http/outbound/outbound.ts';
import { ProviderInputError } from '../errors.ts';
import { ldapProblems } from '../ldap/settings.ts';
import {
  type LdapProvider,
  type OidcProvider,
  type Provider,
  providerIdPattern,
  type SamlProvider,
} from './schema.ts';

/** @throws {ProblemError} `invalid_request`, `invalid_url` */
export async function checkProvider(
  provider: Provider,
  checkOutboundUrl: Outbound['checkRegistered'],
): Promise<void> {
  const { id, name, roleRules } = provider;
  if (!providerIdPattern.test(id)) {
    throw invalid(
      'The id of a provider has 1 to 32 characters of a-z, 0-9 and -, and begins and ends with none of -.',
    );
  }
  if (name.trim() === '' || name.length > 64)
    throw new ProviderInputError('The shown name has 1 to 64 characters.', { field: 'name' });
  if (roleRules.rules.length === 0 && roleRules.defaultRole === undefined) {
    throw new ProviderInputError(
      'Nobody could sign in: roles come from rules only. Give at least one role rule (attribute=value -> Role), or a default role.',
      { field: 'roleRules' },
    );
  }
  if (provider.kind === 'oidc') await checkOidc(provider, checkOutboundUrl);
  else if (provider.kind === 'saml') await checkSaml(provider, checkOutboundUrl);
  else checkLdap(provider);
}

/**
 * Accounts are keyed by the provider's id and its name for the person: under the same id another issuer
 * would be handed the accounts of the one before (S45).
 *
 * @throws {ProblemError} `conflict`
 */
export function checkSamePeople(before: Provider, after: Provider): void {
  if (isSamePeople(before, after)) return;
  throw new ProblemError(
    problems.conflict,
    'The accounts of this provider are known by what it calls them, and another issuer or subject attribute ' +
      'would hand them to other people. Add it under another id.',
  );
}

export function isSamePeople(before: Provider, after: Provider): boolean {
  return namespaceOf(before) === namespaceOf(after);
}

function namespaceOf(provider: Provider): string {
  switch (provider.kind) {
    case 'oidc':
      return provider.oidc.issuer;
    case 'saml':
      return JSON.stringify([provider.saml.metadata.entityId, provider.saml.subjectAttribute ?? null]);
    case 'ldap':
      return provider.ldap.subjectAttribute ?? '';
  }
}

/** Addresses that the console calls are checked as every one that it calls (S42). */
async function checkOidc(
  { oidc: { issuer, endpoints } }: OidcProvider,
  checkOutboundUrl: Outbound['checkRegistered'],
): Promise<void> {
  await checkCalled('issuer', issuer, checkOutboundUrl);
  if (new URL(issuer).search !== '')
    throw invalid('The issuer has no query (OpenID Connect Discovery §4.1).');
  const { token, keys, userinfo, authorization, endSession } = endpoints ?? {};
  for (const [name, address] of Object.entries({ token, keys, userinfo })) {
    if (address !== undefined) await checkCalled(`${name} address`, address, checkOutboundUrl);
  }
  for (const [name, address] of Object.entries({ authorization, endSession })) {
    if (address !== undefined) checkVisited(`${name} address`, address);
  }
}

async function checkSaml(
  { saml: { metadata, metadataUrl, metadataCertificate } }: SamlProvider,
  checkOutboundUrl: Outbound['checkRegistered'],
): Promise<void> {
  if (metadataCertificate !== undefined && metadataUrl === undefined) {
    throw invalid(
      'Metadata are fetched again from their address: a certificate for them goes with --metadata-url.',
    );
  }
  if (metadataUrl !== undefined) await checkCalled('metadata address', metadataUrl, checkOutboundUrl);
  checkVisited('sign-on address', metadata.signOnUrl);
  if (metadata.logout) {
    checkVisited('logout address', metadata.logout.url);
    checkVisited('logout address', metadata.logout.replyUrl);
  }
}

function checkLdap({ ldap, roleRules: { rules } }: LdapProvider): void {
  const wrong = ldapProblems(ldap);
  if (wrong.length > 0) throw invalid(`These directory settings cannot work: ${wrong.join('; ')}.`);
  for (const { attribute } of rules) {
    if (attribute === 'groups' && !ldap.groups) {
      throw new ProviderInputError(
        'A rule looks at groups, which come from a group search: set the base DN of groups, or use memberOf.',
        { field: 'roleRules' },
      );
    }
    if (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(attribute)) {
      throw new ProviderInputError(
        'A rule of a directory names an attribute of its entries, such as memberOf or employeeType.',
        { field: 'roleRules' },
      );
    }
  }
}

/** @throws {ProblemError} `invalid_url` that says which address it is about */
async function checkCalled(
  what: string,
  address: string,
  checkOutboundUrl: Outbound['checkRegistered'],
): Promise<void> {
  try {
    await checkOutboundUrl(address);
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause;
    throw new ProblemError(cause.problem, cause.message.replace(/^The address/, `The ${what}`), { cause });
  }
}

/** The browser goes there, past everything that is checked of a call. */
function checkVisited(what: string, address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.host))) return;
  throw new ProblemError(problems.invalidUrl, `The ${what} must be https; http is for loopback only.`);
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
