/** Links by which somebody chooses a password: each counts once, for a time, for one account. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPasswords } from '../../console/accounts/passwords.ts';
import { createInvitations, type Invitations } from '../../console/accounts/users/invitations.ts';
import { createUsers, type Users } from '../../console/accounts/users.ts';
import { createAccountRecords } from '../../console/accounts/voiding.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import { versionOf } from '../../console/storage/record-version.ts';
import type { UserRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';

const password = 'nine brown otters';
const passwords = createPasswords({ minCharacters: 12, concurrency: 2, maxWaiting: 16 });
let nowMs: number;
let storage: Storage;
let users: Users;
let invitations: Invitations;
let ended: string[];
let ada: UserRecord;
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await passwords.hash('seven grey herons');
});
let grace: UserRecord;

beforeEach(async () => {
  nowMs = 1_800_000_000_000;
  ended = [];
  storage = createMemoryStorage({ now: () => nowMs });
  const now = () => nowMs;
  const endSessionsOf = async (id: string) => void ended.push(id);
  const records = createAccountRecords({ records: storage.records, endSessionsOf, now });
  const { registry, artifacts } = storage;
  users = createUsers({ records, registry, passwords, newId: randomUUID, now });
  invitations = createInvitations({
    records,
    artifacts,
    passwords,
    newToken: randomUUID,
    url: 'https://console.example',
    now,
  });
  const at = { createdAt: nowMs, tokensValidFrom: nowMs };
  ada = { id: 'ada', username: 'ada', roles: ['Admin'], passwordHash, disabled: false, ...at };
  await storage.records.change(async (transaction) => transaction.put('users', ada));
  grace = await users.add({ username: 'grace', roles: ['Viewer'], email: 'grace.h@example.org' });
});

const tokenOf = ({ link }: { readonly link: string }) => new URL(link).searchParams.get('token')!;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.problem?.code ?? String(error),
  );

test('a link is for the console, says who it is for, and gives the account its password', async () => {
  const invitation = await invitations.invite(grace.id);
  expect(invitation.link).toMatch(/^https:\/\/console\.example\/invitation\?token=[\w-]{36}$/);
  expect(invitation.expiresAt).toBe(nowMs / 1000 + 86_400);
  expect((await invitations.find(tokenOf(invitation))).username).toBe('grace');
  const accepted = await invitations.accept(tokenOf(invitation), password);
  expect(accepted).not.toHaveProperty('isInvited');
  expect(await passwords.verify(await users.find(grace.id), password)).toBe(true);
});

describe('a link does not count', () => {
  const refused = async (token: string) => {
    const before = await users.find(grace.id);
    expect(await codeOf(invitations.find(token))).toBe('forbidden');
    expect(await codeOf(invitations.accept(token, password))).toBe('forbidden');
    expect(await users.find(grace.id)).toEqual(before);
  };

  test.each(['', 'made-up', '..', '\u0000'])('that nobody was given: %j', async (token) => {
    await refused(token);
  });

  test('when it has been used', async () => {
    const token = tokenOf(await invitations.invite(grace.id));
    await invitations.accept(token, password);
    await refused(token);
  });

  test('when there is a newer one', async () => {
    const former = tokenOf(await invitations.invite(grace.id));
    const newer = tokenOf(await invitations.invite(grace.id));
    await refused(former);
    expect(await codeOf(invitations.accept(newer, password))).toBe('done');
  });

  test('when its time is over', async () => {
    const invitation = await invitations.invite(grace.id, { ttlSeconds: 60 });
    nowMs = invitation.expiresAt * 1000 - 1;
    expect(await codeOf(invitations.find(tokenOf(invitation)))).toBe('done');
    nowMs = invitation.expiresAt * 1000;
    await refused(tokenOf(invitation));
  });

  test('when an administrator has set a password, disabled the account, or removed it meanwhile', async () => {
    const first = tokenOf(await invitations.invite(grace.id));
    await users.setDisabled(grace.id, true);
    await refused(first);
    await users.setDisabled(grace.id, false);
    expect(await codeOf(invitations.find(first))).toBe('done');
    await users.setPassword(grace.id, 'ten white swans, flying');
    await refused(first);
    const second = tokenOf(await invitations.reset(grace.id));
    await users.remove(grace.id);
    await refused(second);
  });
});

test('of two who use a link at the same time, one does', async () => {
  const token = tokenOf(await invitations.invite(grace.id));
  const codes = await Promise.all([
    codeOf(invitations.accept(token, password)),
    codeOf(invitations.accept(token, 'ten white swans, flying')),
  ]);
  expect(codes.sort()).toEqual(['done', 'forbidden']);
});

test('a weak password uses no link up, nor does one that is the own address', async () => {
  const token = tokenOf(await invitations.invite(grace.id));
  for (const weak of ['short', 'password1234', 'grace.h@example.org']) {
    expect(await codeOf(invitations.accept(token, weak))).toBe('weak_password');
  }
  expect(await codeOf(invitations.accept(token, password))).toBe('done');
});

test('a password that was forgotten is none any more as soon as there is a link, and sessions end', async () => {
  nowMs += 60_000;
  const accepted = tokenOf(await invitations.invite(grace.id));
  await invitations.accept(accepted, password);
  ended = [];
  const reset = await invitations.reset(grace.id);
  expect(ended).toEqual([grace.id]);
  expect(reset.before!.passwordHash).not.toBe(reset.after.passwordHash);
  expect(await passwords.verify(await users.find(grace.id), password)).toBe(false);
  expect(reset.after.isInvited).toBe(true);
  await invitations.accept(tokenOf(reset), 'ten white swans, flying');
  expect(await passwords.verify(await users.find(grace.id), 'ten white swans, flying')).toBe(true);
});

test('nothing that is stored is the link, nor opens it (S54)', async () => {
  await invitations.invite(grace.id);
  const [listed] = await storage.artifacts.listByAccount('Invitation', grace.id);
  const { passwordHash: unknown } = (await users.find(grace.id))!;
  expect(JSON.stringify(listed)).not.toContain(unknown);
  expect(Object.keys(listed!.artifact.payload)).toEqual(['for']);
});

describe('a link is not given', () => {
  test.each<readonly [string, string, () => Promise<unknown>]>([
    ['to nobody', 'not_found', () => invitations.invite('nobody')],
    ['as the first one, to who has a password', 'conflict', () => invitations.invite(ada.id)],
    [
      'of another version',
      'precondition_failed',
      () => invitations.reset(grace.id, { version: versionOf(ada) }),
    ],
    ['to the last administrator, who would be none', 'last_administrator', () => invitations.reset(ada.id)],
  ])('%s', async (_what, code, give) => {
    expect(await codeOf(give())).toBe(code);
    for (const user of [ada, grace]) expect(await users.find(user.id)).toEqual(user);
    expect(await storage.artifacts.list('Invitation', 10)).toEqual([]);
    expect(ended).toEqual([]);
  });

  test('to an account of a provider', async () => {
    const eve = { ...grace, id: 'eve', username: 'eve', federated: { provider: 'corp', subject: 'e' } };
    await storage.registry.update((transaction) =>
      transaction.put('providers', { id: 'corp', enabled: true }),
    );
    await storage.records.change(async (transaction) => transaction.put('users', eve));
    for (const give of [invitations.invite, invitations.reset]) {
      expect(await codeOf(give('eve'))).toBe('conflict');
    }
    expect(await users.find('eve')).toEqual(eve);
  });

  test('by whoever has less than the account', async () => {
    const checkMayGrant = () => {
      throw new Error('has more than you');
    };
    await expect(invitations.reset(grace.id, { checkMayGrant })).rejects.toThrow('has more than you');
    expect(await users.find(grace.id)).toEqual(grace);
  });
});
