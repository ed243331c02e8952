/** Changes of accounts: on which terms they are made, what is refused, and what a refused one leaves. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPasswords } from '../../console/accounts/passwords.ts';
import { createUsers, type Users } from '../../console/accounts/users.ts';
import { createAccountRecords } from '../../console/accounts/voiding.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { versionOf } from '../../console/storage/record-version.ts';
import type { UserRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';

const password = 'seven grey herons';
const passwords = createPasswords({ minCharacters: 12, concurrency: 2, maxWaiting: 16 });
let nowMs: number;
let storage: Storage;
let users: Users;
let providersValidFrom: Record<string, number>;
let ended: string[];
let ada: UserRecord;
/** Of {@link password}. */
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await passwords.hash(password);
});

beforeEach(async () => {
  nowMs = 1_800_000_000_000;
  ended = [];
  providersValidFrom = {};
  storage = createMemoryStorage({ now: () => nowMs });
  const { registry } = storage;
  const records = createAccountRecords({
    records: storage.records,
    endSessionsOf: async (id) => void ended.push(id),
    now: () => nowMs,
  });
  users = createUsers({
    records,
    registry,
    passwords,
    newId: randomUUID,
    now: () => nowMs,
    accountsValidFrom: (provider) => providersValidFrom[provider],
  });
  ada = await stored({ username: 'ada', roles: ['Admin'] });
});

async function stored(
  fields: Pick<UserRecord, 'username' | 'roles'> & Partial<UserRecord>,
): Promise<UserRecord> {
  const at = { createdAt: nowMs, tokensValidFrom: nowMs };
  const user = { id: randomUUID(), passwordHash, disabled: false, ...at, ...fields };
  await storage.records.change(async (transaction) => transaction.put('users', user));
  return user;
}
const later = (ms = 60_000) => {
  nowMs += ms;
};
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.problem?.code ?? String(error),
  );
const federated = async (username: string, provider = 'corp'): Promise<UserRecord> => {
  await storage.registry.update((transaction) =>
    transaction.put('providers', { id: provider, enabled: true }),
  );
  return stored({ username, roles: ['Viewer'], federated: { provider, subject: username } });
};

describe('a new account', () => {
  test('has each role once, and what is said of it', async () => {
    const given = {
      username: 'Grace',
      roles: ['Viewer', 'Viewer'],
      email: 'g@example.org',
      name: 'Grace H.',
    };
    const added = await users.add({ ...given, password });
    expect(added).toMatchObject({ ...given, roles: ['Viewer'], disabled: false, createdAt: nowMs });
    expect(added).not.toHaveProperty('isInvited');
    expect(await users.findByName('gRACE')).toEqual(added);
  });

  test('without a password is one whose person is to choose it, and nobody knows its password', async () => {
    const added = await users.add({ username: 'grace', roles: [], email: null, name: null });
    expect(added.isInvited).toBe(true);
    expect([added.email, added.name]).toEqual([undefined, undefined]);
    for (const guess of ['', password, 'grace']) {
      expect(await passwords.verify(added, guess)).toBe(false);
    }
  });

  test('has an id that no client and no other account has (S14)', async () => {
    const ids = [ada.id, 'wallboard', 'free'];
    const { registry, records } = storage;
    await records.change(async (transaction) =>
      transaction.put('clients', { id: 'wallboard', createdAt: 0 } as never),
    );
    const own = createUsers({
      records: createAccountRecords({ records, endSessionsOf: async () => {}, now: () => nowMs }),
      registry,
      passwords,
      newId: () => ids.shift()!,
      now: () => nowMs,
    });
    expect((await own.add({ username: 'grace', roles: [] })).id).toBe('free');
  });

  test.each([
    { of: 'a name that is there in another case', given: { username: 'ADA' }, code: 'already_exists' },
    { of: 'no name', given: { username: '' }, code: 'invalid_request' },
    { of: 'a role that there is not', given: { roles: ['Nothing'] }, code: 'invalid_request' },
    { of: 'a member of every object as a role', given: { roles: ['constructor'] }, code: 'invalid_request' },
    { of: 'no address', given: { email: 'grace' }, code: 'invalid_request' },
    { of: 'a name of two lines', given: { name: 'Grace\nAdmin' }, code: 'invalid_request' },
    { of: 'a name of spaces', given: { name: '   ' }, code: 'invalid_request' },
    { of: 'a name that is too long', given: { name: 'g'.repeat(201) }, code: 'invalid_request' },
    { of: 'a password that is too short', given: { password: 'short' }, code: 'weak_password' },
    {
      of: 'its own address as password',
      given: { email: 'grace.hopper@example.org', password: 'grace.hopper@example.org' },
      code: 'weak_password',
    },
  ])('with $of is refused, and is not there (S53)', async ({ given, code }) => {
    expect(await codeOf(users.add({ username: 'grace', password, roles: [], ...given }))).toBe(code);
    expect(await users.count()).toBe(1);
  });

  test('that is to be the first is refused when there is one', async () => {
    expect(
      await codeOf(users.add({ username: 'grace', password, roles: ['Admin'] }, { isFirst: true })),
    ).toBe('conflict');
    expect(await users.findByName('grace')).toBeUndefined();
  });

  test('is not there when whoever adds it may not give what it has', async () => {
    const checkMayGrant = ({ roles }: Pick<UserRecord, 'roles'>) => {
      if (roles.includes('Admin')) throw new Error('not yours to give');
    };
    const add = (roles: string[]) => users.add({ username: 'grace', password, roles }, { checkMayGrant });
    await expect(add(['Admin'])).rejects.toThrow('not yours to give');
    expect(await users.findByName('grace')).toBeUndefined();
    expect((await add(['Viewer'])).roles).toEqual(['Viewer']);
  });
});

describe('a change', () => {
  let grace: UserRecord;
  beforeEach(async () => {
    grace = await stored({ username: 'grace', roles: ['Viewer'], email: 'g@example.org' });
    later();
  });

  test('leaves what it does not name, and takes away what it names as nothing', async () => {
    const { before, after } = await users.update(grace.id, { name: 'Grace' });
    expect(before).toEqual(grace);
    expect(after).toMatchObject({ name: 'Grace', email: 'g@example.org', roles: ['Viewer'] });
    const without = (await users.update(grace.id, { name: null, email: null })).after;
    expect([without.name, without.email]).toEqual([undefined, undefined]);
    expect(await users.find(grace.id)).toEqual(without);
  });

  test('that changes nothing is not written, and ends nothing', async () => {
    const { before, after } = await users.update(grace.id, { email: 'g@example.org', roles: ['Viewer'] });
    expect(after).toEqual(before);
    expect(after.tokensValidFrom).toBe(grace.tokensValidFrom);
    expect(ended).toEqual([]);
  });

  test('of a name or an address ends nothing, and one of roles ends what was issued before (S34)', async () => {
    await users.update(grace.id, { name: 'Grace', email: 'grace@example.org' });
    expect(ended).toEqual([]);
    expect((await users.setRoles(grace.id, ['Viewer', 'MetricsViewer'])).after.tokensValidFrom).toBe(nowMs);
    expect(ended).toEqual([grace.id]);
    expect(await users.isStillValid(grace.id, Math.floor(nowMs / 1000) - 1)).toBe(false);
    expect(await users.isStillValid(grace.id, Math.floor(nowMs / 1000) + 1)).toBe(true);
  });

  test('of an address makes it one that nobody has verified', async () => {
    await storage.records.change(async (transaction) =>
      transaction.put('users', { ...grace, isEmailVerified: true }),
    );
    expect((await users.update(grace.id, { email: 'g@example.org' })).after).toHaveProperty(
      'isEmailVerified',
    );
    const { after } = await users.update(grace.id, { email: 'new@example.org' });
    expect(after).not.toHaveProperty('isEmailVerified');
  });

  const changes: readonly (readonly [string, (id: string, terms: object) => Promise<unknown>])[] = [
    ['of fields', (id, terms) => users.update(id, { name: 'G' }, terms)],
    ['of roles', (id, terms) => users.setRoles(id, [], terms)],
    ['of status', (id, terms) => users.setDisabled(id, true, terms)],
    ['of the password', (id, terms) => users.setPassword(id, 'nine brown otters', undefined, terms)],
    ['that ends sessions', (id, terms) => users.endSessions(id, terms)],
    ['that removes it', (id, terms) => users.remove(id, terms)],
  ];
  test.each(changes)('%s is refused for another version, and made for this one', async (_what, change) => {
    expect(await codeOf(change(grace.id, { version: versionOf(ada) }))).toBe('precondition_failed');
    expect(await users.find(grace.id)).toEqual(grace);
    expect(ended).toEqual([]);
    expect(await codeOf(change(grace.id, { version: versionOf(grace) }))).toBe('done');
    expect(await users.find(grace.id)).not.toEqual(grace);
  });

  test.each(changes)('%s of somebody who is not there is refused', async (_what, change) => {
    expect(await codeOf(change('nobody', {}))).toBe('not_found');
    expect(await users.count()).toBe(2);
  });

  test.each(changes.filter(([what]) => what !== 'of the password'))(
    '%s is not made by whoever has less than the account',
    async (_what, change) => {
      const checkMayGrant = () => {
        throw new Error('has more than you');
      };
      await expect(change(grace.id, { checkMayGrant })).rejects.toThrow('has more than you');
      expect(await users.find(grace.id)).toEqual(grace);
      expect(ended).toEqual([]);
    },
  );

  test('of roles is measured by what the account has before and after', async () => {
    const seen: string[][] = [];
    const checkMayGrant = (...these: readonly Pick<UserRecord, 'roles'>[]) =>
      void seen.push(...these.map(({ roles }) => [...roles]));
    await users.setRoles(grace.id, ['MetricsViewer'], { checkMayGrant });
    expect(seen).toEqual([['Viewer'], ['MetricsViewer']]);
  });
});

describe('an own account, and the last administrator', () => {
  let grace: UserRecord;
  beforeEach(async () => {
    grace = await stored({ username: 'grace', roles: ['Admin', 'Viewer'] });
  });

  test.each<readonly [string, (id: string, by?: string) => Promise<unknown>]>([
    ['disabled', (id, by) => users.setDisabled(id, true, { by })],
    ['without the role Admin', (id, by) => users.setRoles(id, ['Viewer'], { by })],
    ['removed', (id, by) => users.remove(id, { by })],
    [
      'replaced without the role',
      (id, by) => users.replace({ username: 'grace', name: null, email: null, roles: [] }, { by: by && id }),
    ],
  ])('nobody has their own %s, and another administrator does it', async (_how, change) => {
    expect(await codeOf(change(grace.id, grace.id))).toBe('own_account');
    expect(await users.find(grace.id)).toEqual(grace);
    expect(await codeOf(change(grace.id))).toBe('done');
  });

  test.each<readonly [string, (id: string) => Promise<unknown>]>([
    ['disabled', (id) => users.setDisabled(id, true)],
    ['without the role Admin', (id) => users.setRoles(id, ['Viewer'])],
    ['removed', (id) => users.remove(id)],
    [
      'replaced without the role',
      () => users.replace({ username: 'ada', name: null, email: null, roles: [] }),
    ],
  ])('nobody makes the last administrator %s', async (_how, change) => {
    await users.remove(grace.id);
    const before = await users.find(ada.id);
    expect(await codeOf(change(ada.id))).toBe('last_administrator');
    expect(await users.find(ada.id)).toEqual(before);
  });

  test('one who is disabled is none that could go on alone', async () => {
    await users.setDisabled(grace.id, true);
    expect(await codeOf(users.remove(ada.id))).toBe('last_administrator');
    await users.setDisabled(grace.id, false);
    expect(await codeOf(users.remove(ada.id))).toBe('done');
  });

  test('of two that take the role from each other at the same time, one stays', async () => {
    const codes = await Promise.all([
      codeOf(users.setRoles(grace.id, [], { by: ada.id })),
      codeOf(users.setRoles(ada.id, [], { by: grace.id })),
    ]);
    expect(codes.sort()).toEqual(['done', 'last_administrator']);
    expect(await users.count({ role: 'Admin' })).toBe(1);
  });
});

describe('an account as it is said to be', () => {
  const said = { username: 'grace', name: 'Grace', email: 'g@example.org', roles: ['Viewer'] };

  test('is made and invited when there is none, and changed with its password when there is', async () => {
    const made = await users.replace(said);
    expect(made.before).toBeUndefined();
    expect(made.after).toMatchObject({ ...said, isInvited: true });
    later();
    const changed = await users.replace({ ...said, name: null, roles: ['MetricsViewer'] });
    expect(changed.before).toEqual(made.after);
    expect(changed.after).toMatchObject({ id: made.after.id, roles: ['MetricsViewer'] });
    expect(changed.after.passwordHash).toBe(made.after.passwordHash);
    expect(changed.after).not.toHaveProperty('name');
  });

  test('said twice is written once', async () => {
    const { after } = await users.replace(said);
    later();
    expect(await users.replace(said)).toEqual({ before: after, after });
    expect(ended).toEqual([]);
  });

  test('is refused when it has to be new and is not, or of a version when there is none', async () => {
    expect(await codeOf(users.replace(said, { version: versionOf(ada) }))).toBe('precondition_failed');
    expect(await users.findByName('grace')).toBeUndefined();
    const { after } = await users.replace(said, { isNew: true });
    expect(await codeOf(users.replace({ ...said, roles: [] }, { isNew: true }))).toBe('precondition_failed');
    expect(await users.find(after.id)).toEqual(after);
    expect(await codeOf(users.replace({ ...said, roles: ['Nothing'] }))).toBe('invalid_request');
    expect(await users.find(after.id)).toEqual(after);
  });
});

describe('a password', () => {
  test('is not changed by whoever had proven the one of before when it has changed meanwhile', async () => {
    const proven = (await users.find(ada.id))!;
    later();
    const { after } = await users.setPassword(ada.id, 'nine brown otters');
    expect(await codeOf(users.setPassword(ada.id, 'ten white swans, flying', proven))).toBe('conflict');
    expect((await users.find(ada.id))!.passwordHash).toBe(after.passwordHash);
    expect(await codeOf(users.setPassword(ada.id, 'ten white swans, flying', after))).toBe('done');
    expect(ended).toEqual([ada.id, ada.id]);
  });

  test('that is chosen for an invited account makes it one like others', async () => {
    const invited = await users.add({ username: 'grace', roles: [] });
    const { after } = await users.setPassword(invited.id, 'nine brown otters');
    expect(after).not.toHaveProperty('isInvited');
    expect(await passwords.verify(after, 'nine brown otters')).toBe(true);
  });

  test('is not given to an account of a provider, and not when it is weak', async () => {
    const user = await federated('eve');
    expect(await codeOf(users.setPassword(user.id, 'nine brown otters'))).toBe('conflict');
    expect(await codeOf(users.setPassword(ada.id, 'ada ada ada ada'))).toBe('weak_password');
    expect((await users.find(ada.id))!.passwordHash).toBe(ada.passwordHash);
  });

  test('keeps its account as it is when only its hash is made anew, unless it has changed meanwhile', async () => {
    later();
    await users.rehash(ada, password);
    const hashed = (await users.find(ada.id))!;
    expect(hashed).toEqual({ ...ada, passwordHash: expect.any(String) });
    expect(hashed.passwordHash).not.toBe(ada.passwordHash);
    expect(await passwords.verify(hashed, password)).toBe(true);
    await users.rehash(ada, 'nine brown otters');
    expect((await users.find(ada.id))!.passwordHash).toBe(hashed.passwordHash);
    expect(ended).toEqual([]);
    await users.rehash({ ...ada, id: 'gone' }, password);
    expect(await users.count()).toBe(1);
  });
});

describe('what counts of an account of a provider (S34)', () => {
  const second = () => Math.floor(nowMs / 1000);

  test('is nothing while its provider is switched off or gone, and what came after its date', async () => {
    const eve = await federated('eve');
    later();
    expect(await users.validSince(eve.id)).toBeUndefined();
    expect(await users.isStillValid(eve.id, second() + 60)).toBe(false);
    providersValidFrom.corp = 0;
    expect(await users.isStillValid(eve.id, second())).toBe(true);
    providersValidFrom.corp = nowMs;
    expect(await users.isStillValid(eve.id, second())).toBe(false);
    expect(await users.isStillValid(eve.id, second() + 1)).toBe(true);
    expect(users.issueTime(eve, nowMs)).toBe(second() + 1);
    delete providersValidFrom.corp;
    expect(users.issueTime(eve, nowMs)).toBe(second());
  });

  test('is nothing of an account that is disabled or not there', async () => {
    const grace = await users.add({ username: 'grace', roles: [] });
    await users.setDisabled(grace.id, true);
    for (const id of [grace.id, 'nobody']) {
      expect(await users.validSince(id)).toBeUndefined();
      expect(await users.isStillValid(id, second() + 3600)).toBe(false);
    }
  });
});

test('sessions are ended of an account that stays as it is', async () => {
  later();
  const { before, after } = await users.endSessions(ada.id);
  expect(before).toEqual(ada);
  expect(after).toEqual({ ...ada, tokensValidFrom: nowMs });
  expect(ended).toEqual([ada.id]);
});
