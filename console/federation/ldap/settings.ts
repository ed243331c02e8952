/** What must hold of a directory's settings beyond the form of each. */

import type { FilterParser } from 'ldapts';
import { requireLibrary } from '../../../platform/installation.ts';
import { isLoopbackHost } from '../../http/outbound/loopback.ts';
import type { LdapSettings } from '../providers/schema.ts';
import { usernamePlaceholder } from './text.ts';

type Parser = Pick<typeof FilterParser, 'parseString'>;

/**
 * @param parser  of the library, where it is loaded; otherwise the first filter loads it, and whoever has no directory does without
 * @returns what is wrong with the settings, one sentence each; empty when nothing is
 */
export function ldapProblems(settings: LdapSettings, parser?: Parser): string[] {
  const isFilter = (text: string) => canBeRead(text, parser ?? loadedParser());
  const { find, groups } = settings;
  const isUsable = groups?.filter === undefined || isFilter(groups.filter);
  const groupProblems = isUsable ? [] : ['the filter of groups is not one (RFC 4515)'];
  return [...urlProblems(settings), ...findProblems(find, isFilter), ...groupProblems];
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

function findProblems(find: LdapSettings['find'], isFilter: (text: string) => boolean): string[] {
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

function loadedParser(): Parser {
  return (requireLibrary('ldapts') as typeof import('ldapts')).FilterParser;
}

function canBeRead(filter: string, parser: Parser): boolean {
  try {
    parser.parseString(filter);
    // The parser forgives a parenthesis that is missing at the end.
    return filter.split('(').length === filter.split(')').length;
  } catch {
    return false;
  }
}
