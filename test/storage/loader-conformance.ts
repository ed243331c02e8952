/** What many new records at once are, in every storage. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Obstacle } from '../../console/storage/record-loader.ts';
import type { UserRecord } from '../../console/storage/records.ts';
import type { Storage } from '../../console/storage/storage.ts';
import { client, user as newUser } from './record-conformance.ts';

export function describeLoader(name: string, open: () => Promise<Storage>): void {
  describe(`loading records: ${name}`, () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    test('adds whole batches, which are found as others are, and tells of each', async () => {
      const { loader, records } = storage;
      const seen: number[] = [];
      expect(await loader.load('users', users(2100), { onBatch: (each) => void seen.push(each) })).toBe(2100);
      expect(seen).toEqual([2000, 2100]);
      expect(await records.count('users')).toBe(2100);
      expect(await records.count('users', { role: 'Viewer' })).toBe(2100);
      expect((await records.userByName('USER-2099'))?.id).toBe('u002099');
      expect((await records.userByLink('corp', 's7'))?.id).toBe('u000007');
      expect(await records.get('users', 'u000100')).toEqual(user(100));
    });

    test('leaves out what something is in the way of, and replaces nothing', async () => {
      const { loader, records } = storage;
      await loader.load('users', [user(1), user(2)]);
      await loader.load('clients', [client('wallboard')]);
      const given: readonly UserRecord[] = [
        { ...user(3), id: 'u000001' },
        { ...user(4), username: 'User-1' },
        { ...user(5), username: 'wallb0ard' },
        { ...user(6), federated: { provider: 'corp', subject: 's2' } },
        user(7),
        { ...user(8), username: 'user-7' },
        { ...user(9), id: 'wallboard' },
        user(10),
      ];
      const found: readonly (Obstacle | undefined)[] = [
        'id',
        'name',
        'name',
        'link',
        undefined,
        undefined,
        'id',
        undefined,
      ];
      expect(await loader.obstacles('users', given)).toEqual(found);

      const leftOut: [number, Obstacle][] = [];
      const onLeftOut = (index: number, obstacle: Obstacle) => void leftOut.push([index, obstacle]);
      expect(await loader.load('users', given, { onLeftOut })).toBe(2);
      expect(leftOut).toEqual([
        [0, 'id'],
        [1, 'name'],
        [2, 'name'],
        [3, 'link'],
        [5, 'name'],
        [6, 'id'],
      ]);
      expect(await records.get('users', 'u000001')).toEqual(user(1));
      expect(await records.count('users')).toBe(4);
    });

    test('what ends it leaves the batches before', async () => {
      const { loader, records } = storage;
      async function* torn() {
        yield* users(2500);
        throw new RangeError('torn');
      }
      await expect(loader.load('users', torn())).rejects.toThrow('torn');
      expect(await records.count('users')).toBe(2000);
    });

    test('in small batches while others are served, who get their turn', async () => {
      const { loader, artifacts } = storage;
      const seen: number[] = [];
      const loading = loader.load('users', users(1000), {
        isServing: true,
        onBatch: (each) => void seen.push(each),
      });
      await artifacts.put('Session', 'meanwhile', { payload: {} });
      expect(seen.length).toBeLessThan(5);
      await loading;
      expect(seen).toEqual([200, 400, 600, 800, 1000]);
    });
  });
}

function* users(count: number): Generator<UserRecord, void> {
  for (let n = 0; n < count; n++) yield user(n);
}

function user(n: number): UserRecord {
  return newUser(`u${String(n).padStart(6, '0')}`, {
    username: `user-${n}`,
    federated: { provider: 'corp', subject: `s${n}` },
  });
}
