/** What every RecordStore must do. A new rule goes in here first. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  ClientFilter,
  Page,
  PageRequest,
  RecordChange,
  RecordStore,
  UserFilter,
} from '../../console/storage/record-store.ts';
import type { ClientRecord, UserRecord } from '../../console/storage/records.ts';
import type { ArtifactStore, Registry } from '../../console/storage/storage.ts';

export interface OpenedRecords {
  readonly records: RecordStore;
  readonly artifacts: ArtifactStore;
  readonly registry: Registry;
  close(): Promise<void>;
}

export function describeRecords(name: string, open: () => Promise<OpenedRecords>): void {
  describe(name, () => {
    let opened: OpenedRecords;
    let records: RecordStore;
    beforeEach(async () => {
      opened = await open();
      records = opened.records;
    });
    afterEach(() => opened.close());

    const put = (...users: readonly UserRecord[]) =>
      records.change(async (transaction) => {
        for (const user of users) transaction.put('users', user);
      });
    const putClients = (...clients: readonly ClientRecord[]) =>
      records.change(async (transaction) => {
        for (const client of clients) transaction.put('clients', client);
      });
    const remove = (id: string) => records.change(async (transaction) => transaction.remove('users', id));
    const enableProvider = (id: string, enabled: boolean) =>
      opened.registry.update((transaction) => transaction.put('providers', { id, enabled }));

    describe('look-ups', () => {
      test('an empty store knows nobody', async () => {
        expect(await records.get('users', 'none')).toBeUndefined();
        expect(await records.userByName('none')).toBeUndefined();
        expect(await records.userByLink('corp', 'none')).toBeUndefined();
        expect(await records.isNameTaken('none')).toBe(false);
        expect(await records.hasUsers()).toBe(false);
        expect(await records.hasAdministrator()).toBe(false);
        expect(await records.count('users')).toBe(0);
        expect(await records.users({ limit: 10 })).toEqual({ records: [] });
      });

      test('gets many by id, each once, and says nothing of those that there are not', async () => {
        const [one, other, billing] = [user('u1'), user('ü 2'), client('billing')];
        await put(one, other, user('u3'));
        await putClients(billing, client('u1'));
        const users = await records.getMany('users', ['ü 2', 'none', 'u1', 'ü 2', 'billing']);
        expect(new Map(users)).toEqual(
          new Map([
            ['ü 2', other],
            ['u1', one],
          ]),
        );
        const clients = await records.getMany('clients', ['billing', 'u3']);
        expect(new Map(clients)).toEqual(new Map([['billing', billing]]));
        await remove('u1');
        expect([...(await records.getMany('users', ['u1', 'u3'])).keys()]).toEqual(['u3']);
      });

      test('finds a user by id, by each spelling of the name, and by link', async () => {
        const alice = user('u1', { username: 'Älice', federated: { provider: 'corp', subject: 's 1' } });
        await put(alice, user('u2'));
        expect(await records.get('users', 'u1')).toEqual(alice);
        for (const name of ['Älice', 'äLICE', 'A\u0308lice']) {
          expect(await records.userByName(name)).toEqual(alice);
        }
        expect(await records.userByLink('corp', 's 1')).toEqual(alice);
        expect(await records.userByLink('corp', 'S 1')).toBeUndefined();
        expect(await records.userByLink('other', 's 1')).toBeUndefined();
        expect(await records.hasUsers()).toBe(true);
      });

      test('of a user that has changed, only the new name, link and lists find it', async () => {
        const before = user('u1', {
          username: 'before',
          email: 'before@a.example',
          roles: ['Viewer'],
          federated: { provider: 'corp', subject: 's' },
        });
        await put(before, user('u2'));
        const after = user('u1', { username: 'after', roles: ['MetricsViewer'] });
        await put(after);
        expect(await records.userByName('before')).toBeUndefined();
        expect(await records.userByLink('corp', 's')).toBeUndefined();
        expect(await records.isNameTaken('before')).toBe(false);
        expect(await records.userByName('after')).toEqual(after);
        expect(await idsOf(records.users({ limit: 10, role: 'Viewer' }))).toEqual(['u2']);
        expect(await idsOf(records.users({ limit: 10, provider: 'corp' }))).toEqual([]);
        expect(await idsOf(records.users({ limit: 10, beginning: 'before' }))).toEqual([]);
        expect(await records.count('users', { role: 'MetricsViewer' })).toBe(1);
        expect(await records.count('users', { provider: 'corp' })).toBe(0);
      });

      test.each([
        '',
        ' ',
        '~',
        '\u0000',
        'a\u0000b',
        '\ud800',
        '\udc00',
        '\u{10ffff}',
        'ümläut 🦊',
        'x'.repeat(5000),
        `${'x'.repeat(4999)}y`,
        '__proto__',
      ])('takes any text as id, name, address, role and link (%#)', async (text) => {
        const whole = {
          username: text,
          email: text,
          roles: [text],
          federated: { provider: text, subject: text },
        };
        const others = ['x'.repeat(5001), 'other'].map((id) =>
          user(id, { federated: { provider: 'p', subject: id } }),
        );
        await put(...others, user(text, whole));
        await putClients(client(text, { maxRoles: [text] }));
        expect(await records.get('users', text)).toEqual(user(text, whole));
        expect((await records.userByName(text))?.id).toBe(text);
        expect((await records.userByLink(text, text))?.id).toBe(text);
        expect(await idsOf(records.users({ limit: 10, role: text }))).toEqual([text]);
        expect(await idsOf(records.users({ limit: 10, provider: text }))).toEqual([text]);
        expect(await idsOf(records.users({ limit: 10, beginning: text }))).toContain(text);
        expect(await idsOf(records.clients({ limit: 10, ceilingRole: text }))).toEqual([text]);
        expect(await idsOf(all(records.users, 1))).toHaveLength(3);
        await remove(text);
        expect(await records.userByName(text)).toBeUndefined();
        expect(await records.count('users')).toBe(2);
      });

      test('says who has a name, or one that looks like it: users and clients', async () => {
        await put(user('u1', { username: 'Ivan' }));
        await putClients(client('Portal-0'));
        for (const name of ['ivan', 'IVAN', 'lvan', 'portal-0', 'Portal-O', 'PORTAL-0']) {
          expect(await records.isNameTaken(name), name).toBe(true);
        }
        for (const name of ['ivan2', 'portal', 'jvan']) expect(await records.isNameTaken(name)).toBe(false);
      });

      test('knows the redirect origins of enabled clients', async () => {
        const redirectUris = ['https://app.example/cb', 'https://app.example/other', 'com.example.app:/cb'];
        await putClients(client('one', { redirectUris }), client('two', { redirectUris, disabled: true }));
        expect(await records.isRedirectOrigin('https://app.example')).toBe(true);
        expect(await records.isRedirectOrigin('https://app.example:8443')).toBe(false);
        expect(await records.isRedirectOrigin('null')).toBe(false);
        await putClients(client('one', { redirectUris, disabled: true }));
        expect(await records.isRedirectOrigin('https://app.example')).toBe(false);
        await putClients(client('two', { redirectUris: ['https://app.example/third'] }));
        expect(await records.isRedirectOrigin('https://app.example')).toBe(true);
      });
    });

    describe('pages and counts', () => {
      const everybody = () =>
        Array.from({ length: 23 }, (_, n) => {
          const username = `user-${String.fromCharCode(97 + ((n * 7) % 23))}`;
          const [roles, email] = [n % 2 === 0 ? ['Viewer'] : ['Viewer', 'ops'], `z${n}@mail.example`];
          const federated = n % 3 === 0 ? { federated: { provider: 'corp', subject: `s${n}` } } : {};
          return user(`id-${n}`, { username, roles, email, ...federated });
        });

      test.each([1, 2, 5, 22, 23, 500])('gives each once and in order, %i at a time', async (limit) => {
        const users = everybody();
        await put(...users);
        const byName = users.toSorted((one, other) => (one.username < other.username ? -1 : 1));
        const byId = users.toSorted((one, other) => (one.id < other.id ? -1 : 1));
        const ofRole = byId.filter(({ roles }) => roles.includes('ops'));
        const ofProvider = byId.filter(({ federated }) => federated);
        expect(await idsOf(all(records.users, limit))).toEqual(byName.map(idOf));
        expect(await idsOf(all(records.users, limit, { role: 'ops' }))).toEqual(ofRole.map(idOf));
        expect(await idsOf(all(records.users, limit, { provider: 'corp' }))).toEqual(ofProvider.map(idOf));
        expect(await records.count('users')).toBe(23);
        expect(await records.count('users', { role: 'ops' })).toBe(ofRole.length);
        expect(await records.count('users', { provider: 'corp' })).toBe(ofProvider.length);
        expect(await records.count('users', { role: 'none' })).toBe(0);

        await putClients(...users.map(({ id }, n) => client(id, { maxRoles: n % 2 === 0 ? ['ops'] : [] })));
        expect(await idsOf(all(records.clients, limit))).toEqual(byId.map(idOf));
        const withCeiling = byId.filter(({ roles }) => !roles.includes('ops'));
        expect(await idsOf(all(records.clients, limit, { ceilingRole: 'ops' }))).toEqual(
          withCeiling.map(idOf),
        );
        expect(await records.count('clients')).toBe(23);
      });

      test.each([1, 3, 500])(
        'finds clients by the beginning of an id, then of words of a name, %i at a time',
        async (limit) => {
          await putClients(
            client('Billing', { name: 'Invoices, bills and billing' }),
            client('shop', { name: 'Big Bill of the Ünion' }),
            client('bill-2'),
            client('metrics', { name: 'Numbers of all bills' }),
            client('other', { name: 'Unbilled' }),
          );
          const found = (beginning: string) => idsOf(all(records.clients, limit, { beginning }));
          expect(await found('bill')).toEqual(['bill-2', 'Billing', 'shop', 'metrics']);
          expect(await found('BILLS')).toEqual(['Billing', 'metrics']);
          expect(await found('bill un')).toEqual([]);
          expect(await found('big ün')).toEqual(['shop']);
          expect(await found('nobody')).toEqual([]);
          await putClients(client('shop', { name: 'Books' }));
          await records.change(async (transaction) => transaction.remove('clients', 'metrics'));
          expect(await found('bill')).toEqual(['bill-2', 'Billing']);
        },
      );

      test('finds applications by a name without a look at machines whose names begin so too', async () => {
        const signsIn = { grantTypes: ['authorization_code'], redirectUris: ['https://app.example/cb'] };
        await putClients(
          ...Array.from({ length: 60 }, (_, n) => client(`shop-${n}`, { name: `Shop ${n}` })),
          client('shop-window', signsIn),
          client('books', { ...signsIn, name: 'Small shop' }),
          client('other', { ...signsIn, name: 'Workshop' }),
        );
        const asked = { kind: 'application', beginning: 'shop', mostRead: 10 } as const;
        const page = await records.clients({ ...asked, limit: 10 });
        expect([page.records.map(idOf), page.next]).toEqual([['shop-window', 'books'], undefined]);
        const first = await records.clients({ ...asked, limit: 1 });
        const rest = await records.clients({ ...asked, limit: 1, after: first.next });
        expect([...first.records, ...rest.records].map(idOf)).toEqual(['shop-window', 'books']);
        // One becomes a machine, and one goes.
        await putClients(client('books', { name: 'Small shop' }));
        await records.change(async (transaction) => transaction.remove('clients', 'shop-window'));
        expect((await records.clients({ ...asked, limit: 10 })).records).toEqual([]);
      });

      const clientFilters: readonly ClientFilter[] = [
        { kind: 'application' },
        { kind: 'machine' },
        { status: 'disabled' },
        { status: 'active', kind: 'machine' },
        { status: 'disabled', kind: 'machine' },
        { scope: 'email' },
      ];

      test.each([1, 2, 500])(
        'gives the clients to whom all of a filter applies, %i at a time',
        async (limit) => {
          const signsIn = { grantTypes: ['authorization_code'], redirectUris: ['https://app.example/cb'] };
          await putClients(
            client('app-1', { ...signsIn, name: 'One' }),
            client('app-2', { ...signsIn, disabled: true, scopes: ['email'] }),
            client('machine-1', { scopes: ['svc:health:read'] }),
            client('machine-2', { scopes: ['svc:health:read', 'email'], disabled: true }),
          );
          const found = (filter: ClientFilter) => idsOf(all(records.clients, limit, filter));
          expect(await found({ kind: 'application' })).toEqual(['app-1', 'app-2']);
          expect(await found({ kind: 'machine' })).toEqual(['machine-1', 'machine-2']);
          expect(await found({ status: 'disabled' })).toEqual(['app-2', 'machine-2']);
          expect(await found({ status: 'active', kind: 'machine' })).toEqual(['machine-1']);
          expect(await found({ scope: 'email', status: 'disabled' })).toEqual(['app-2', 'machine-2']);
          expect(await found({ scope: 'svc:health:read', kind: 'application' })).toEqual([]);
          expect(await found({ beginning: 'app', status: 'active' })).toEqual(['app-1']);
          for (const filter of [{}, ...clientFilters]) {
            const asked = { ...filter, isReversed: true };
            expect([filter, await idsOf(all(records.clients, limit, asked))]).toEqual([
              filter,
              (await found(filter)).toReversed(),
            ]);
            const slowly = await idsOf(all(records.clients, limit, { ...asked, mostRead: 1 }));
            expect([filter, slowly]).toEqual([filter, (await found(filter)).toReversed()]);
          }
          const few = await records.clients({ limit: 10, mostRead: 3, scope: 'email' });
          expect(few.records.map(idOf)).toEqual(['app-2']);
          const rest = await records.clients({ limit: 10, mostRead: 3, scope: 'email', after: few.next });
          expect(rest.records.map(idOf)).toEqual(['machine-2']);
        },
      );

      test('gives the machines behind and between long runs of applications, wherever a page begins', async () => {
        const signsIn = { grantTypes: ['authorization_code'], redirectUris: ['https://app.example/cb'] };
        const kinds = [0, 31, 32, 33, 97, 140, 1].flatMap((run) => [
          ...Array.from({ length: run }, () => 'application'),
          'machine',
        ]);
        const named = kinds.map((kind, n) => ({ kind, id: `c${String(n).padStart(4, '0')}` }));
        await putClients(
          ...named.map(({ kind, id }) => client(id, kind === 'machine' ? {} : signsIn)),
          // At the end there is none.
          ...Array.from({ length: 70 }, (_, n) => client(`d${n}`, signsIn)),
        );
        const machines = named.filter(({ kind }) => kind === 'machine').map(({ id }) => id);
        const found = (limit: number) => idsOf(all(records.clients, limit, { kind: 'machine' }));
        for (const limit of [1, 3, 500]) expect(await found(limit)).toEqual(machines);
        for (const [n, { id }] of named.entries()) {
          const { next: after } = await records.clients({ limit: n + 1 });
          const { records: next } = await records.clients({ kind: 'machine', limit: 1, after });
          expect(next.map(idOf)).toEqual(machines.filter((one) => one > id).slice(0, 1));
        }
        // A look that ends within a run goes on there.
        const few = await records.clients({ kind: 'machine', limit: 5, mostRead: 50 });
        const rest = await records.clients({ kind: 'machine', limit: 500, after: few.next });
        expect([...few.records, ...rest.records].map(idOf)).toEqual(machines);
        // One of a run becomes a machine, another one goes, and the last one of a page with it.
        await putClients(client('c0050'));
        await records.change(async (transaction) => {
          for (const id of ['c0100', few.records.at(-1)!.id]) transaction.remove('clients', id);
        });
        const left = machines.filter((id) => id !== few.records.at(-1)!.id);
        expect(await found(500)).toEqual([...left, 'c0050'].sort());
        const after = await records.clients({ kind: 'machine', limit: 500, after: few.next });
        expect([...few.records.slice(0, -1), ...after.records].map(idOf).sort()).toEqual(
          [...left, 'c0050'].sort(),
        );
      });

      test('counts the clients of a kind and a status as the list gives them, and follows each change', async () => {
        const signsIn = { grantTypes: ['authorization_code'], redirectUris: ['https://app.example/cb'] };
        const checkCounts = async () => {
          for (const kind of [undefined, 'machine', 'application'] as const) {
            for (const status of [undefined, 'active', 'disabled'] as const) {
              const listed = await idsOf(all(records.clients, 500, { kind, status }));
              expect([kind, status, await records.countClients({ kind, status })]).toEqual([
                kind,
                status,
                listed.length,
              ]);
            }
          }
        };
        await checkCounts();
        await putClients(
          ...Array.from({ length: 24 }, (_, n) =>
            client(`c-${n}`, { ...(n % 3 === 0 ? signsIn : {}), disabled: n % 4 === 0 }),
          ),
        );
        expect(await records.countClients({ kind: 'application' })).toBe(8);
        expect(await records.countClients({ kind: 'machine', status: 'disabled' })).toBe(4);
        await checkCounts();
        // One becomes a machine, one is disabled, one goes.
        await putClients(client('c-3'), client('c-1', { disabled: true }));
        await records.change(async (transaction) => transaction.remove('clients', 'c-0'));
        expect(await records.countClients({ kind: 'application' })).toBe(6);
        expect(await records.countClients({ status: 'disabled' })).toBe(6);
        await checkCounts();
      });

      test.each([1, 3, 500])(
        'finds by the beginning of a name, then of an address, %i at a time',
        async (limit) => {
          await put(
            user('u1', { username: 'Anna', email: 'x@mail.example' }),
            user('u2', { username: 'alf', email: 'ANNA.alf@mail.example' }),
            user('u3', { username: 'annabel', email: 'anna@mail.example' }),
            user('u4', { username: 'an', email: 'ann@mail.example' }),
            user('u5', { username: 'carl' }),
          );
          const found = (beginning: string) => idsOf(all(records.users, limit, { beginning }));
          expect(await found('ANNA')).toEqual(['u1', 'u3', 'u2']);
          expect(await found('annab')).toEqual(['u3']);
          expect(await found('nobody')).toEqual([]);
          expect(await found('')).toEqual(['u2', 'u4', 'u1', 'u3', 'u5']);
        },
      );

      test.each([1, 2, 5, 500])(
        'gives those to whom all of a filter applies, %i at a time',
        async (limit) => {
          const users = everybody().map((one, n) => ({
            ...one,
            disabled: n % 4 === 1,
            ...(n % 6 === 0 ? { isInvited: true } : {}),
            ...(n % 3 === 0 ? { eligibleRoles: ['ops', 'Admin'] } : {}),
          }));
          await put(...users);
          const found = async (filter: UserFilter) =>
            (await idsOf(all(records.users, limit, filter))).toSorted();
          const meant = (isMeant: (user: UserRecord) => boolean) =>
            users.filter(isMeant).map(idOf).toSorted();
          const invited = (one: UserRecord) => one.isInvited === true && !one.disabled;
          const active = (one: UserRecord) => !one.isInvited && !one.disabled;
          const isOps = ({ roles }: UserRecord) => roles.includes('ops');
          expect(await found({ status: 'disabled' })).toEqual(meant(({ disabled }) => disabled));
          expect(await found({ status: 'invited' })).toEqual(meant(invited));
          expect(await found({ status: 'active' })).toEqual(meant(active));
          expect(await found({ status: 'active', role: 'ops' })).toEqual(
            meant((one) => active(one) && isOps(one)),
          );
          const mayTakeOps = ({ eligibleRoles = [] }: UserRecord) => eligibleRoles.includes('ops');
          expect(await found({ eligibleRole: 'ops' })).toEqual(meant(mayTakeOps));
          expect(await found({ eligibleRole: 'ops', role: 'ops', status: 'active' })).toEqual(
            meant((one) => mayTakeOps(one) && isOps(one) && active(one)),
          );
          expect(await found({ role: 'ops', provider: 'corp' })).toEqual(
            meant((one) => isOps(one) && one.federated !== undefined),
          );
          expect(await found({ role: 'ops', beginning: 'USER-A' })).toEqual(
            meant((one) => isOps(one) && one.username.startsWith('user-a')),
          );
          expect(await found({ provider: 'none', beginning: 'user' })).toEqual([]);
          for (const [status, isMeant] of [
            ['disabled', ({ disabled }: UserRecord) => disabled],
            ['invited', invited],
            ['active', active],
          ] as const) {
            expect(await records.count('users', { status })).toBe(meant(isMeant).length);
          }
          const [one] = await all(records.users, limit, { status: 'disabled' }).then((page) => page.records);
          await put({ ...one!, disabled: false });
          expect(await found({ status: 'disabled' })).toEqual(
            meant(({ id, disabled }) => disabled && id !== one!.id),
          );
        },
      );

      test('a page reads so many at most, and goes on behind them', async () => {
        await put(
          ...Array.from({ length: 30 }, (_, n) =>
            user(`u${10 + n}`, { username: `p${10 + n}`, roles: n === 28 ? ['ops', 'Viewer'] : ['Viewer'] }),
          ),
        );
        await put(...Array.from({ length: 501 }, (_, n) => user(`x${n}`, { roles: ['ops'] })));
        const pages: (readonly string[])[] = [];
        let after: string | undefined;
        do {
          const request = { limit: 5, mostRead: 10, role: 'ops', beginning: 'p', after };
          const page = await records.users(request);
          pages.push(page.records.map(idOf));
          after = page.next;
        } while (after !== undefined);
        expect(pages.flat()).toEqual(['u38']);
        expect(pages.length).toBeGreaterThanOrEqual(3);
        expect(pages.length).toBeLessThanOrEqual(4);
      });

      test.each([1, 7, 500])('gives all of them from the end, %i at a time', async (limit) => {
        const users = everybody();
        await put(...users);
        const byName = users.toSorted((one, other) => (one.username < other.username ? 1 : -1));
        expect(await idsOf(all(records.users, limit, { isReversed: true }))).toEqual(byName.map(idOf));
      });

      test('pages stay stable while others come and go', async () => {
        await put(...['b', 'd', 'f', 'h', 'j'].map((name) => user(`id-${name}`, { username: name })));
        const first = await records.users({ limit: 2 });
        expect(first.records.map(idOf)).toEqual(['id-b', 'id-d']);
        await put(user('id-a', { username: 'a' }), user('id-e', { username: 'e' }));
        await remove('id-d');
        await remove('id-f');
        const second = await records.users({ limit: 2, after: first.next });
        expect(second.records.map(idOf)).toEqual(['id-e', 'id-h']);
        const third = await records.users({ limit: 2, after: second.next });
        expect(third).toEqual({ records: [user('id-j', { username: 'j' })] });
      });

      test('a page has at most 500, and takes any text as the place after which it begins', async () => {
        await put(...Array.from({ length: 501 }, (_, n) => user(`u${n}`)));
        expect((await records.users({ limit: 9999 })).records).toHaveLength(500);
        for (const after of ['', 'x', '9', '\u0000', '\ud800', 'x\n\n\n', 'y'.repeat(10_000)]) {
          const page = await records.users({ limit: 3, after });
          expect(page.records.length).toBeLessThanOrEqual(3);
        }
      });

      test('counts what was removed, replaced and put twice', async () => {
        await put(user('u1', { roles: ['ops', 'ops'] }), user('u2', { roles: ['ops'] }));
        await put(user('u1', { roles: ['ops', 'ops'] }));
        expect(await records.count('users', { role: 'ops' })).toBe(2);
        await remove('u1');
        await remove('u1');
        await remove('never');
        expect([await records.count('users'), await records.count('users', { role: 'ops' })]).toEqual([1, 1]);
      });
    });

    describe('changes', () => {
      test('a change sees its own writes, gives its result, and reads nothing afterwards', async () => {
        const kept = await records.change(async (transaction) => {
          transaction.put('users', user('u1'));
          transaction.put('users', user('u2'));
          transaction.remove('users', 'u2');
          return {
            transaction,
            found: [await transaction.get('users', 'u1'), await transaction.get('users', 'u2')],
          };
        });
        expect(kept.found).toEqual([user('u1'), undefined]);
        await expect(kept.transaction.get('users', 'u9')).rejects.toThrow(TypeError);
        expect(() => kept.transaction.put('users', user('u3'))).toThrow(TypeError);
      });

      test('one that throws changes nothing', async () => {
        await put(user('u1'));
        const received: unknown[] = [];
        records.onChange((changes) => received.push(changes));
        const rejected = records.change(async (transaction) => {
          transaction.put('users', user('u1', { username: 'other' }));
          transaction.put('users', user('u2'));
          transaction.putArtifact({ kind: 'VoidMark', id: 'v' }, { payload: {} });
          throw new RangeError('not so');
        });
        await expect(rejected).rejects.toThrow(RangeError);
        expect(await records.get('users', 'u1')).toEqual(user('u1'));
        expect(await records.get('users', 'u2')).toBeUndefined();
        expect(await opened.artifacts.get('VoidMark', 'v')).toBeUndefined();
        expect(received).toEqual([]);
      });

      test('the artifacts of a change are found as others are', async () => {
        await records.change(async (transaction) => {
          transaction.put('users', user('u1'));
          const artifact = { payload: { n: 1 }, uid: 'uid', accountId: 'u1', grantId: 'g' };
          transaction.putArtifact({ kind: 'VoidMark', id: 'v' }, artifact);
        });
        expect((await opened.artifacts.findByUid('VoidMark', 'uid'))?.artifact.payload).toEqual({ n: 1 });
        expect(await opened.artifacts.listByAccount('VoidMark', 'u1')).toHaveLength(1);
        expect(await opened.artifacts.removeByGrant('g', ['VoidMark'])).toBe(1);
      });

      test('20 at once lose nothing, however often each is overtaken', async () => {
        await put(user('u1', { tokensValidFrom: 0 }));
        const raise = () =>
          records.change(async (transaction) => {
            const found = await transaction.get('users', 'u1');
            transaction.put('users', { ...found!, tokensValidFrom: found!.tokensValidFrom + 1 });
          });
        await Promise.all(Array.from({ length: 20 }, raise));
        expect((await records.get('users', 'u1'))?.tokensValidFrom).toBe(20);
      });

      test('one of 20 at once gets a name, and one gets a link', async () => {
        const sign = (n: number) =>
          records.change(async (transaction) => {
            const found = await transaction.userByLink('corp', 'same');
            if (found) return found.id;
            const isTaken = await transaction.isNameTaken('ann');
            const username = isTaken ? `ann-${n}` : 'ann';
            transaction.put(
              'users',
              user(`u${n}`, { username, federated: { provider: 'corp', subject: 'same' } }),
            );
            return `u${n}`;
          });
        const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => sign(n)));
        expect(new Set(ids).size).toBe(1);
        const named = (n: number) =>
          records.change(async (transaction) => {
            if (await transaction.userByName('Eve')) return false;
            transaction.put('users', user(`e${n}`, { username: n % 2 === 0 ? 'eve' : 'EVE' }));
            return true;
          });
        const won = await Promise.all(Array.from({ length: 20 }, (_, n) => named(n)));
        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await records.count('users')).toBe(2);
      });

      test.each([
        ['name', { username: 'ANN' }],
        ['link', { federated: { provider: 'corp', subject: 's' } }],
      ] as const)('who does not ask first is refused a %s that another one has', async (_what, fields) => {
        await put(user('u1', { username: 'ann', federated: { provider: 'corp', subject: 's' } }));
        const rejected = put(user('u0'), user('u2', fields));
        await expect(rejected).rejects.toMatchObject({ name: 'DuplicateRecordError' });
        expect(await records.count('users')).toBe(1);
        // Handed on within one change, it is nobody's twice.
        await put(user('u1', { username: 'anna' }), user('u2', fields));
        expect((await records.get('users', 'u2'))?.id).toBe('u2');
      });

      test('a change that hangs on a provider is not made once that is another', async () => {
        await enableProvider('corp', true);
        let isFirst = true;
        const sign = records.change(async (transaction) => {
          const provider = await transaction.registered('providers', 'corp');
          if (isFirst) await enableProvider('corp', false);
          isFirst = false;
          if (!provider?.enabled) return 'refused';
          transaction.put('users', user('u1'));
          return 'added';
        });
        expect(await sign).toBe('refused');
        expect(await records.count('users')).toBe(0);
      });

      test('listeners hear of each change in order, before it is answered, until they unsubscribe', async () => {
        const received: RecordChange[] = [];
        const stop = records.onChange((changes) => received.push(...changes));
        let seen = 0;
        const change = async (n: number) => {
          await put(user('u1', { tokensValidFrom: n }));
          const own = received.findIndex((each) => (each.record as UserRecord).tokensValidFrom === n);
          expect(own).toBeGreaterThanOrEqual(0);
          seen++;
        };
        await Promise.all(Array.from({ length: 30 }, (_, n) => change(n)));
        expect([seen, received.length]).toEqual([30, 30]);
        expect(received.at(-1)?.record).toEqual(await records.get('users', 'u1'));
        await putClients(client('app'));
        await remove('u1');
        expect(received.slice(30)).toEqual([
          { collection: 'clients', id: 'app', record: client('app') },
          { collection: 'users', id: 'u1', record: undefined },
        ]);
        stop();
        await put(user('u1'));
        expect(received).toHaveLength(32);
      });

      test('a listener that throws harms neither the change nor the others', async () => {
        let received = 0;
        records.onChange(() => {
          throw new Error('listener');
        });
        records.onChange(() => received++);
        await put(user('u1'));
        expect(received).toBe(1);
      });
    });

    describe('an administrator remains', () => {
      const admin = (id: string, provider?: string) =>
        user(id, {
          roles: ['Admin'],
          ...(provider === undefined ? {} : { federated: { provider, subject: id } }),
        });

      test('the last one is neither removed nor disabled, and keeps the role', async () => {
        await put(admin('u1'), user('u2'));
        const attempts = [
          () => remove('u1'),
          () => put({ ...admin('u1'), disabled: true }),
          () => put(user('u1')),
          () => put({ ...admin('u1'), federated: { provider: 'gone', subject: 's' } }),
        ];
        for (const attempt of attempts) {
          await expect(attempt()).rejects.toMatchObject({ name: 'LastAdministratorError' });
        }
        expect(await records.get('users', 'u1')).toEqual(admin('u1'));
        await put(admin('u2'), user('u1'));
        expect(await records.hasAdministrator()).toBe(true);
      });

      test('accounts of a provider count while it is enabled', async () => {
        await put(admin('u1'), admin('u2', 'corp'));
        expect(await records.hasAdministrator('corp')).toBe(true);
        await expect(remove('u1')).rejects.toMatchObject({ name: 'LastAdministratorError' });
        await enableProvider('corp', true);
        await remove('u1');
        expect(await records.hasAdministrator()).toBe(true);
        expect(await records.hasAdministrator('corp')).toBe(false);
      });

      test('where there is none, changes are made', async () => {
        await put(user('u1'));
        await put({ ...user('u1'), disabled: true });
        await remove('u1');
        expect(await records.count('users')).toBe(0);
      });

      test('of 20 that resign at once one stays', async () => {
        const ids = Array.from({ length: 20 }, (_, n) => `u${n}`);
        await put(...ids.map((id) => admin(id)));
        const results = await Promise.allSettled(ids.map((id) => remove(id)));
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
        expect(await records.hasAdministrator()).toBe(true);
      });

      test('the last local one leaves, or the provider of the others is switched off, not both', async () => {
        for (let round = 0; round < 10; round++) {
          await enableProvider('corp', true);
          await put(admin('u1'), admin('u2', 'corp'));
          const switchOff = () =>
            opened.registry.update(
              (transaction) => transaction.put('providers', { id: 'corp', enabled: false }),
              async () => {
                if (!(await records.hasAdministrator('corp'))) throw new RangeError('nobody would be left');
              },
            );
          const both = round % 2 === 0 ? [remove('u1'), switchOff()] : [switchOff(), remove('u1')];
          const results = await Promise.allSettled(both);
          expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
          expect(await records.hasAdministrator()).toBe(true);
        }
      });
    });
  });
}

type List<R, F> = (request: PageRequest & F) => Promise<Page<R>>;

/** All pages as one. */
async function all<R, F>(list: List<R, F>, limit: number, filter?: F): Promise<Page<R>> {
  const records: R[] = [];
  let after: string | undefined;
  do {
    const page = await list({ limit, after, ...filter } as PageRequest & F);
    expect(page.records.length).toBeLessThanOrEqual(limit);
    records.push(...page.records);
    after = page.next;
  } while (after !== undefined);
  return { records };
}

async function idsOf(page: Promise<Page<{ readonly id: string }>>): Promise<readonly string[]> {
  return (await page).records.map(idOf);
}

function idOf({ id }: { readonly id: string }): string {
  return id;
}

export function user(id: string, fields: Partial<UserRecord> = {}): UserRecord {
  return {
    id,
    username: `name-of-${id}`,
    roles: ['Viewer'],
    passwordHash: '-',
    disabled: false,
    createdAt: 1,
    tokensValidFrom: 1,
    ...fields,
  };
}

export function client(id: string, fields: Partial<ClientRecord> = {}): ClientRecord {
  return {
    id,
    isPublic: true,
    isFirstParty: true,
    disabled: false,
    secrets: [],
    grantTypes: [],
    redirectUris: [],
    postLogoutRedirectUris: [],
    scopes: [],
    tokenAlg: 'ES256',
    tokenTyp: 'JWT',
    createdAt: 1,
    ...fields,
  };
}
