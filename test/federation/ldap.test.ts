import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FederationError } from '../../console/federation/connector.ts';
import { createLdapConnector } from '../../console/federation/ldap/connector.ts';
import type { LdapSettings, SearchThenBind } from '../../console/federation/providers/schema.ts';
import { Secret } from '../../platform/secret.ts';
import {
  emptyTree,
  type LdapServer,
  passwordPolicy,
  service,
  startLdapServer,
  suffix,
  whySkipped,
} from './ldap-server.ts';

const paula = { uuid: '6a1f0a52-7a3c-4ab5-9d0e-0123456789ab', password: 'paula-password-1' };
// 33221100-5544-7766-8899-aabbccddeeff, as Active Directory stores it.
const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex').toString('base64');

const people = `${emptyTree}
dn: uid=paula,ou=people,${suffix}
objectClass: inetOrgPerson
objectClass: withGuid
uid: paula
cn: Paula
sn: Piper
displayName: Paula Piper
mail: paula@example.org
employeeType: engineer
employeeType: operator
objectGUID:: ${guid}
entryUUID: ${paula.uuid}
userPassword: ${paula.password}

dn: uid=peter,ou=people,${suffix}
objectClass: inetOrgPerson
uid: peter
cn: Peter
sn: Twin
userPassword: twin-password-1

dn: cn=other peter,ou=people,${suffix}
objectClass: inetOrgPerson
uid: peter
cn: other peter
sn: Twin
userPassword: twin-password-1
${passwordPolicy}pwdLockout: TRUE

dn: uid=lotte,ou=people,${suffix}
objectClass: inetOrgPerson
uid: lotte
cn: Lotte
sn: Locked
userPassword: lotte-password-1
pwdAccountLockedTime: 000001010000Z

dn: uid=nopass,ou=people,${suffix}
objectClass: inetOrgPerson
uid: nopass
cn: No Password
sn: Nobody

dn: cn=Zo\\C3\\AB \\2B (x\\2A),ou=people,${suffix}
objectClass: inetOrgPerson
cn:: ${Buffer.from('Zoë + (x*)').toString('base64')}
uid:: ${Buffer.from('zoë+(x*),\\').toString('base64')}
sn: Odd
userPassword: odd-password-1
`;
const groups = `
dn: cn=operators,ou=groups,${suffix}
objectClass: groupOfNames
cn: operators
member: uid=paula,ou=people,${suffix}

dn: cn=viewers,ou=groups,${suffix}
objectClass: groupOfUniqueNames
cn: viewers
uniqueMember: uid=paula,ou=people,${suffix}

dn: cn=admins,ou=groups,${suffix}
objectClass: groupOfNames
cn: admins
member: uid=lotte,ou=people,${suffix}

dn: cn=unix,ou=groups,${suffix}
objectClass: posixGroup
cn: unix
gidNumber: 100
memberUid: paula
`;

describe.skipIf(whySkipped)(`LDAP sign-in at OpenLDAP${whySkipped ?? ''}`, () => {
  let server: LdapServer;
  const warnings: unknown[][] = [];
  beforeAll(async () => {
    server = await startLdapServer(people, groups);
  });
  afterAll(() => server?.stop());

  const bySearch = (changes: Partial<SearchThenBind> = {}): SearchThenBind => ({
    by: 'search',
    bindDn: service.dn,
    bindPassword: new Secret(service.password),
    baseDn: `ou=people,${suffix}`,
    filter: '(&(objectClass=inetOrgPerson)(uid={username}))',
    ...changes,
  });
  const byTemplate = { by: 'template', dn: `uid={username},ou=people,${suffix}` } as const;
  const connector = (changes: Partial<LdapSettings> = {}) =>
    createLdapConnector(
      { url: `ldap://127.0.0.1:${server.port}`, find: bySearch(), ...changes },
      { log: { warn: (...line: unknown[]) => void warnings.push(line) } },
    );
  test.each([
    ['search', () => bySearch()],
    ['template', () => byTemplate],
  ])('found by %s, who has the password is who the directory says', async (_how, find) => {
    const identity = await connector({ find: find(), attributes: ['employeeType', 'title'] }).verify(
      'PAULA',
      paula.password,
    );
    expect(identity).toEqual({
      subject: paula.uuid,
      username: 'paula',
      email: 'paula@example.org',
      name: 'Paula Piper',
      attributes: {
        memberOf: [`cn=operators,ou=groups,${suffix}`],
        employeeType: ['engineer', 'operator'],
        title: [],
      },
    });
  });

  test.each([
    ['a wrong password', 'paula', 'wrong'],
    ["somebody else's password", 'paula', 'twin-password-1'],
    ['an unknown name', 'nobody', paula.password],
    ['no name', '', paula.password],
    ['a name that matches everything', '*', paula.password],
    ['a name that matches a beginning', 'pau*', paula.password],
    ['a name that closes the filter', 'paula)(uid=*', paula.password],
    ['a name that closes the filter and opens an or', '*)(|(uid=*', paula.password],
    ['a name that ends in NUL', 'paula\0', paula.password],
    ['an escaped name', '\\70aula', paula.password],
    ['a name that adds to a distinguished name', `paula,ou=people,${suffix}`, paula.password],
    ['a name that leads elsewhere', `x+uid=paula`, paula.password],
    ['a name of two entries', 'peter', 'twin-password-1'],
    ['an account that is locked', 'lotte', 'lotte-password-1'],
    ['an account without a password', 'nopass', 'x'],
    ['a name as long as a book', 'p'.repeat(100_000), paula.password],
  ])('%s does not sign in', async (_what, username, password) => {
    expect(await connector().verify(username, password)).toBeUndefined();
    if (username !== 'peter') {
      expect(await connector({ find: byTemplate }).verify(username, password)).toBeUndefined();
    }
  });

  test('an empty password is refused before anything is asked (RFC 4513 §5.1.2)', async () => {
    const log = await server.asked(async () => {
      expect(await connector().verify('paula', '')).toBeUndefined();
      expect(await connector({ find: byTemplate }).verify('paula', '')).toBeUndefined();
      await connector().verify('peggy', 'x');
    });
    expect(log).toContain('uid=peggy');
    expect(log).not.toContain('uid=paula');
  });

  test('a name of two entries is tried as neither, and the operator hears of it', async () => {
    warnings.length = 0;
    const log = await server.asked(() => connector().verify('peter', 'twin-password-1'));
    expect(warnings).toEqual([[{ reason: 'several entries' }, 'ldap name is ambiguous']]);
    expect(log).not.toMatch(/BIND dn="[^"]*peter/);
  });

  test('a name with every special character finds its own entry', async () => {
    const identity = await connector().verify('zoë+(x*),\\', 'odd-password-1');
    expect(identity?.username).toBe('zoë+(x*),\\');
    const find = { by: 'template', dn: `cn={username},ou=people,${suffix}` } as const;
    expect(await connector({ find }).verify('Zoë + (x*)', 'odd-password-1')).toMatchObject({
      subject: identity?.subject,
    });
  });

  test.each([
    ['member', ['operators']],
    ['uniqueMember', ['viewers']],
    ['memberUid', ['unix']],
  ] as const)('groups by %s become attributes', async (memberAttribute, names) => {
    const identity = await connector({
      groups: { baseDn: `ou=groups,${suffix}`, memberAttribute },
    }).verify('paula', paula.password);
    expect(identity?.attributes.groups).toEqual(names);
  });

  test('objectGUID becomes the text that Active Directory shows', async () => {
    const identity = await connector({ subjectAttribute: 'objectGUID' }).verify('paula', paula.password);
    expect(identity?.subject).toBe('33221100-5544-7766-8899-aabbccddeeff');
  });

  test.each(['employeeNumber', 'employeeType'])('no single %s, no subject, no sign-in', async (attribute) => {
    const error = await errorOf(connector({ subjectAttribute: attribute }).verify('paula', paula.password));
    expect(error).toMatchObject({ name: 'FederationError', status: 403 });
  });

  test.each([
    ['a service account with a wrong password', { bindPassword: new Secret('wrong') }],
    ['a base that does not exist', { baseDn: 'dc=elsewhere' }],
  ])('%s is 503, never a wrong password', async (_what, changes) => {
    const error = await errorOf(connector({ find: bySearch(changes) }).verify('paula', paula.password));
    expect(error).toMatchObject({ name: 'FederationError', status: 503 });
    expect(error.message).not.toMatch(/\d{3}|localhost|dc=/);
  });

  test('twenty people at once, each as themselves', async () => {
    const one = createLdapConnector(
      { url: `ldap://127.0.0.1:${server.port}`, find: bySearch() },
      { log: { warn: () => {} }, maxSessions: 20 },
    );
    const tries = Array.from({ length: 20 }, (_, index) =>
      one.verify('paula', index % 2 === 0 ? paula.password : 'wrong'),
    );
    const subjects = (await Promise.all(tries)).map((identity) => identity?.subject);
    expect(subjects).toEqual(tries.map((_, index) => (index % 2 === 0 ? paula.uuid : undefined)));
  });
});

async function errorOf(promise: Promise<unknown>): Promise<FederationError> {
  return await promise.then(
    () => {
      throw new Error('nothing was refused');
    },
    (error: FederationError) => error,
  );
}
