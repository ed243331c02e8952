/** B4: one place voids an account, whoever changes it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { listVoidMarks } from '../../console/accounts/void-marks.ts';
import {
  type AccountRecords,
  type AccountTransaction,
  createAccountRecords,
} from '../../console/accounts/voiding.ts';
import { createProviderSweeps } from '../../console/federation/providers/account-sweeps.ts';
import { createMemoryStorage } from '../../console/storage/embedded/memory.ts';
import type { UserRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';

const startMs = 1_800_000_000_500;
const seconds = (ms: number) => Math.floor(ms / 1000);
let nowMs: number;
let plain: Storage;
let records: AccountRecords;
/** Whose sessions were ended, and what the store said of them then. */
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

beforeEach(async () => {
  nowMs = startMs;
  ended = [];
  plain = createMemoryStorage({ now: () => nowMs });
  await plain.records.change(async (transaction) => {
    for (const user of [ada, eve]) transaction.put('users', user);
  });
  records = createAccountRecords({
    records: plain.records,
    endSessionsOf: async (id) =>
      void ended.push([id, (await plain.records.get('users', id))?.tokensValidFrom]),
    now: () => nowMs,
  });
});

const put = (user: UserRecord) => async (transaction: AccountTransaction) => transaction.put('users', user);
const marks = () => listVoidMarks(plain.artifacts, 100);

describe('what voids an account (B4)', () => {
  test.each<{ name: string; change: (transaction: AccountTransaction) => Promise<unknown>; says: object }>([
    {
      name: 'another role',
      change: put({ ...ada, roles: ['Admin', 'MetricsViewer'] }),
      says: { from: true },
    },
    { name: 'a role less', change: put({ ...ada, roles: ['Viewer'] }), says: { from: true } },
    { name: 'a role more', change: put({ ...ada, roles: [...ada.roles, 'x'] }), says: { from: true } },
    { name: 'another password', change: put({ ...ada, passwordHash: 'other' }), says: { from: true } },
    { name: 'being disabled', change: put({ ...ada, disabled: true }), says: {} },
    { name: 'removal', change: async (transaction) => transaction.remove('users', 'ada'), says: {} },
    {
      name: 'what is asked for without a change',
      change: async (transaction) => transaction.voidAccount((await transaction.get('users', 'ada'))!),
      says: { from: true },
    },
    {
      name: 'one of two writes in one change',
      async change(transaction) {
        transaction.put('users', { ...ada, disabled: true });
        const after = (await transaction.get('users', 'ada'))!;
        expect(after.tokensValidFrom, 'as it will be').toBe(nowMs);
        transaction.put('users', { ...after, email: 'ada@example.org' });
      },
      says: {},
    },
  ])(
    '$name ends its sessions once, when the change is there, and marks its tokens (B4)',
    async ({ change, says }) => {
      nowMs += 5000;
      await records.change(change);
      const isGone = (await plain.records.get('users', 'ada')) === undefined;
      expect(ended).toEqual([['ada', isGone ? undefined : nowMs]]);
      const from = 'from' in says ? { from: seconds(nowMs) + 1 } : {};
      const [mark, ...others] = await marks();
      expect(mark).toEqual({ party: 'account', id: 'ada', until: expect.any(Number), ...from });
      expect(mark?.until, 'as long as a token lives').toBeGreaterThan(seconds(nowMs) + 3600);
      expect(others).toEqual([]);
      expect(await plain.records.get('users', 'eve')).toEqual(eve);
    },
  );

  test.each([
    { name: 'another address', user: { ...ada, email: 'ada@example.org' } },
    { name: 'the same roles in another order', user: { ...ada, roles: ['MetricsViewer', 'Viewer'] } },
  ])('$name does not', async ({ user }) => {
    await records.change(put(user));
    const stored = { ...user, updatedAt: expect.any(Number) };
    expect([ended, await marks(), await plain.records.get('users', 'ada')]).toEqual([[], [], stored]);
  });

  test('a new account has nothing that could end', async () => {
    await records.change(put({ ...ada, id: 'new', username: 'new' }));
    expect([ended, await marks()]).toEqual([[], []]);
  });

  test('twice within one second voids what was issued in between (S34)', async () => {
    await records.change(put({ ...ada, disabled: true }));
    const first = (await plain.records.get('users', 'ada'))!.tokensValidFrom;
    await records.change(put({ ...ada, disabled: false }));
    const second = (await plain.records.get('users', 'ada'))!.tokensValidFrom;
    expect(second).toBeGreaterThanOrEqual(first + 500);
    expect(await marks()).toMatchObject([{ id: 'ada', from: seconds(second) + 1 }]);
  });

  test('two changes at the same moment both hold, and each ends what was there before it', async () => {
    await Promise.all([
      records.change(async (transaction) => {
        const user = (await transaction.get('users', 'ada'))!;
        transaction.put('users', { ...user, roles: ['Viewer'] });
      }),
      records.change(async (transaction) => {
        const user = (await transaction.get('users', 'ada'))!;
        transaction.put('users', { ...user, passwordHash: 'other' });
      }),
    ]);
    expect(await plain.records.get('users', 'ada')).toMatchObject({
      roles: ['Viewer'],
      passwordHash: 'other',
    });
    expect(ended.map(([id]) => id)).toEqual(['ada', 'ada']);
  });

  test('a change that is refused ends nothing', async () => {
    const rejected = records.change(async (transaction) => {
      transaction.put('users', { ...ada, disabled: true });
      transaction.remove('users', 'eve');
      throw new RangeError('not so');
    });
    await expect(rejected).rejects.toThrow(RangeError);
    expect([ended, await marks()]).toEqual([[], []]);
    expect(await plain.records.get('users', 'ada')).toEqual(ada);
  });
});

describe('all accounts of a provider (B4)', () => {
  const many = 250;
  beforeEach(() =>
    plain.records.change(async (transaction) => {
      for (let number = 0; number < many; number++) {
        const id = `e-${number}`;
        transaction.put('users', { ...eve, id, username: id, federated: { provider: 'corp', subject: id } });
      }
    }),
  );
  const sweeps = () => createProviderSweeps({ records, artifacts: plain.artifacts });

  test('are void where there is something to end, and no other record is written', async () => {
    await plain.artifacts.put('Grant', 'g', { payload: {}, accountId: 'e-3' });
    await plain.artifacts.put('Session', 's', { payload: {}, accountId: 'e-204', uid: 'u' });
    await plain.artifacts.put('Session', 't', { payload: {}, accountId: 'ada', uid: 'v' });
    nowMs += 5000;
    await sweeps().voidAccounts('corp');
    expect(ended.map(([id]) => id).sort()).toEqual(['e-204', 'e-3']);
    expect((await marks()).map(({ id, from }) => [id, from]).sort()).toEqual(
      ['e-204', 'e-3'].map((id) => [id, seconds(nowMs) + 1]),
    );
    expect(await plain.records.get('users', 'e-4')).toMatchObject({ tokensValidFrom: startMs });
  });

  test('go with it, and those of nobody else', async () => {
    expect(await sweeps().removeAccounts('corp')).toBe(many + 1);
    expect(await plain.records.count('users')).toBe(1);
    expect(ended).toHaveLength(many + 1);
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
  expect(writing.filter(({ text }) => !text.includes('AccountRecords')).map(({ file }) => file)).toEqual([]);
  const dating = sources.filter(({ text }) => /\bvalidFrom\(/.test(text)).map(({ file }) => file);
  expect(dating.sort()).toEqual(['console/accounts/validity.ts', 'console/accounts/voiding.ts']);
});
