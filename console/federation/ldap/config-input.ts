/** What an administrator says of a directory. */
import { X509Certificate } from 'node:crypto';
import { Secret } from '../../../platform/secret.ts';
import { type ProviderInputDeps, ProviderInputError } from '../providers/input.ts';
import type { ProviderInput } from '../providers/input-schema.ts';
import type { BindByTemplate, GroupSearch, LdapSettings, SearchThenBind } from './settings.ts';

type Called = ProviderInputDeps['called'];

const memberAttributes = ['member', 'uniqueMember', 'memberUid'] as const;
const usualFilter = '(&(objectClass=person)(uid={username}))';

export function readLdap(
  input: ProviderInput,
  { called }: Pick<ProviderInputDeps, 'called'>,
  before: LdapSettings | undefined,
): LdapSettings {
  const url = input.url ?? before?.url;
  if (url === undefined) {
    throw new ProviderInputError(
      `${called('url')} is missing: ldaps://host or ldap://host, and a port if need be.`,
    );
  }
  const ca = input.ca ?? before?.ca;
  const startTls = input.startTls ?? before?.startTls ?? false;
  if (input.ca !== undefined) checkAuthorities(input.ca, called);
  if (ca !== undefined && !startTls && url.toLowerCase().startsWith('ldap:')) {
    throw new ProviderInputError(
      `${called('ca')} is for encrypted connections: use ldaps: or ${called('startTls')}.`,
    );
  }
  const groups = readGroups(input, called, before?.groups);
  const optional = {
    subjectAttribute: input.subjectAttribute ?? before?.subjectAttribute,
    usernameAttribute: input.usernameAttribute ?? before?.usernameAttribute,
    emailAttribute: input.emailAttribute ?? before?.emailAttribute,
    nameAttribute: input.nameAttribute ?? before?.nameAttribute,
    allowPlaintext: (input.allowPlaintext ?? before?.allowPlaintext) || undefined,
    startTls: startTls || undefined,
    ca,
    groups,
  };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { url, find: readFind(input, called, before?.find), ...Object.fromEntries(given) };
}

function checkAuthorities(ca: string, called: Called): void {
  const certificates = ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
    if (certificates.length > 0) return;
  } catch {
    // said below
  }
  throw new ProviderInputError(`${called('ca')} holds no certificates (PEM).`);
}

function readFind(
  input: ProviderInput,
  called: Called,
  before: LdapSettings['find'] | undefined,
): SearchThenBind | BindByTemplate {
  const ofSearch = (['bindDn', 'bindPassword', 'baseDn', 'userFilter'] as const).filter(
    (field) => input[field] !== undefined,
  );
  if (input.dnTemplate !== undefined) {
    if (ofSearch.length === 0) return { by: 'template', dn: input.dnTemplate };
    throw new ProviderInputError(
      `${called('dnTemplate')} and ${called(ofSearch[0]!)} do not go together: people are found by their name, or by a search.`,
    );
  }
  if (before?.by === 'template' && ofSearch.length === 0) return before;
  const known = before?.by === 'search' ? before : undefined;
  const needed = {
    bindDn: input.bindDn ?? known?.bindDn,
    bindPassword: input.bindPassword === undefined ? known?.bindPassword : new Secret(input.bindPassword),
    baseDn: input.baseDn ?? known?.baseDn,
  };
  const { bindDn, bindPassword, baseDn } = needed;
  if (bindDn === undefined || bindPassword === undefined || baseDn === undefined) {
    const missing = (['bindDn', 'bindPassword', 'baseDn'] as const)
      .filter((field) => !needed[field])
      .map(called);
    throw new ProviderInputError(
      `To look people up, ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; ${called('dnTemplate')} does without a search.`,
    );
  }
  return {
    by: 'search',
    bindDn,
    bindPassword,
    baseDn,
    filter: input.userFilter ?? known?.filter ?? usualFilter,
  };
}

function readGroups(
  input: ProviderInput,
  called: Called,
  before: GroupSearch | undefined,
): GroupSearch | undefined {
  const baseDn = input.groupBaseDn ?? before?.baseDn;
  if (baseDn === undefined) {
    const extra = (['groupAttribute', 'groupNameAttribute', 'groupFilter'] as const).find(
      (field) => input[field] !== undefined,
    );
    if (extra)
      throw new ProviderInputError(
        `${called(extra)} is for a group search: give ${called('groupBaseDn')} too.`,
      );
    return undefined;
  }
  const nameAttribute = input.groupNameAttribute ?? before?.nameAttribute;
  const filter = input.groupFilter ?? before?.filter;
  return {
    baseDn,
    memberAttribute: readMemberAttribute(input, called) ?? before?.memberAttribute ?? 'member',
    ...(nameAttribute === undefined ? {} : { nameAttribute }),
    ...(filter === undefined ? {} : { filter }),
  };
}

function readMemberAttribute(
  { groupAttribute }: ProviderInput,
  called: Called,
): GroupSearch['memberAttribute'] | undefined {
  if (groupAttribute === undefined) return undefined;
  const known = memberAttributes.find((name) => name.toLowerCase() === groupAttribute.toLowerCase());
  if (known) return known;
  throw new ProviderInputError(`${called('groupAttribute')} is one of ${memberAttributes.join(', ')}.`);
}
