/** What a storage that holds changes over another one is, whichever that is. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DuplicateRecordError, LastAdministratorError } from '../../console/storage/record-store.ts';
import { createDryStorage, createStagedStorage } from '../../console/storage/staged/staged-storage.ts';
import type { Storage } from '../../console/storage/storage.ts';
import { client, user } from './record-conformance.ts';

const now = () => 1_000_000;
const admin = user('admin', { roles: ['Admin'], username: 'Ada' });

/** @param open  with the time that it is given */
export function describeStaged(name: string, open: (now: () => number) => Promise<Storage>): void {
  describe(`over ${name}`, () => {
    let base: Storage;
    beforeEach(async () => {
      base = await open(now);
      await put(base, admin, user('u1', { roles: ['Viewer', 'ops'] }));
      await base.registry.update((transaction) =>
        transaction.put('roles', { id: 'ops', permissions: [], createdAt: 1 }),
      );
      await base.artifacts.put('Session', 's1', {
        payload: { n: 1 },
        uid: 'one',
        accountId: 'u1',
        grantId: 'g',
      });
    });
    afterEach(() => base.close());

    test('a dry storage shows what was done in it, and its base nothing', async () => {
      const dry = createDryStorage(base, now);
      await put(dry, user('u2', { username: 'Bob', roles: ['ops'] }));
      await dry.records.change(async (transaction) => transaction.remove('users', 'u1'));
      await dry.registry.update((transaction) => transaction.remove('roles', 'ops'));
      for (const { key } of await dry.artifacts.listByAccount('Session', 'u1', 1)) {
        await dry.artifacts.removeByKey('Session', key);
      }

      expect(await dry.records.userByName('bob')).toMatchObject({ id: 'u2' });
      expect(await dry.records.isNameTaken('B0B')).toBe(await dry.records.isNameTaken('b0b'));
      expect(await dry.records.get('users', 'u1')).toBeUndefined();
      expect((await dry.records.users({ role: 'ops', limit: 10 })).records.map(({ id }) => id)).toEqual([
        'u2',
      ]);
      expect([await dry.records.count('users'), await dry.records.count('users', { role: 'ops' })]).toEqual([
        2, 1,
      ]);
      expect(dry.registry.get('roles', 'ops')).toBeUndefined();
      expect(await dry.artifacts.listByAccount('Session', 'u1', 1)).toEqual([]);
      await dry.artifacts.put('Session', 's2', { payload: {}, uid: 'two', accountId: 'u2' });
      const sessions = (storage: Storage, of?: string) => storage.artifacts.countSessions(5, of);
      expect([await sessions(dry), await sessions(dry, 'u1'), await sessions(base, 'u1')]).toEqual([
        { value: 1, isExact: true },
        { value: 0, isExact: true },
        { value: 1, isExact: true },
      ]);
      await dry.records.change(async (transaction) => transaction.put('clients', client('c1')));
      expect(await dry.records.countClients({ kind: 'machine' })).toBe(1);
      expect(await base.records.countClients({ kind: 'machine' })).toBe(0);
      const many = async ({ artifacts, records }: Storage) => ({
        byUid: [...(await artifacts.findByUids('Session', ['one', 'two'])).keys()],
        allByUid: [...(await artifacts.listByUids('Session', ['one', 'two'])).keys()],
        byName: (
          await artifacts.readMany({ names: ['s1', 's2'].map((id) => ({ kind: 'Session', id })) })
        ).named.map((found) => found?.uid),
        users: [...(await records.getMany('users', ['u1', 'u2'])).keys()],
      });
      expect(await many(dry)).toEqual({
        byUid: ['two'],
        allByUid: ['two'],
        byName: [undefined, 'two'],
        users: ['u2'],
      });
      expect(await many(base)).toEqual({
        byUid: ['one'],
        allByUid: ['one'],
        byName: ['one', undefined],
        users: ['u1'],
      });
      expect(await dry.artifacts.get('Session', 's1')).toBeUndefined();

      expect(await base.records.userByName('bob')).toBeUndefined();
      expect(await base.records.get('users', 'u1')).toBeDefined();
      expect(await base.records.count('users', { role: 'ops' })).toBe(1);
      expect(base.registry.get('roles', 'ops')).toBeDefined();
      expect(await base.artifacts.get('Session', 's1')).toBeDefined();
    });

    test('a dry storage keeps the rules of a commit', async () => {
      const dry = createDryStorage(base, now);
      const disabled = put(dry, { ...admin, disabled: true });
      await expect(disabled).rejects.toThrow(LastAdministratorError);
      expect(await dry.records.get('users', 'admin')).toEqual(admin);
      await expect(put(dry, user('u3', { username: 'ADA' }))).rejects.toThrow(DuplicateRecordError);
      // With another one, it may go.
      await put(dry, user('other', { roles: ['Admin'] }));
      await put(dry, { ...admin, disabled: true });
      expect(await base.records.get('users', 'admin')).toEqual(admin);
    });

    test('what was staged is made in one commit, and its artifacts after it', async () => {
      const staged = createStagedStorage(base, { checksEach: false, now });
      const seen: string[][] = [];
      base.records.onChange((changes) => seen.push(changes.map(({ id }) => id)));
      await put(staged, user('u2'));
      await staged.records.change(async (transaction) => transaction.put('clients', client('c1')));
      await staged.registry.update((transaction) =>
        transaction.put('roles', { id: 'new', permissions: [], createdAt: 2 }),
      );
      await staged.artifacts.removeByGrant('g', ['Session']);
      expect(seen).toEqual([]);
      expect(await staged.commit()).toBe(true);
      expect(seen).toEqual([['u2', 'c1']]);
      expect(await base.records.get('clients', 'c1')).toEqual(client('c1'));
      expect([...base.registry.all('roles').keys()]).toEqual(['ops', 'new']);
      expect(await base.artifacts.get('Session', 's1')).toBeUndefined();
    });

    test('nothing is made when what it was decided on has changed', async () => {
      const staged = createStagedStorage(base, { checksEach: false, now });
      await staged.records.change(async (transaction) => {
        const found = await transaction.get('users', 'u1');
        transaction.put('users', { ...found!, email: 'u1@example.com' });
      });
      await staged.registry.update((transaction) => transaction.remove('roles', 'ops'));
      await put(base, user('u1', { disabled: true }));
      expect(await staged.commit()).toBe(false);
      expect(base.registry.get('roles', 'ops')).toBeDefined();
      expect((await base.records.get('users', 'u1'))?.email).toBeUndefined();

      const other = createStagedStorage(base, { checksEach: false, now });
      await other.registry.update((transaction) => transaction.remove('roles', 'ops'));
      await put(other, user('u4'));
      await base.registry.update((transaction) =>
        transaction.put('roles', { id: 'meanwhile', permissions: [], createdAt: 2 }),
      );
      expect(await other.commit()).toBe(false);
      expect(await base.records.get('users', 'u4')).toBeUndefined();
    });

    test('an administrator by a provider is none once the same change switches it off', async () => {
      await base.registry.update((transaction) =>
        transaction.put('providers', { id: 'corp', enabled: true }),
      );
      await put(base, user('f', { roles: ['Admin'], federated: { provider: 'corp', subject: 's' } }));
      const staged = createStagedStorage(base, { checksEach: false, now });
      await staged.registry.update((transaction) =>
        transaction.put('providers', { id: 'corp', enabled: false }),
      );
      await staged.records.change(async (transaction) => transaction.remove('users', 'admin'));
      await expect(staged.commit()).rejects.toThrow(LastAdministratorError);
      expect(base.registry.get('providers', 'corp')?.enabled).toBe(true);
    });
  });
}

function put(storage: Storage, ...users: readonly ReturnType<typeof user>[]): Promise<void> {
  return storage.records.change(async (transaction) => {
    for (const one of users) transaction.put('users', one);
  });
}
