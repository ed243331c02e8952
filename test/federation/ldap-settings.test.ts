import { expect, test } from 'vitest';
import { createLdapConnector } from '../../console/federation/ldap/connector.ts';
import { ldapProblems } from '../../console/federation/ldap/settings.ts';
import {
  escapeFilterValue,
  escapeNameValue,
  fillTemplate,
  guidToText,
} from '../../console/federation/ldap/text.ts';
import type { LdapSettings, SearchThenBind } from '../../console/federation/providers/schema.ts';
import { Secret } from '../../platform/secret.ts';

const find: SearchThenBind = {
  by: 'search',
  bindDn: 'cn=console,dc=example,dc=org',
  bindPassword: new Secret('service-password-1'),
  baseDn: 'dc=example,dc=org',
  filter: '(uid={username})',
};
const good: LdapSettings = { url: 'ldaps://directory.example.org', find };

test.each<[string, Partial<LdapSettings>]>([
  ['ldaps', {}],
  ['StartTLS', { url: 'ldap://directory.example.org:389/', startTls: true }],
  ['loopback in the clear', { url: 'ldap://127.0.0.1:3890' }],
  ['loopback in the clear, IPv6', { url: 'ldap://[::1]:3890' }],
  ['another machine in the clear, with leave', { url: 'ldap://10.0.0.7', allowPlaintext: true }],
  ['a template', { find: { by: 'template', dn: 'uid={username},dc=example,dc=org' } }],
])('%s is fine', (_what, changes) => {
  expect(ldapProblems({ ...good, ...changes })).toEqual([]);
});

test.each<[string, Partial<LdapSettings>, string]>([
  ['no address', { url: 'directory' }, 'must be ldap://'],
  ['a web address', { url: 'https://directory.example.org' }, 'must be ldap://'],
  ['no host', { url: 'ldaps://' }, 'names no host'],
  ['a base in the address', { url: 'ldaps://d.example.org/dc=example' }, 'nothing may follow'],
  ['a name in the address', { url: 'ldaps://me:secret@d.example.org' }, 'nothing may follow'],
  ['another machine in the clear', { url: 'ldap://directory.example.org' }, 'in the clear'],
  ['a name that begins like loopback', { url: 'ldap://127.0.0.1.example.org' }, 'in the clear'],
  ['StartTLS within TLS', { startTls: true }, 'without StartTLS'],
  ['no service account', { find: { ...find, bindDn: '' } }, 'needs a name and a password'],
  [
    'an empty service password',
    { find: { ...find, bindPassword: new Secret('') } },
    'needs a name and a password',
  ],
  ['a filter without the name', { find: { ...find, filter: '(uid=*)' } }, 'must use {username}'],
  [
    'a filter that does not end',
    { find: { ...find, filter: '(&(uid={username})' } },
    'the filter is not one',
  ],
  ['a template without the name', { find: { by: 'template', dn: 'uid=paula' } }, 'distinguished name'],
  ['a template that is no name', { find: { by: 'template', dn: '{username}' } }, 'distinguished name'],
])('%s is refused', (_what, changes, why) => {
  const problems = ldapProblems({ ...good, ...changes });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(why);
  const create = () => createLdapConnector({ ...good, ...changes }, { log: { warn: () => {} } });
  expect(create).toThrow(why);
});

// The examples of RFC 4515 §4, without those of other character sets.
test.each([
  ['Parens R Us (for all your parenthetical needs)', 'Parens R Us \\28for all your parenthetical needs\\29'],
  ['*', '\\2a'],
  ['C:\\MyFile', 'C:\\5cMyFile'],
  ['\0\0\0\u0004', '\\00\\00\\00\u0004'],
  ['Lučić', 'Lučić'],
])('%j in a filter', (value, escaped) => {
  expect(escapeFilterValue(value)).toBe(escaped);
});

// The examples of RFC 4514 §4, each special character as its code.
test.each([
  ['James "Jim" Smith, III', 'James \\22Jim\\22 Smith\\2c III'],
  ['Before\rAfter', 'Before\rAfter'],
  ['# 1;2<3>4+5\\', '\\23 1\\3b2\\3c3\\3e4\\2b5\\5c'],
  ['  two ', '\\20 two\\20'],
  ['a#b', 'a#b'],
  ['\0', '\\00'],
])('%j in a distinguished name', (value, escaped) => {
  expect(escapeNameValue(value)).toBe(escaped);
});

test('a template takes a value as it is, in each place', () => {
  expect(fillTemplate('(|(uid={username})(mail={username}))', '$&')).toBe('(|(uid=$&)(mail=$&))');
});

test.each([15, 17, 0])('%i bytes are no GUID', (length) => {
  expect(guidToText(Buffer.alloc(length))).toBeUndefined();
});
