/** B4: one place voids an account, whoever changes it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type AccountRegistry, createAccountRegistry } from '../../console/accounts/voiding.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { ProviderRecord, UserRecord } from '../../console/storage/records.ts';
import type { Registry, RegistryTransaction } from '../../console/storage/storage.ts';

const startMs = 1_800_000_000_500;
let nowMs: number;
let plain: Registry;
let registry: AccountRegistry;
/** Whose sessions were ended, and what the registry said of them then. */
let ended: (readonly [id: string, validFrom: number | undefined])[];

const ada: UserRecord = {
  id: 'ada',
  username: 'ada',
  roles: ['Viewer', 'MetricsViewer'],
  passwordHash: 'hash',
  disabled: false,
  createdAt: startMs,
  tokensValidFrom: startMs,
};
const eve: UserRecord = { ...ada, id: 'eve', username: 'eve', federated: { provider: 'corp', subject: 'e' } };
const corp = { id: 'corp', enabled: true } as ProviderRecord;

beforeEach(async () => {
  nowMs = startMs;
  ended = [];
  plain = createMemoryStorage().registry;
  await plain.update((transaction) => {
    for (const user of [ada, eve]) transaction.put('users', user);
    transaction.put('providers', corp);
  });
  registry = createAccountRegistry({
    registry: plain,
    endSessionsOf: async (id) => void ended.push([id, plain.get('users', id)?.tokensValidFrom]),
    now: () => nowMs,
  });
});

const put = (user: UserRecord) => (transaction: RegistryTransaction) => transaction.put('users', user);

describe('what voids an account (B4)', () => {
  test.each<{ name: string; change: (transaction: RegistryTransaction) => unknown; who: string[] }>([
    { name: 'another role', change: put({ ...ada, roles: ['Admin', 'MetricsViewer'] }), who: ['ada'] },
    { name: 'a role less', change: put({ ...ada, roles: ['Viewer'] }), who: ['ada'] },
    { name: 'a role more', change: put({ ...ada, roles: [...ada.roles, 'x'] }), who: ['ada'] },
    { name: 'another password', change: put({ ...ada, passwordHash: 'other' }), who: ['ada'] },
    { name: 'being disabled', change: put({ ...ada, disabled: true }), who: ['ada'] },
    { name: 'removal', change: (transaction) => transaction.remove('users', 'ada'), who: ['ada'] },
    {
      name: 'its provider being switched off',
      change: (transaction) => transaction.put('providers', { ...corp, enabled: false }),
      who: ['eve'],
    },
    {
      name: 'its provider being removed',
      change: (transaction) => transaction.remove('providers', 'corp'),
      who: ['eve'],
    },
  ])('$name ends its sessions once, when the change is there (B4)', async ({ change, who }) => {
    nowMs += 5000;
    await registry.update(change);
    const isGone = plain.get('users', who[0]!) === undefined;
    expect(ended).toEqual(who.map((id) => [id, isGone ? undefined : nowMs]));
    const others = [ada, eve].filter(({ id }) => !who.includes(id));
    for (const { id } of others) expect(plain.get('users', id)?.tokensValidFrom).toBe(startMs);
  });

  test.each([
    { name: 'another address', user: { ...ada, email: 'ada@example.org' } },
    { name: 'the same roles in another order', user: { ...ada, roles: ['MetricsViewer', 'Viewer'] } },
  ])('$name does not', async ({ user }) => {
    await registry.update(put(user));
    expect([ended, plain.get('users', 'ada')]).toEqual([[], user]);
  });

  test('a new account has nothing that could end', async () => {
    await registry.update(put({ ...ada, id: 'new', username: 'new' }));
    expect(ended).toEqual([]);
  });

  test('twice within one second voids what was issued in between (S34)', async () => {
    await registry.update(put({ ...ada, disabled: true }));
    const first = plain.get('users', 'ada')!.tokensValidFrom;
    await registry.update(put({ ...ada, disabled: false }));
    expect(plain.get('users', 'ada')!.tokensValidFrom).toBeGreaterThanOrEqual(first + 500);
  });

  test('a change that is refused ends nothing', async () => {
    const rejected = registry.update((transaction) => {
      transaction.put('users', { ...ada, disabled: true });
      throw new RangeError('not so');
    });
    await expect(rejected).rejects.toThrow(RangeError);
    expect(ended).toEqual([]);
  });
});

test('nobody else writes users or dates what counts of them (B4)', () => {
  const root = resolve(import.meta.dirname, '../..');
  const files = readdirSync(join(root, 'console'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `console/${file}`);
  expect(files.length).toBeGreaterThan(200);
  const sources = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const writing = sources.filter(({ text }) => /\.(put|remove)\('users'/.test(text));
  expect(writing.map(({ file }) => file)).toContain('console/federation/account-linking.ts');
  expect(writing.filter(({ text }) => !text.includes('AccountRegistry')).map(({ file }) => file)).toEqual([]);
  const dating = sources.filter(({ text }) => /\bvalidFrom\(/.test(text)).map(({ file }) => file);
  expect(dating.sort()).toEqual(['console/accounts/validity.ts', 'console/accounts/voiding.ts']);
});
