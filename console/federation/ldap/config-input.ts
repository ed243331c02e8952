/** What an administrator says of a directory. */
import { X509Certificate } from 'node:crypto';
import { defined } from '../../../platform/defined.ts';
import { Secret } from '../../../platform/secret.ts';
import { ProviderInputError } from '../errors.ts';
import { oneOf, type ProviderInputDeps, required } from '../providers/input.ts';
import type { ProviderInput } from '../providers/input-schema.ts';
import { type GroupSearch, type LdapSettings, memberAttributes } from '../providers/schema.ts';

type Called = ProviderInputDeps['called'];

const usualFilter = '(&(objectClass=person)(uid={username}))';

export function readLdap(
  input: ProviderInput,
  { called }: Pick<ProviderInputDeps, 'called'>,
  before: LdapSettings | undefined,
): LdapSettings {
  const url = required(
    input.url ?? before?.url,
    `${called('url')} is missing: ldaps://host or ldap://host, and a port if need be.`,
  );
  const ca = input.ca ?? before?.ca;
  const startTls = input.startTls ?? before?.startTls ?? false;
  if (input.ca !== undefined) checkAuthorities(input.ca, called);
  if (ca !== undefined && !startTls && url.toLowerCase().startsWith('ldap:')) {
    throw new ProviderInputError(
      `${called('ca')} is for encrypted connections: use ldaps: or ${called('startTls')}.`,
    );
  }
  return defined({
    url,
    find: readFind(input, called, before?.find),
    subjectAttribute: input.subjectAttribute ?? before?.subjectAttribute,
    usernameAttribute: input.usernameAttribute ?? before?.usernameAttribute,
    emailAttribute: input.emailAttribute ?? before?.emailAttribute,
    nameAttribute: input.nameAttribute ?? before?.nameAttribute,
    allowPlaintext: (input.allowPlaintext ?? before?.allowPlaintext) || undefined,
    startTls: startTls || undefined,
    ca,
    groups: readGroups(input, called, before?.groups),
  });
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
): LdapSettings['find'] {
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
  const asWritten = memberAttributes.find(
    (name) => name.toLowerCase() === input.groupAttribute?.toLowerCase(),
  );
  const memberAttribute = oneOf(
    asWritten ?? input.groupAttribute,
    memberAttributes,
    called('groupAttribute'),
  );
  return defined({
    baseDn,
    memberAttribute: memberAttribute ?? before?.memberAttribute ?? 'member',
    nameAttribute: input.groupNameAttribute ?? before?.nameAttribute,
    filter: input.groupFilter ?? before?.filter,
  });
}
