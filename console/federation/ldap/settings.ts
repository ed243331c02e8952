import { FilterParser } from 'ldapts';
import type { Secret } from '../../../platform/secret.ts';
import { isLoopbackHost } from '../../http/outbound/loopback.ts';
import { usernamePlaceholder } from './text.ts';

/** A directory and how people are found in it. */
export interface LdapSettings {
  /** `ldap://host[:port]` or `ldaps://host[:port]`, nothing behind it. */
  readonly url: string;
  /** Encrypts an `ldap:` connection before anything is said on it. */
  readonly startTls?: boolean;
  /** PEM certificates of the authorities to believe instead of those that Node believes. */
  readonly ca?: string;
  /** Leave to send passwords in the clear to another machine than this one. */
  readonly allowPlaintext?: boolean;
  readonly find: SearchThenBind | BindByTemplate;
  readonly groups?: GroupSearch;
  /** Holds what never belongs to another person; entryUUID (RFC 4530) or objectGUID unless given. */
  readonly subjectAttribute?: string;
  /** `uid`, `mail` and `displayName` unless given. */
  readonly usernameAttribute?: string;
  readonly emailAttribute?: string;
  readonly nameAttribute?: string;
  /** Further attributes that role rules look at; `memberOf` is always there. */
  readonly attributes?: readonly string[];
}

/** The service account looks the person up; then the password is tried on what it found. */
export interface SearchThenBind {
  readonly by: 'search';
  readonly bindDn: string;
  readonly bindPassword: Secret;
  readonly baseDn: string;
  /** Such as `(&(objectClass=person)(uid={username}))`. */
  readonly filter: string;
}

/** The name that was typed gives the entry away, and people may read their own. */
export interface BindByTemplate {
  readonly by: 'template';
  /** Such as `uid={username},ou=people,dc=example,dc=org`. */
  readonly dn: string;
}

/** For directories whose entries do not carry `memberOf`; the names come as attribute `groups`. */
export interface GroupSearch {
  readonly baseDn: string;
  /** Names members by their DN, or by their user name (`memberUid`, RFC 2307 §4). */
  readonly memberAttribute: 'member' | 'uniqueMember' | 'memberUid';
  /** `cn` unless given. */
  readonly nameAttribute?: string;
  /** What an entry must be besides, such as `(objectClass=groupOfNames)`. */
  readonly filter?: string;
}

/** @returns what is wrong with the settings, one sentence each; empty when nothing is */
export function ldapProblems(settings: LdapSettings): string[] {
  const { find, groups } = settings;
  const isUsable = groups?.filter === undefined || isFilter(groups.filter);
  const groupProblems = isUsable ? [] : ['the filter of groups is not one (RFC 4515)'];
  return [...urlProblems(settings), ...findProblems(find), ...groupProblems];
}

function urlProblems({ url: text, startTls = false, allowPlaintext = false }: LdapSettings): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'ldap:' && url?.protocol !== 'ldaps:') {
    return ['the address must be ldap://host[:port] or ldaps://host[:port]'];
  }
  const problems: string[] = [];
  if (url.hostname === '') problems.push('the address names no host');
  const hasMore = url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '';
  if (hasMore || !['', '/'].includes(url.pathname)) problems.push('nothing may follow host and port');
  if (url.protocol === 'ldaps:' && startTls)
    problems.push('an ldaps: connection is encrypted without StartTLS');
  const isPlain = url.protocol === 'ldap:' && !startTls;
  if (isPlain && !allowPlaintext && !isLoopbackHost(url.host)) {
    problems.push('passwords would cross the network in the clear: use ldaps: or StartTLS');
  }
  return problems;
}

function findProblems(find: LdapSettings['find']): string[] {
  if (find.by === 'template') {
    const isName = find.dn.includes('=') && find.dn.includes(usernamePlaceholder);
    return isName ? [] : [`the template must be a distinguished name with ${usernamePlaceholder} in it`];
  }
  const problems: string[] = [];
  // A name without a password is an unauthenticated bind (RFC 4513 §5.1.2), which many servers let pass.
  if (find.bindDn === '' || find.bindPassword.reveal() === '') {
    problems.push('the service account needs a name and a password');
  }
  if (!find.filter.includes(usernamePlaceholder)) problems.push(`the filter must use ${usernamePlaceholder}`);
  if (!isFilter(find.filter)) problems.push('the filter is not one (RFC 4515)');
  return problems;
}

function isFilter(text: string): boolean {
  try {
    FilterParser.parseString(text);
    // The parser forgives a parenthesis that is missing at the end.
    return text.split('(').length === text.split(')').length;
  } catch {
    return false;
  }
}
