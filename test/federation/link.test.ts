import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPasswords } from '../../console/accounts/passwords.ts';
import { createUsers, type Users } from '../../console/accounts/users.ts';
import { type AccountRecords, createAccountRecords } from '../../console/accounts/voiding.ts';
import { createLink, type Link } from '../../console/federation/account-linking.ts';
import type { UpstreamIdentity } from '../../console/federation/connector.ts';
import { parseRoleRule } from '../../console/federation/role-rules.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { RecordStore } from '../../console/storage/record-store.ts';
import type { Registry } from '../../console/storage/storage.ts';
import { allUsers } from '../helpers/store.ts';
import { errorOf } from './support.ts';

const passwords = createPasswords({ minCharacters: 12, concurrency: 2, maxWaiting: 16 });
const rules = ['groups=ops -> Viewer', 'groups=admins -> Admin'].map(parseRoleRule);
const corp = { id: 'corp', roleRules: { rules } };
const other = { id: 'other', roleRules: { rules } };
const ada: UpstreamIdentity = {
  subject: 'f1e2',
  username: 'ada',
  email: 'ada@corp.example',
  attributes: { groups: ['ops'] },
};
const operator = { username: 'operator', password: 'eight grey herons', roles: ['Admin'] } as const;
const local = { username: 'ada', password: 'seven grey herons', email: 'ada@corp.example' };

let time: number;
let registry: Registry;
let records: AccountRecords;
let ended: string[];
let users: Users;
let link: Link;
beforeEach(async () => {
  await open();
  // Nobody comes from outside before a console is set up.
  await users.add(operator);
});
async function open(): Promise<void> {
  time = 1_000_000_000;
  const now = () => time;
  ended = [];
  const endSessionsOf = async (id: string) => void ended.push(id);
  const storage = createMemoryStorage();
  registry = storage.registry;
  records = createAccountRecords({ records: storage.records, endSessionsOf, now });
  users = createUsers({ records, registry, passwords, newId: randomUUID, now });
  link = createLink({ records, passwords, newId: randomUUID, newSecret, now });
  await registry.update((transaction) => {
    for (const { id } of [corp, other]) transaction.put('providers', { id, enabled: true });
  });
}
const linked = async () => (await allUsers({ records })).filter(({ federated }) => federated);
const newSecret = () => randomBytes(32).toString('base64url');

describe('the first sign-in', () => {
  test('makes an account with the roles of the rules', async () => {
    const account = await link(corp, ada);
    expect(account).toMatchObject({
      username: 'ada',
      email: 'ada@corp.example',
      roles: ['Viewer'],
      federated: { provider: 'corp', subject: 'f1e2' },
    });
    expect(await users.find(account.id)).toEqual(account);
  });

  test('two at the same time make one account', async () => {
    const [one, two] = await Promise.all([link(corp, ada), link(corp, ada)]);
    expect(one.id).toBe(two.id);
    expect(await linked()).toHaveLength(1);
  });

  test('the account has no password that anybody could type (S45)', async () => {
    const account = await link(corp, ada);
    for (const guess of ['', 'ada', 'f1e2', 'undefined', account.passwordHash]) {
      expect(await passwords.verify(account, guess)).toBe(false);
    }
  });

  test('keeps the name, and whether the provider has verified the address, as it last said them (D20)', async () => {
    const first = await link(corp, { ...ada, name: 'Ada Lovelace', isEmailVerified: true });
    expect(first).toMatchObject({ name: 'Ada Lovelace', isEmailVerified: true });
    const written: unknown[] = [];
    records.onChange((changes) => written.push(...changes));
    expect(await link(corp, { ...ada, name: 'Ada Lovelace', isEmailVerified: true })).toEqual(first);
    expect(written).toEqual([]);
    const silent = await link(corp, { subject: ada.subject, attributes: ada.attributes });
    expect(silent).toMatchObject({ name: 'Ada Lovelace', isEmailVerified: true });
    const other = await link(corp, { ...ada, name: 'Ada King', email: 'king@corp.example' });
    expect(other).toMatchObject({ name: 'Ada King', email: 'king@corp.example', isEmailVerified: false });
    expect(other.tokensValidFrom, 'nothing is voided').toBe(first.tokensValidFrom);
  });

  test.each([' ', 'x'.repeat(201), 'Ada\nAdmin', 'Ada\u202eadA', 'Ada\u0000'])(
    'leaves out %j, which is no name (D20)',
    async (name) => {
      expect((await link(corp, { ...ada, name })).name).toBeUndefined();
    },
  );

  test('leaves out what is no e-mail address', async () => {
    expect((await link(corp, { ...ada, email: '"><script>' })).email).toBeUndefined();
  });
});

describe('nothing but provider and subject leads to an account (S45)', () => {
  test('the name and e-mail address of a local administrator', async () => {
    const admin = await users.add({ ...local, roles: ['Admin'] });
    const account = await link(corp, ada);
    expect(account.id).not.toBe(admin.id);
    expect(account.roles).toEqual(['Viewer']);
    expect(await users.find(admin.id)).toEqual(admin);
  });

  test('the same subject at another provider', async () => {
    const [one, two] = [await link(corp, ada), await link(other, ada)];
    expect(one.id).not.toBe(two.id);
  });

  test('another subject with the same name and e-mail address', async () => {
    const [one, two] = [await link(corp, ada), await link(corp, { ...ada, subject: 'F1E2' })];
    expect(one.id).not.toBe(two.id);
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(513)],
  ])('a subject that is %s makes no account', async (_name, subject) => {
    expect(await errorOf(link(corp, { ...ada, subject }))).toMatchObject({ status: 401 });
    expect(await linked()).toEqual([]);
  });
});

describe('roles (S45)', () => {
  test.each([
    ['no rule matches', { groups: ['staff'] }],
    ['an attribute named roles grants nothing', { roles: ['Admin'], role: ['Admin'] }],
  ])('refused, and no account made, when %s', async (_name, attributes) => {
    expect(await errorOf(link(corp, { ...ada, attributes }))).toMatchObject({ status: 403 });
    expect(await linked()).toEqual([]);
  });

  test('follow the provider at each sign-in, and void what was issued before', async () => {
    const first = await link(corp, ada);
    time += 60_000;
    const second = await link(corp, { ...ada, attributes: { groups: ['admins'] } });
    expect(second).toMatchObject({ id: first.id, roles: ['Admin'], tokensValidFrom: time });
  });

  test('are taken away when the provider gives none any more', async () => {
    const { id } = await link(corp, ada);
    time += 60_000;
    expect(await errorOf(link(corp, { ...ada, attributes: {} }))).toMatchObject({ status: 403 });
    expect(await users.find(id)).toMatchObject({ roles: [], tokensValidFrom: time });
  });

  test('that are the same change nothing', async () => {
    const first = await link(corp, ada);
    time += 60_000;
    expect(await link(corp, ada)).toEqual(first);
  });
});

test('nobody from outside is the first account of a console (S27)', async () => {
  await open();
  const admins = { ...ada, attributes: { groups: ['admins'] } };
  expect(await errorOf(link(corp, admins))).toMatchObject({
    status: 403,
    message: expect.stringContaining('not set up yet'),
  });
  expect(await users.hasAny()).toBe(false);
});

test('the last administrator keeps the role, and is refused when the provider does not give it any more', async () => {
  const first = await link(corp, { ...ada, attributes: { groups: ['admins'] } });
  await users.remove((await users.findByName(operator.username))!.id);
  for (const groups of [['ops'], []]) {
    const error = await errorOf(link(corp, { ...ada, attributes: { groups } }));
    expect(error).toMatchObject({ status: 403, message: expect.stringContaining('last one here') });
  }
  expect(await users.find(first.id)).toEqual(first);
});

test.each([
  ['switched off', { id: 'corp', enabled: false }],
  ['with text for a switch', { id: 'corp', enabled: 'yes' }],
  ['gone', undefined],
])('a provider that is %s makes no account, and changes none (S45)', async (_name, record) => {
  const known = await link(corp, { ...ada, subject: 'known' });
  await registry.update((transaction) => {
    if (record) transaction.put('providers', record);
    else transaction.remove('providers', 'corp');
  });
  const before = await users.find(known.id);
  const admins = { groups: ['admins'] };
  for (const subject of ['new', 'known']) {
    expect(await errorOf(link(corp, { ...ada, subject, attributes: admins }))).toMatchObject({ status: 403 });
  }
  expect(await linked()).toEqual([before]);
});

test('an account that was disabled here stays out', async () => {
  const { id } = await link(corp, ada);
  await users.setDisabled(id, true);
  expect(await errorOf(link(corp, ada))).toMatchObject({ status: 403 });
  expect((await users.find(id))?.disabled).toBe(true);
});

test('another name at the provider renames nobody; another e-mail address is taken over', async () => {
  const { id } = await link(corp, ada);
  await link(corp, { ...ada, username: 'countess', email: 'countess@corp.example' });
  expect(await users.find(id)).toMatchObject({ username: 'ada', email: 'countess@corp.example' });
});

describe('the user name', () => {
  test.each([
    ['is the provider’s', { username: 'ada' }, 'ada'],
    ['that is no name here gives way to the e-mail address', { username: '<b>' }, 'ada@corp.example'],
    ['comes from the name when there is nothing else', { username: '', email: '', name: 'Ada L' }, 'Ada.L'],
    ['is made up when there is nothing at all', { username: '', email: '' }, 'user@corp'],
    ['is cut at 64 characters', { username: 'x'.repeat(80) }, 'x'.repeat(64)],
  ])('%s', async (_name, given, expected) => {
    expect((await link(corp, { ...ada, ...given })).username).toBe(expected);
  });

  test.each(['ada', 'ADA', 'ａｄａ'])(
    '%s is taken by a local account: another one is given (S45)',
    async (username) => {
      await users.add({ ...local, roles: ['Viewer'] });
      const names = [];
      for (const subject of ['1', '2', '3']) {
        names.push((await link(corp, { ...ada, username, subject })).username.toLowerCase());
      }
      expect(names).toEqual(['ada@corp', 'ada-2@corp', 'ada-3@corp']);
    },
  );
});

describe('what a sign-in asks of the store', () => {
  /** Names of what is called, in its order. */
  function counted(store: RecordStore, calls: string[]): RecordStore {
    const watched = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(object, name) {
          const found: unknown = Reflect.get(object, name);
          if (typeof found !== 'function') return found;
          return (...given: unknown[]) => {
            calls.push(String(name));
            if (name !== 'change') return found(...given);
            const [work] = given as Parameters<RecordStore['change']>;
            return store.change((transaction) => work(watched(transaction)));
          };
        },
      });
    return watched(store);
  }

  async function callsWith(people: number): Promise<Record<string, string[]>> {
    const storage = createMemoryStorage();
    const now = () => time;
    await storage.registry.update((transaction) =>
      transaction.put('providers', { id: 'corp', enabled: true }),
    );
    await storage.records.change(async (transaction) => {
      for (let number = 0; number < people; number++) {
        const id = `p-${number}`;
        const federated = { provider: 'corp', subject: id };
        const username = number === 0 ? 'user@corp' : `user-${number + 1}@corp`;
        transaction.put('users', {
          ...{ id, username, federated, roles: ['Viewer'], passwordHash: '', disabled: false },
          ...{ createdAt: 0, tokensValidFrom: 0 },
        });
      }
    });
    const calls: string[] = [];
    const endSessionsOf = async () => {};
    const own = createAccountRecords({ records: counted(storage.records, calls), endSessionsOf, now });
    const signIn = createLink({ records: own, passwords, newId: randomUUID, newSecret, now });
    const during = async (work: Promise<unknown>) => {
      await work;
      return calls.splice(0);
    };
    const attributes = { groups: ['ops'] };
    return {
      first: await during(signIn(corp, { subject: 'new', username: 'somebody', attributes })),
      nameless: await during(signIn(corp, { subject: 'nameless', username: '', attributes })),
      same: await during(signIn(corp, { subject: 'p-1', username: '', attributes })),
      other: await during(signIn(corp, { subject: 'p-1', username: '', attributes: { groups: ['admins'] } })),
    };
  }

  test('is the same among ten and among a thousand people, and no list (C5)', async () => {
    const [few, many] = [await callsWith(10), await callsWith(1000)];
    expect(many).toEqual(few);
    expect(few.same).toEqual(['userByLink']);
    for (const call of Object.values(many).flat()) expect(['users', 'clients', 'count']).not.toContain(call);
  });
});
