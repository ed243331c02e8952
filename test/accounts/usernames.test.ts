/** D9, D18: what somebody may be called. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPasswords } from '../../console/accounts/passwords.ts';
import { checkUsername, reservedNames } from '../../console/accounts/usernames.ts';
import { isEmail } from '../../console/accounts/users/user-rules.ts';
import { createUsers, type Users } from '../../console/accounts/users.ts';
import { type AccountRecords, createAccountRecords } from '../../console/accounts/voiding.ts';
import { dashboardClientId } from '../../console/clients/clients.ts';
import { applicationClientId } from '../../console/clients/scopes.ts';
import { createLink } from '../../console/federation/account-linking.ts';
import { parseRoleRule } from '../../console/federation/role-rules.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { normalName } from '../../console/storage/name-keys.ts';
import { thirdParty } from '../helpers/store.ts';

const passwords = createPasswords({ minCharacters: 12, concurrency: 2, maxWaiting: 16 });
const now = Date.now;
let records: AccountRecords;
let users: Users;
beforeEach(async () => {
  const endSessionsOf = async () => {};
  const storage = createMemoryStorage();
  const { registry } = storage;
  records = createAccountRecords({ records: storage.records, endSessionsOf, now });
  users = createUsers({ records, registry, passwords, newId: randomUUID, now });
  await records.change(async (transaction) => transaction.put('clients', thirdParty));
  await registry.update((transaction) => transaction.put('providers', { id: 'corp', enabled: true }));
  await add('paula');
});

const add = (username: string) => users.add({ username, password: 'seven grey herons', roles: [] });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.problem?.code ?? String(error),
  );
const federated = async (username: string, subject = 'f1e2') => {
  const rules = { rules: [parseRoleRule('groups=ops -> Viewer')] };
  const link = createLink({ records, passwords, newId: randomUUID, newSecret: randomUUID, now });
  const attributes = { groups: ['ops'] };
  return (await link({ id: 'corp', roleRules: rules }, { subject, username, attributes })).username;
};

test('the names of what comes with the console are those of its clients (D18)', () => {
  expect(reservedNames).toEqual([applicationClientId, dashboardClientId, 'console']);
});

describe('nobody has the name of a client (D18)', () => {
  test.each([
    ...reservedNames,
    'Application-Client',
    'applicatlon-client'.replace('tl', 'ti'),
    thirdParty.id,
  ])('%s is refused here, and somebody from outside gets another (D18)', async (name) => {
    expect(await codeOf(add(name))).toBe('already_exists');
    expect(await federated(name)).toBe(`${name}@corp`);
  });
});

describe('names that look alike (D9)', () => {
  test.each([
    { name: 'Cyrillic letters', like: 'раulа' },
    { name: 'one Cyrillic letter', like: 'pаula' },
    { name: 'a Greek letter', like: 'pαula' },
    { name: 'Latin and Thai', like: 'paulaก' },
    { name: 'foreign digits', like: 'paula٣' },
  ])('of two scripts ($name) are refused (D9)', async ({ like }) => {
    expect(await codeOf(add(like))).toBe('invalid_request');
    expect(await federated(like)).toBe('user@corp');
  });

  test.each([
    { name: 'fullwidth letters', like: 'ｐａｕｌａ' },
    { name: 'capitals', like: 'PAULA' },
    { name: 'a digit for a letter', like: 'pau1a' },
    { name: 'a capital for a small letter', like: 'pauIa' },
  ])('$name for a name that somebody has are refused (D9)', async ({ like }) => {
    expect(await codeOf(add(like))).toBe('already_exists');
    expect(await federated(like)).toMatch(/@corp$/);
  });

  test('a name all of another script that is drawn like one somebody has is refused (D9)', async () => {
    await add('scope');
    expect(await codeOf(add('ѕсоре'))).toBe('already_exists');
    expect(await federated('ѕсоре')).toBe('ѕсоре@corp');
  });

  test.each([
    'müller',
    'Дмитрий',
    'Ελένη',
    '山田太郎',
    'ひらがなとカタカナ',
    '김민준',
    'محمد',
    'o2',
    'IAN',
    '9to5',
  ])('%s is a good name (D9)', async (name) => {
    expect(await codeOf(add(name))).toBe('done');
    expect((await users.findByName(name))?.username).toBe(name.normalize('NFKC'));
  });

  test('names are kept in one form, and found however they are typed (D9)', async () => {
    await add('Ｚｏé');
    expect((await users.findByName('zoé'))?.username).toBe('Zoé');
  });

  test('accounts from before keep their names (D9)', async () => {
    const old = { ...(await users.findByName('paula'))!, id: 'old', username: 'pаulа' };
    await records.change(async (transaction) => transaction.put('users', old));
    await users.setRoles('old', ['Viewer']);
    expect((await users.findByName('pаulа'))?.id).toBe('old');
  });
});

describe('a name at the edges of what one may be (S53)', () => {
  const codeFor = (name: string) => {
    try {
      checkUsername(normalName(name));
      return 'done';
    } catch (error) {
      return (error as { problem?: { code: string } }).problem?.code;
    }
  };

  test.each([
    ['of one letter', 'a'],
    ['of one digit', '7'],
    ['of 64 letters', 'a'.repeat(64)],
    ['of 64 letters of which each is two units', '𠀀'.repeat(64)],
    ['of 64 signs, of which the first is a letter', `a${'.'.repeat(63)}`],
    ['that is an address', 'paula@example.org'],
    ['of letters that are written from the right', 'محمد'],
    ['of letters with marks that go into them', 'e\u0301le\u0300ve'],
    ...[
      'राजेश',
      'সুমিত্রা',
      'ਗੁਰਪ੍ਰੀਤ',
      'મીનાક્ષી',
      'ସୁଭଦ୍ରା',
      'முருகன்',
      'శ్రీనివాస్',
      'ಲಕ್ಷ್ಮೀ',
      'സുരേഷ്',
      'සුනිල්',
      'สมชาย',
      'น้ำฝน',
      'กิ่งแก้ว',
      'ວິໄລ',
      'བསྟན་འཛིན'.replaceAll('་', ''),
      'မောင်မောင်',
      'សុភា',
      'އަޙްމަދު',
    ].map((name): [string, string] => [`whose vowels are marks (${name})`, name]),
  ])('%s is one', (_what, name) => {
    expect(codeFor(name)).toBe('done');
  });

  test.each([
    ['nothing', ''],
    ['65 letters', 'a'.repeat(65)],
    ['22 letters of which each becomes three', 'ﬃ'.repeat(22)],
    ['a sign at its begin', '.paula'],
    ['a space within', 'pau la'],
    ['a space that is as wide as a letter', 'pau\u3000la'],
    ['a line end behind it', 'paula\n'],
    ['a zero byte', 'pau\0la'],
    ['an escape', 'pau\u001b[31mla'],
    ['a turn of the direction', 'pau\u202ela'],
    ['a joiner that nobody sees', 'pau\u200dla'],
    ['a hyphen that nobody sees', 'pau\u00adla'],
    ['a mark by itself', '\u0301paula'],
    ['a mark that is no vowel', 'paulq\u0301'],
    ['a mark of one script at letters of another', 'paul\u093e'],
    ['a vowel sign at its begin', '\u093eराम'],
    ['a vowel sign behind a dot', 'राम.\u093e'],
    ['an accent at a letter with marks', 'रा\u0301म'],
    ['a sign twice, of which one is seen', 'กิ\u0e34'],
    ['five marks at one letter', 'က\u102d\u102f\u1036\u1037\u1038'],
    ['a vowel that nobody sees', 'ក\u17b4'],
    ['a vowel with the sign that makes it another one', 'अ\u093eशा'],
    ['the same in Sinhala', 'අ\u0dcf'],
    ['a tone before its vowel', 'ก\u0e48\u0e34ง'],
    ['a face', 'paula😀'],
    ['half of a letter', 'paula\ud800'],
    ['a slash', 'pau/la'],
    ['a fullwidth slash', 'pau／la'],
    ['a percent sign', 'pau%6ca'],
    ['markup', '<b>'],
    ['a quotation mark', 'pau"la'],
  ])('%s is none', (_what, name) => {
    expect(codeFor(name)).toBe('invalid_request');
  });
});

describe('an address at the edges of what one may be (S53)', () => {
  const local = (length: number) => `${'a'.repeat(length - '@example.org'.length)}@example.org`;

  test.each(['a@b', 'a+b@example.org', 'ü@example.org', local(254)])('%s is one', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  test.each([
    '',
    '@',
    'a@',
    '@b',
    'a@b@c',
    'a b@c',
    'a@b\n',
    'a@b,c@d',
    '"a"@b',
    '<a@b>',
    'a@b;',
    local(255),
  ])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false);
  });
});
