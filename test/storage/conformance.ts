/** What every Storage must do. A new rule goes in here first. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSessions } from '../../console/accounts/sessions.ts';
import { createLogoutOutbox } from '../../console/logout/logout-outbox.ts';
import type { Collection, RoleRecord, SettingRecord } from '../../console/storage/records.ts';
import type { Artifact, Storage } from '../../console/storage/storage.ts';

/** @param now  epoch milliseconds, as the storage must read them */
export type OpenStorage = (now: () => number) => Promise<Storage>;

const startMs = 1_800_000_000_000;
const startSeconds = startMs / 1000;

export function describeStorage(name: string, open: OpenStorage): void {
  describe(name, () => {
    let storage: Storage;
    let nowMs: number;

    beforeEach(async () => {
      nowMs = startMs;
      storage = await open(() => nowMs);
    });
    afterEach(() => storage.close());

    const passSeconds = (seconds: number) => {
      nowMs += seconds * 1000;
    };

    describe('registry', () => {
      test('starts empty', () => {
        expect(storage.registry.all('keys').size).toBe(0);
        expect(storage.registry.get('roles', 'none')).toBeUndefined();
      });

      test('a transaction sees its own writes, and its result is returned', async () => {
        const seen = await storage.registry.update((transaction) => {
          transaction.put('settings', setting('a', 1));
          transaction.put('settings', setting('b', 2));
          const removed = [transaction.remove('settings', 'a'), transaction.remove('settings', 'a')];
          return {
            removed,
            ids: [...transaction.all('settings').keys()],
            b: transaction.get('settings', 'b'),
          };
        });
        expect(seen).toEqual({ removed: [true, false], ids: ['b'], b: setting('b', 2) });
        expect([...storage.registry.all('settings').values()]).toEqual([setting('b', 2)]);
      });

      test('a change that throws changes nothing', async () => {
        await storage.registry.update((transaction) => transaction.put('settings', setting('kept', 1)));
        const before = storage.registry.all('settings');
        const changes: unknown[] = [];
        storage.registry.onChange((changed) => changes.push(changed));

        const rejected = storage.registry.update((transaction) => {
          transaction.put('settings', setting('kept', 2));
          transaction.remove('settings', 'kept');
          transaction.put('roles', role('new'));
          throw new RangeError('not so');
        });
        await expect(rejected).rejects.toThrow(RangeError);

        expect(storage.registry.all('settings')).toBe(before);
        expect(storage.registry.get('settings', 'kept')).toEqual(setting('kept', 1));
        expect(storage.registry.get('roles', 'new')).toBeUndefined();
        expect(changes).toEqual([]);
      });

      test('an asynchronous change is refused and changes nothing', async () => {
        const rejected = storage.registry.update(async (transaction) =>
          transaction.put('settings', setting('late', 1)),
        );
        await expect(rejected).rejects.toThrow(TypeError);
        expect(storage.registry.get('settings', 'late')).toBeUndefined();
      });

      test('a transaction that is kept cannot be used afterwards', async () => {
        const kept = await storage.registry.update((transaction) => ({ transaction }));
        expect(() => kept.transaction.put('settings', setting('late', 1))).toThrow(TypeError);
        expect(storage.registry.get('settings', 'late')).toBeUndefined();
      });

      test('records are frozen copies', async () => {
        const given = { ...role('app'), permissions: ['svc:map:read'] };
        await storage.registry.update((transaction) => transaction.put('roles', given));
        given.permissions.push('later');

        const found = storage.registry.get('roles', 'app');
        expect(found?.permissions).toEqual(['svc:map:read']);
        expect(Object.isFrozen(found)).toBe(true);
        expect(Object.isFrozen(found?.permissions)).toBe(true);
      });

      test('a map that was handed out stays as it was', async () => {
        await storage.registry.update((transaction) => transaction.put('settings', setting('a', 1)));
        const before = storage.registry.all('settings');
        await storage.registry.update((transaction) => transaction.put('settings', setting('b', 1)));
        expect([...before.keys()]).toEqual(['a']);
        expect([...storage.registry.all('settings').keys()]).toEqual(['a', 'b']);
      });

      test.each(['__proto__', 'constructor', 'with "quotes" and \\', 'ümläut 🦊', '\u0000nul', ''])(
        'takes the id %j',
        async (id) => {
          await storage.registry.update((transaction) => transaction.put('settings', setting(id, 'v')));
          expect(storage.registry.get('settings', id)).toEqual(setting(id, 'v'));
        },
      );

      test('listeners hear which collections changed, until they unsubscribe', async () => {
        const received: Collection[][] = [];
        const stop = storage.registry.onChange((changed) => received.push([...changed].sort()));
        await storage.registry.update((transaction) => {
          transaction.put('settings', setting('a', 1));
          transaction.put('roles', role('app'));
        });
        await storage.registry.update((transaction) => transaction.get('settings', 'a'));
        stop();
        await storage.registry.update((transaction) => transaction.remove('settings', 'a'));
        expect(received).toEqual([['roles', 'settings']]);
      });

      test('a listener that throws harms neither the change nor the other listeners', async () => {
        let received = 0;
        storage.registry.onChange(() => {
          throw new Error('listener');
        });
        storage.registry.onChange(() => received++);
        await storage.registry.update((transaction) => transaction.put('settings', setting('a', 1)));
        expect(received).toBe(1);
        expect(storage.registry.get('settings', 'a')).toBeDefined();
      });

      test('parallel changes lose nothing', async () => {
        await storage.registry.update((transaction) => transaction.put('settings', setting('n', 0)));
        const increase = () =>
          storage.registry.update((transaction) => {
            const value = Number(transaction.get('settings', 'n')?.value);
            transaction.put('settings', setting('n', value + 1));
          });
        await Promise.all(Array.from({ length: 30 }, increase));
        expect(storage.registry.get('settings', 'n')?.value).toBe(30);
      });
    });

    describe('artifacts', () => {
      const full: Artifact = {
        payload: { text: 'ä"\\', list: [1, { deep: null }], flag: false },
        expiresAt: startSeconds + 60,
        grantId: 'grant',
        uid: 'uid',
        accountId: 'account',
      };

      test('gives back what was put, by kind and id', async () => {
        await storage.artifacts.put('Session', 'one', full);
        await storage.artifacts.put('Grant', 'one', { payload: { other: true } });
        expect(await storage.artifacts.get('Session', 'one')).toEqual(full);
        expect(await storage.artifacts.get('Grant', 'one')).toEqual({ payload: { other: true } });
        expect(await storage.artifacts.get('Session', 'two')).toBeUndefined();
      });

      test.each(['', '\u0000', '~', 'a'.repeat(10_000), '🦊', '__proto__'])(
        'takes any text as id and index value (%#)',
        async (text) => {
          const artifact = { payload: { a: 1 }, grantId: text, uid: text, accountId: text };
          await storage.artifacts.put('Session', text, artifact);
          expect(await storage.artifacts.get('Session', text)).toEqual(artifact);
          expect((await storage.artifacts.findByUid('Session', text))?.artifact).toEqual(artifact);
          expect(await storage.artifacts.listByAccount('Session', text)).toHaveLength(1);
          expect(await storage.artifacts.removeByGrant(text, ['Session'])).toBe(1);
          expect(await storage.artifacts.get('Session', text)).toBeUndefined();
        },
      );

      test('replacing moves the artifact to its new indexes and makes it unused again', async () => {
        await storage.artifacts.put('Session', 'one', full);
        await storage.artifacts.consume('Session', 'one');
        const next = {
          payload: {},
          expiresAt: startSeconds + 600,
          grantId: 'g2',
          uid: 'u2',
          accountId: 'a2',
        };
        await storage.artifacts.put('Session', 'one', next);

        expect(await storage.artifacts.findByUid('Session', 'uid')).toBeUndefined();
        expect(await storage.artifacts.listByAccount('Session', 'account')).toEqual([]);
        expect(await storage.artifacts.removeByGrant('grant', ['Session'])).toBe(0);
        passSeconds(60);
        expect(await storage.artifacts.sweep()).toBe(0);
        expect((await storage.artifacts.findByUid('Session', 'u2'))?.artifact).toEqual(next);
        expect(await storage.artifacts.listByAccount('Session', 'a2')).toHaveLength(1);
        expect(await storage.artifacts.removeByGrant('g2', ['Session'])).toBe(1);
      });

      test('put again as it was, it is found by each of its ways, once, and goes at its new time', async () => {
        await storage.artifacts.put('Session', 'other', { ...full, payload: { other: true } });
        await storage.artifacts.put('Session', 'one', full);
        const again = { ...full, payload: { again: true } };
        await storage.artifacts.put('Session', 'one', again);
        await storage.artifacts.put('Session', 'one', { ...again, expiresAt: startSeconds + 90 });

        expect((await storage.artifacts.findByUid('Session', 'uid'))?.artifact.payload).toEqual(
          again.payload,
        );
        expect(await storage.artifacts.listByUid('Session', 'uid')).toHaveLength(2);
        expect(await storage.artifacts.listByAccount('Session', 'account')).toHaveLength(2);
        passSeconds(60);
        expect(await storage.artifacts.sweep()).toBe(1);
        expect(await storage.artifacts.get('Session', 'one')).toBeDefined();
        passSeconds(30);
        expect(await storage.artifacts.sweep()).toBe(1);
        expect(await storage.artifacts.findByUid('Session', 'uid')).toBeUndefined();
        expect(await storage.artifacts.removeByGrant('grant', ['Session'])).toBe(0);
      });

      test('expires to the second and is swept', async () => {
        await storage.artifacts.put('Session', 'one', full);
        await storage.artifacts.put('Session', 'forever', { payload: {} });
        passSeconds(59.999);
        expect(await storage.artifacts.get('Session', 'one')).toBeDefined();
        expect(await storage.artifacts.sweep()).toBe(0);
        passSeconds(0.001);

        expect(await storage.artifacts.get('Session', 'one')).toBeUndefined();
        expect(await storage.artifacts.findByUid('Session', 'uid')).toBeUndefined();
        expect(await storage.artifacts.listByAccount('Session', 'account')).toEqual([]);
        expect(await storage.artifacts.list('Session', 10)).toHaveLength(1);
        expect(await storage.artifacts.consume('Session', 'one')).toBe(false);

        expect(await storage.artifacts.sweep()).toBe(1);
        expect(await storage.artifacts.sweep()).toBe(0);
        expect(await storage.artifacts.get('Session', 'forever')).toBeDefined();
      });

      test('what was found expired stays so when the clock is put back (D15)', async () => {
        const ways = {
          id: () => storage.artifacts.get('Session', 'id'),
          uid: () => storage.artifacts.findByUid('Session', 'uid'),
          account: async () => (await storage.artifacts.listByAccount('Session', 'account'))[0],
        };
        const artifact = { payload: {}, expiresAt: startSeconds + 60 };
        await storage.artifacts.put('Session', 'id', artifact);
        await storage.artifacts.put('Session', 'by uid', { ...artifact, uid: 'uid' });
        await storage.artifacts.put('Session', 'by account', { ...artifact, accountId: 'account' });
        await storage.artifacts.put('Session', 'unseen', artifact);
        passSeconds(3600);
        for (const find of Object.values(ways)) expect(await find()).toBeUndefined();
        passSeconds(-3600);
        for (const find of Object.values(ways)) expect(await find()).toBeUndefined();
        expect(await storage.artifacts.get('Session', 'unseen')).toBeDefined();
        expect(await storage.artifacts.consume('Session', 'id')).toBe(false);
        expect(await storage.artifacts.sweep()).toBe(3);
      });

      test('a counter ends no later than a window from now, wherever the clock was (D15)', async () => {
        passSeconds(86_400);
        await storage.artifacts.count('Failures', 'eve', 30);
        passSeconds(-86_400);
        const { count, resetsAt } = await storage.artifacts.count('Failures', 'eve', 30);
        expect([count, resetsAt]).toEqual([2, startSeconds + 30]);
      });

      test('sweeps more than one batch', async () => {
        const puts = Array.from({ length: 450 }, (_, n) =>
          storage.artifacts.put('Session', `s${n}`, { payload: { n }, expiresAt: startSeconds + n }),
        );
        await Promise.all(puts);
        passSeconds(440);
        expect(await storage.artifacts.sweep()).toBe(441);
        expect(await storage.artifacts.list('Session', 100)).toHaveLength(9);
      });

      test('finds the newest by uid', async () => {
        await storage.artifacts.put('Session', 'z', { payload: { n: 1 }, uid: 'u' });
        await storage.artifacts.put('Session', 'a', { payload: { n: 2 }, uid: 'u' });
        await storage.artifacts.put('Interaction', 'x', { payload: { n: 3 }, uid: 'u' });
        expect((await storage.artifacts.findByUid('Session', 'u'))?.artifact.payload).toEqual({ n: 2 });
        await storage.artifacts.put('Session', 'z', { payload: { n: 4 }, uid: 'u' });
        expect((await storage.artifacts.findByUid('Session', 'u'))?.artifact.payload).toEqual({ n: 4 });
        await storage.artifacts.remove('Session', 'z');
        expect((await storage.artifacts.findByUid('Session', 'u'))?.artifact.payload).toEqual({ n: 2 });
      });

      test('finds the newest by uid that is alive', async () => {
        await storage.artifacts.put('Session', 'long', { payload: { n: 1 }, uid: 'u' });
        await storage.artifacts.put('Session', 'short', { ...full, uid: 'u' });
        passSeconds(60);
        expect((await storage.artifacts.findByUid('Session', 'u'))?.artifact.payload).toEqual({ n: 1 });
      });

      test('lists an account by expiry, and what is listed can be removed by its key', async () => {
        const ends = { late: startSeconds + 30, early: startSeconds + 10, middle: startSeconds + 20 };
        for (const [id, expiresAt] of Object.entries(ends)) {
          await storage.artifacts.put('Session', id, { payload: { id }, expiresAt, accountId: 'alice' });
        }
        await storage.artifacts.put('Session', 'never', { payload: { id: 'never' }, accountId: 'alice' });
        await storage.artifacts.put('Session', 'bob', { payload: { id: 'bob' }, accountId: 'bob' });

        const listed = await storage.artifacts.listByAccount('Session', 'alice');
        expect(listed.map(({ artifact }) => artifact.payload.id)).toEqual([
          'early',
          'middle',
          'late',
          'never',
        ]);
        for (const { key } of listed) expect(key).not.toMatch(/early|middle|late|never/);

        await storage.artifacts.removeByKey('Session', String(listed[1]?.key));
        expect(await storage.artifacts.get('Session', 'middle')).toBeUndefined();
        expect(await storage.artifacts.listByAccount('Session', 'alice')).toHaveLength(3);
      });

      test('finds by session, by key, and so many of an account', async () => {
        const { artifacts } = storage;
        for (let n = 0; n < 30; n++) {
          const expiresAt = startSeconds + (n < 20 ? 10 : 60);
          await artifacts.put('SessionUse', `use ${n}`, {
            payload: { n },
            expiresAt,
            uid: `session ${n % 10}`,
            accountId: 'alice',
          });
        }
        const ofSession = async () =>
          (await artifacts.listByUid('SessionUse', 'session 3')).map(({ artifact }) => artifact.payload.n);
        expect((await ofSession()).sort()).toEqual([13, 23, 3]);
        expect(await artifacts.listByUid('Session', 'session 3')).toEqual([]);
        // Those that have expired are not counted among so many.
        passSeconds(30);
        expect(await ofSession()).toEqual([23]);
        const some = await artifacts.listByAccount('SessionUse', 'alice', 4);
        expect(some).toHaveLength(4);
        expect(await artifacts.listByAccount('SessionUse', 'alice', 100)).toHaveLength(10);
        const { key, artifact } = some[0]!;
        expect(await artifacts.findByKey('SessionUse', key)).toEqual({ key, artifact });
        await artifacts.removeByKey('SessionUse', key);
        expect(await artifacts.findByKey('SessionUse', key)).toBeUndefined();
      });

      test('lists an account page by page, each once, also when one goes meanwhile', async () => {
        const { artifacts } = storage;
        for (let n = 0; n < 40; n++) {
          const accountId = n < 25 ? 'alice' : 'bob';
          // Some have expired, and fill no page.
          const expiresAt = startSeconds + (n % 5 === 0 ? 10 : 60);
          await artifacts.put('Session', `s ${n}`, { payload: { n }, accountId, expiresAt });
        }
        passSeconds(30);
        const seen: unknown[] = [];
        let page = await artifacts.pageByAccount('Session', 'alice', 7);
        while (page.length > 0) {
          expect(page.map(({ key }) => key)).toEqual(page.map(({ key }) => key).sort());
          seen.push(...page.map(({ artifact }) => artifact.payload.n));
          const after = page.at(-1)!.key;
          await artifacts.removeByKey('Session', after);
          page = await artifacts.pageByAccount('Session', 'alice', 7, after);
        }
        expect(seen).toHaveLength(20);
        expect(new Set(seen).size).toBe(20);
        expect(seen.every((n) => Number(n) < 25 && Number(n) % 5 !== 0)).toBe(true);
        expect(await artifacts.pageByAccount('Grant', 'alice', 7)).toEqual([]);
      });

      test('counts sessions of accounts, to a bound, and none that has expired, swept or not', async () => {
        const { artifacts } = storage;
        for (let n = 0; n < 40; n++) {
          const expiresAt = startSeconds + (n % 5 === 0 ? 10 : 60);
          await artifacts.put('Session', `s ${n}`, {
            payload: { n },
            expiresAt,
            // Before somebody has signed in, a session is nobody's.
            ...(n % 4 === 0 ? {} : { accountId: n < 25 ? 'alice' : 'bob' }),
          });
          await artifacts.put('Grant', `g ${n}`, { payload: {}, expiresAt, accountId: 'alice' });
        }
        const count = (most: number, accountId?: string) => artifacts.countSessions(most, accountId);
        expect(await count(100)).toEqual({ value: 30, isExact: true });
        expect(await count(100, 'alice')).toEqual({ value: 18, isExact: true });
        expect(await count(100, 'carol')).toEqual({ value: 0, isExact: true });
        expect(await count(30)).toEqual({ value: 30, isExact: true });
        expect(await count(29)).toEqual({ value: 29, isExact: false });
        expect(await count(5, 'bob')).toEqual({ value: 5, isExact: false });
        passSeconds(30);
        const listed = async () =>
          (await artifacts.list('Session', 100)).filter(({ artifact }) => artifact.accountId);
        expect(await count(100)).toEqual({ value: 24, isExact: true });
        expect(await listed()).toHaveLength(24);
        expect(await count(23)).toEqual({ value: 23, isExact: false });
        expect(await count(100, 'alice')).toEqual({ value: 15, isExact: true });
        await artifacts.sweep();
        expect(await count(100)).toEqual({ value: 24, isExact: true });
        await artifacts.remove('Session', 's 1');
        await artifacts.extend('Session', (await listed())[0]!.key, { expiresAt: startSeconds });
        expect(await count(100)).toEqual({ value: 22, isExact: true });
      });

      test('lists a kind page by page, each once, also when one goes meanwhile', async () => {
        const { artifacts } = storage;
        for (let n = 0; n < 25; n++) await artifacts.put('Session', `s ${n}`, { payload: { n } });
        const seen: unknown[] = [];
        let after: string | undefined;
        for (;;) {
          const page = await artifacts.list('Session', 10, after);
          if (page.length === 0) break;
          seen.push(...page.map(({ artifact }) => artifact.payload.n));
          after = page.at(-1)!.key;
          await artifacts.removeByKey('Session', after);
        }
        expect(new Set(seen).size).toBe(25);
        expect(seen).toHaveLength(25);
      });

      describe('many at once', () => {
        test('are read by their names and kinds, in the order in which they are asked for, but for expired ones', async () => {
          const { artifacts } = storage;
          for (const id of ['a', 'b', 'c']) {
            await artifacts.put('Use', id, { payload: { id }, expiresAt: startSeconds + 60 });
            await artifacts.put('Token of a', id, { payload: { of: id } });
          }
          await artifacts.put('Use', 'gone', { payload: {}, expiresAt: startSeconds + 10 });
          await artifacts.put('Token of a', 'gone', {
            payload: { of: 'gone' },
            expiresAt: startSeconds + 10,
          });
          await artifacts.put('Token of b', 'x', { payload: { of: 'x' } });
          passSeconds(30);
          const names = ['c', 'none', 'a', 'gone', 'c'].map((id) => ({ kind: 'Use', id }));
          const { named, ofKinds } = await artifacts.readMany({
            names: [...names, { kind: 'Token of b', id: 'x' }],
            kinds: ['Token of b', 'Token of none', 'Token of a', 'Token of b'],
            mostOfKind: 10,
          });
          expect(named.map((found) => found?.payload)).toEqual([
            { id: 'c' },
            undefined,
            { id: 'a' },
            undefined,
            { id: 'c' },
            { of: 'x' },
          ]);
          expect(named[0]).toEqual({ payload: { id: 'c' }, expiresAt: startSeconds + 60 });
          const found = ofKinds.map((some) => some.map(({ payload }) => payload.of));
          expect([found[0], found[1], found[3]]).toEqual([['x'], [], ['x']]);
          expect(found[2]!.toSorted()).toEqual(['a', 'b', 'c']);
          const listed = (await artifacts.list('Token of a', 2)).map(({ artifact }) => artifact);
          const asked = { names: [], kinds: ['Token of a'], mostOfKind: 2 };
          expect((await artifacts.readMany(asked)).ofKinds).toEqual([listed]);
          expect((await artifacts.readMany({ names: names.slice(0, 1) })).ofKinds).toEqual([]);
        });

        test('are found by uid as one by one', async () => {
          const { artifacts } = storage;
          for (let n = 0; n < 12; n++) {
            const expiresAt = startSeconds + (n < 9 ? 60 : 10);
            await artifacts.put('Session', `s ${n}`, { payload: { n }, uid: `u ${n % 4}`, expiresAt });
          }
          await artifacts.put('Grant', 'g', { payload: {}, uid: 'u 9' });
          passSeconds(30);
          const uids = ['u 3', 'u 0', 'u 9', 'none', 'u 3'];
          const newest = await artifacts.findByUids('Session', uids);
          const all = await artifacts.listByUids('Session', uids);
          expect([[...newest.keys()].toSorted(), [...all.keys()].toSorted()]).toEqual([
            ['u 0', 'u 3'],
            ['u 0', 'u 3'],
          ]);
          expect(newest.get('u 0')?.artifact.payload).toEqual({ n: 8 });
          expect(newest.get('u 3')?.artifact.payload).toEqual({ n: 7 });
          expect(all.get('u 0')!.map(({ artifact }) => artifact.payload.n)).toEqual([0, 4, 8]);
          for (const uid of ['u 0', 'u 3']) {
            expect(newest.get(uid)).toEqual(await artifacts.findByUid('Session', uid));
            expect(all.get(uid)).toEqual(await artifacts.listByUid('Session', uid));
          }
        });

        test('are found by uid where they were before, and anywhere else once they are not there', async () => {
          const { artifacts } = storage;
          const put = (id: string, uid: string, seconds = 60) =>
            artifacts.put('Session', id, { payload: { id }, uid, expiresAt: startSeconds + seconds });
          await Promise.all([put('a', 'u 1'), put('b', 'u 2'), put('c', 'u 3', 10), put('d', 'u 4')]);
          const uids = ['u 1', 'u 2', 'u 3', 'u 4'];
          const first = await artifacts.findByUids('Session', uids);
          const before = new Map([...first].map(([uid, { key }]) => [uid, key]));
          expect([...before.keys()].toSorted()).toEqual(uids);
          // One has ended, one goes on under another id, one is over, and one key is of somebody else.
          await artifacts.remove('Session', 'a');
          await artifacts.remove('Session', 'b');
          await put('e', 'u 2');
          passSeconds(30);
          before.set('u 4', first.get('u 2')!.key);
          const found = await artifacts.findByUids('Session', uids, before);
          const ids = [...found].map(([uid, { artifact }]) => [uid, artifact.payload.id]);
          expect(ids.toSorted()).toEqual([
            ['u 2', 'e'],
            ['u 4', 'd'],
          ]);
          const again = new Map([['u 4', found.get('u 2')!.key]]);
          const own = await artifacts.findByUids('Session', ['u 4'], again);
          expect(own.get('u 4')?.artifact.payload).toEqual({ id: 'd' });
        });

        test('are none where an empty list is asked for, whatever the limit', async () => {
          const { artifacts, records } = storage;
          await artifacts.put('Session', 's', { payload: {}, uid: 'u' });
          const asked = { names: [], kinds: [], mostOfKind: Infinity };
          expect(await artifacts.readMany(asked)).toEqual({ named: [], ofKinds: [] });
          expect(await artifacts.readMany({ names: [] })).toEqual({ named: [], ofKinds: [] });
          expect([...(await artifacts.findByUids('Session', []))]).toEqual([]);
          expect([...(await artifacts.listByUids('Session', []))]).toEqual([]);
          expect([...(await records.getMany('users', []))]).toEqual([]);
          expect([...(await records.getMany('clients', []))]).toEqual([]);
        });

        test('a search that finds no application counts the sessions and last logouts of none', async () => {
          const { artifacts } = storage;
          const sessions = createSessions({
            artifacts,
            validSinceOf: async (ids) => new Map(ids.map((id) => [id, 0])),
            now: () => nowMs,
            idleSeconds: 1_800,
            maxSeconds: 43_200,
            revokeTokens: async () => {},
          });
          const outbox = createLogoutOutbox({ artifacts, targetsOf: async () => [], now: () => nowMs });
          const use = { uid: 'u', startedAt: startSeconds, accountId: 'ada', clientId: 'wiki' };
          await sessions.record(use);
          expect([await sessions.countAt([]), await outbox.lastAt([])]).toEqual([[], []]);
          await artifacts.put('Session', 's', {
            payload: { loginTs: startSeconds },
            uid: 'u',
            accountId: 'ada',
          });
          const counted = await sessions.countAt(['wiki', 'none']);
          expect(counted.map(({ value, isExact }) => [value, isExact])).toEqual([
            [1, true],
            [0, true],
          ]);
          expect(await outbox.lastAt(['wiki'])).toEqual([undefined]);
        });
      });

      test('lists a kind up to a limit', async () => {
        for (const id of ['a', 'b', 'c']) await storage.artifacts.put('Session', id, { payload: { id } });
        await storage.artifacts.put('SessionExtra', 'd', { payload: {} });
        expect(await storage.artifacts.list('Session', 2)).toHaveLength(2);
        expect(await storage.artifacts.list('Session', 10)).toHaveLength(3);
        expect(await storage.artifacts.list('Session', 0)).toEqual([]);
      });

      test('extends a listed artifact and keeps its indexes', async () => {
        await storage.artifacts.put('Session', 'one', full);
        const { key } = (await storage.artifacts.list('Session', 1))[0] ?? { key: '' };
        const change = { payload: { more: 1 }, expiresAt: startSeconds + 120 };
        await storage.artifacts.extend('Session', key, change);
        await storage.artifacts.extend('Session', 'no such key', change);

        passSeconds(60);
        expect(await storage.artifacts.sweep()).toBe(0);
        expect(await storage.artifacts.get('Session', 'one')).toEqual({ ...full, ...change });
        expect(await storage.artifacts.findByUid('Session', 'uid')).toBeDefined();
        expect(await storage.artifacts.list('Session', 10)).toHaveLength(1);
        passSeconds(60);
        expect(await storage.artifacts.sweep()).toBe(1);
      });

      test('removing is idempotent and cleans the indexes', async () => {
        await storage.artifacts.put('Session', 'one', full);
        await storage.artifacts.remove('Session', 'one');
        await storage.artifacts.remove('Session', 'one');
        await storage.artifacts.removeByKey('Session', 'no such key');
        expect(await storage.artifacts.get('Session', 'one')).toBeUndefined();
        expect(await storage.artifacts.findByUid('Session', 'uid')).toBeUndefined();
        expect(await storage.artifacts.removeByGrant('grant', ['Session'])).toBe(0);
        passSeconds(60);
        expect(await storage.artifacts.sweep()).toBe(0);
      });

      test('removes by grant: the kinds asked for, that grant only', async () => {
        await storage.artifacts.put('AccessToken', 'a', { payload: {}, grantId: 'g' });
        await storage.artifacts.put('RefreshToken', 'r1', { payload: {}, grantId: 'g' });
        await storage.artifacts.put('RefreshToken', 'r2', { payload: {}, grantId: 'g' });
        await storage.artifacts.put('Session', 's', { payload: {}, grantId: 'g' });
        await storage.artifacts.put('RefreshToken', 'other', { payload: {}, grantId: 'g2' });

        expect(await storage.artifacts.removeByGrant('g', ['AccessToken', 'RefreshToken'])).toBe(3);
        expect(await storage.artifacts.get('RefreshToken', 'r1')).toBeUndefined();
        expect(await storage.artifacts.get('Session', 's')).toBeDefined();
        expect(await storage.artifacts.get('RefreshToken', 'other')).toBeDefined();
      });

      test('consume is true for one of 50 parallel callers, and the artifact is still found', async () => {
        await storage.artifacts.put('AuthorizationCode', 'code', full);
        const calls = Array.from({ length: 50 }, () =>
          storage.artifacts.consume('AuthorizationCode', 'code'),
        );
        const results = await Promise.all(calls);
        expect(results.filter(Boolean)).toHaveLength(1);
        expect(await storage.artifacts.get('AuthorizationCode', 'code')).toEqual({
          ...full,
          consumedAt: startSeconds,
        });
        expect((await storage.artifacts.findByUid('AuthorizationCode', 'uid'))?.artifact.consumedAt).toBe(
          startSeconds,
        );
        expect(await storage.artifacts.consume('AuthorizationCode', 'absent')).toBe(false);
      });

      describe('an exchange uses up and replaces in one commit (S95)', () => {
        const code = { kind: 'AuthorizationCode', id: 'code' } as const;
        const grant = { kind: 'Grant', id: 'grant' } as const;
        const token = (id: string) => ({
          kind: 'RefreshToken',
          id,
          artifact: { payload: { id }, grantId: 'grant', accountId: 'account', uid: 'uid' },
        });

        beforeEach(async () => {
          await storage.artifacts.put(code.kind, code.id, full);
          await storage.artifacts.put(grant.kind, grant.id, { payload: {}, expiresAt: startSeconds + 30 });
        });

        test('what is put, removed and used up is so for everybody at once', async () => {
          await storage.artifacts.put('RefreshToken', 'old', { payload: {} });
          const put = [token('new'), { kind: 'FirstAnswer', id: 'code', artifact: { payload: { a: 1 } } }];
          const remove = [{ kind: 'RefreshToken', id: 'old' }];
          const outcome = await storage.artifacts.exchange({ consume: code, require: [grant], put, remove });
          expect(outcome).toBe('won');
          expect(await storage.artifacts.get(code.kind, code.id)).toEqual({
            ...full,
            consumedAt: startSeconds,
          });
          expect(await storage.artifacts.get('RefreshToken', 'new')).toEqual(token('new').artifact);
          expect(await storage.artifacts.get('FirstAnswer', 'code')).toEqual({ payload: { a: 1 } });
          expect(await storage.artifacts.get('RefreshToken', 'old')).toBeUndefined();
          expect(await storage.artifacts.listByAccount('RefreshToken', 'account')).toHaveLength(1);
          expect((await storage.artifacts.findByUid('RefreshToken', 'uid'))?.artifact.payload).toEqual({
            id: 'new',
          });
          expect(await storage.artifacts.removeByGrant('grant', ['RefreshToken'])).toBe(1);
        });

        test('one of 50 at once has won, and only what it put is there', async () => {
          const calls = Array.from({ length: 50 }, (_, n) =>
            storage.artifacts.exchange({ consume: code, require: [grant], put: [token(`t${n}`)] }),
          );
          const outcomes = await Promise.all(calls);
          expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
          expect(outcomes.filter((outcome) => outcome === 'used')).toHaveLength(49);
          const [only, ...others] = await storage.artifacts.list('RefreshToken', 100);
          expect(others).toEqual([]);
          expect(only?.artifact.payload.id).toBe(`t${outcomes.indexOf('won')}`);
        });

        test.each([
          {
            name: 'what was used before',
            before: () => storage.artifacts.consume(code.kind, code.id),
            outcome: 'used',
          },
          {
            name: 'what was used before, when what is required has gone too',
            before: async () => {
              await storage.artifacts.consume(code.kind, code.id);
              await storage.artifacts.remove(grant.kind, grant.id);
            },
            outcome: 'used',
          },
          {
            name: 'what has been removed',
            before: () => storage.artifacts.remove(code.kind, code.id),
            outcome: 'absent',
          },
          { name: 'what has expired', before: async () => passSeconds(60), outcome: 'absent' },
          {
            name: 'anything when what is required has been removed',
            before: () => storage.artifacts.remove(grant.kind, grant.id),
            outcome: 'absent',
          },
          {
            name: 'anything when what is required has expired',
            before: async () => passSeconds(30),
            outcome: 'absent',
          },
        ])('does not exchange $name, and changes nothing', async ({ before, outcome }) => {
          await before();
          const source = await storage.artifacts.get(code.kind, code.id);
          await storage.artifacts.put('RefreshToken', 'old', { payload: {} });
          const exchanged = await storage.artifacts.exchange({
            consume: code,
            require: [grant],
            put: [token('new')],
            remove: [{ kind: 'RefreshToken', id: 'old' }],
          });
          expect(exchanged).toBe(outcome);
          expect(await storage.artifacts.get(code.kind, code.id)).toEqual(source);
          expect(await storage.artifacts.get('RefreshToken', 'new')).toBeUndefined();
          expect(await storage.artifacts.get('RefreshToken', 'old')).toBeDefined();
        });
      });

      test('tells of what is put under an announced kind once it is there, until nobody follows', async () => {
        const seen: unknown[] = [];
        const unfollow = storage.artifacts.onPut('Revocation', ({ payload }) => seen.push(payload.jti));
        storage.artifacts.onPut('Revocation', () => {
          throw new Error('this listener fails');
        });
        const put = (jti: string) => storage.artifacts.put('Revocation', jti, { payload: { jti } });
        await put('a');
        expect(seen).toEqual(['a']);
        await storage.artifacts.put('Session', 's', { payload: {} });
        await storage.artifacts.put('AuthorizationCode', 'code', { payload: {} });
        const exchange = {
          consume: { kind: 'AuthorizationCode', id: 'code' },
          put: [{ kind: 'Revocation', id: 'b', artifact: { payload: { jti: 'b' } } }],
        };
        expect(await storage.artifacts.exchange(exchange)).toBe('won');
        expect(await storage.artifacts.exchange(exchange)).toBe('used');
        expect(seen).toEqual(['a', 'b']);
        unfollow();
        await put('c');
        expect(seen).toEqual(['a', 'b']);
      });

      test('counts parallel attempts one by one, within a window that its first count starts', async () => {
        const calls = Array.from({ length: 50 }, () => storage.artifacts.count('Failures', 'alice', 30));
        const counts = await Promise.all(calls);
        expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 50 }, (_, n) => n + 1),
        );
        passSeconds(29);
        const last = await storage.artifacts.count('Failures', 'alice', 30);
        expect(last).toEqual({ count: 51, resetsAt: startSeconds + 30 });
        passSeconds(1);
        const next = await storage.artifacts.count('Failures', 'alice', 30);
        expect(next).toEqual({ count: 1, resetsAt: startSeconds + 60 });
        passSeconds(30);
        expect(await storage.artifacts.sweep()).toBe(1);
      });

      test('takes counts back, never below zero', async () => {
        await storage.artifacts.uncount('Failures', 'bob');
        await storage.artifacts.count('Failures', 'bob', 30);
        await storage.artifacts.count('Failures', 'bob', 30);
        for (let n = 0; n < 3; n++) await storage.artifacts.uncount('Failures', 'bob');
        const next = await storage.artifacts.count('Failures', 'bob', 30);
        expect(next).toEqual({ count: 1, resetsAt: startSeconds + 30 });
      });

      test('what was put or handed out is not the stored object', async () => {
        const payload = { list: ['a'] };
        await storage.artifacts.put('Session', 'one', { payload });
        payload.list.push('b');
        const found = await storage.artifacts.get('Session', 'one');
        (found?.payload.list as string[] | undefined)?.push('c');
        expect((await storage.artifacts.get('Session', 'one'))?.payload).toEqual({ list: ['a'] });
      });
    });

    test('says that it can be written', async () => {
      await expect(storage.checkWritable()).resolves.toBeUndefined();
    });
  });
}

function setting(id: string, value: unknown): SettingRecord {
  return { id, value };
}

function role(id: string): RoleRecord {
  return { id, permissions: [], createdAt: startMs };
}
