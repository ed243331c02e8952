/** Clients that a console of the version before has written, or writes beside this one: no list lacks them, and they are filled in. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStorage } from '../../../console/storage/postgres/open.ts';
import { LeadershipLostError, type Storage } from '../../../console/storage/storage.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { client } from '../record-conformance.ts';

const whole = { damaged: 0, unindexed: 0, stray: 0, miscounted: 0, named: [] };
const asked = { kind: 'application', beginning: 'shop' } as const;
const signsIn = { grantTypes: ['authorization_code'], redirectUris: ['https://app.example/cb'] };

describe.skipIf(postgresPrograms === undefined)(
  'filling in indexes in PostgreSQL, where it is installed',
  () => {
    let postgres: Postgres;
    let database: string;
    let storage: Storage;
    beforeAll(async () => {
      postgres = await startPostgres();
    }, 60_000);
    afterAll(() => postgres?.close());
    beforeEach(async () => {
      database = await postgres.createDatabase();
      storage = await openPostgresStorage({ url: postgres.url(database) });
      onTestFinished(() => storage.close());
    });

    const query = (text: string) => postgres.query(database, text);
    const number = (n: number) => String(n).padStart(3, '0');
    const ids = async (limit = 500) => {
      const all: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await storage.records.clients({ ...asked, limit, after });
        all.push(...page.records.map(({ id }) => id));
        if (page.next === undefined) return all;
        after = page.next;
      }
    };

    /** 160 applications and 160 machines, as the version before wrote them. */
    async function former(): Promise<void> {
      const clients = Array.from({ length: 320 }, (_, n) =>
        client(`${n % 4 < 2 ? 'shop' : 'x'}-${number(n)}`, {
          name: `Shop ${number(n)}`,
          ...(n % 2 === 0 && signsIn),
        }),
      );
      await storage.loader.load('clients', clients);
      await query(`update client set filled_version = null;
      delete from record_index where name in ('application-name', 'application-word')`);
    }

    /** What a console of the version before does to a client. */
    const changeAsBefore = (id: string, change: string) =>
      query(`update client set version = version + 1, record = (record::jsonb || '${change}'::jsonb)::json
      where id = '${id}'`);

    test('lists say the same before and after, begun before they go on, and the check finds nothing', async () => {
      await former();
      const before = await ids(7);
      expect(before).toHaveLength(160);
      expect(await storage.check()).toMatchObject(whole);
      const first = await storage.records.clients({ ...asked, limit: 7 });
      expect(await storage.fillIndexes()).toBe(320);
      const rest = await storage.records.clients({ ...asked, limit: 500, after: first.next });
      expect([...first.records, ...rest.records].map(({ id }) => id)).toEqual(before);
      expect(await ids(7)).toEqual(before);
      // It goes by the index of applications.
      const few = await storage.records.clients({ ...asked, limit: 80, mostRead: 81 });
      expect(few.records.map(({ id }) => id)).toEqual(before.slice(0, 80));
      expect(await storage.check()).toMatchObject(whole);
      expect(await storage.fillIndexes()).toBe(0);
    });

    test('what a console of the version before changes beside this one is in no list too much or too little', async () => {
      await former();
      await storage.fillIndexes();
      await changeAsBefore('shop-000', '{"grantTypes": ["client_credentials"]}');
      await changeAsBefore('shop-001', '{"grantTypes": ["authorization_code"]}');
      await changeAsBefore('x-002', '{"name": "Store"}');
      await query(`delete from client where id = 'shop-004';
      delete from record_index where id = 'shop-004' and name not in ('application-name', 'application-word');
      delete from record_index where id = 'x-002' and name = 'client-word';
      insert into record_index values ('client-word', 'store', '', 'x-002'),
        ('client-kind', 'application', '', 'shop-001');
      delete from record_index where id = 'shop-000' and name = 'client-kind';
      update record_count set n = n - 1 where key like '%clients%'`);
      const expected = (all: readonly string[]) => {
        expect(all).toHaveLength(158);
        expect(all).toContain('shop-001');
        for (const id of ['shop-000', 'x-002', 'shop-004']) expect(all).not.toContain(id);
      };
      expected(await ids());
      expect(await storage.fillIndexes()).toBe(3);
      expected(await ids());
      expect(await storage.check()).toMatchObject(whole);
    });

    test('a change that meets it stands', async () => {
      await former();
      const filling = storage.fillIndexes();
      for (let n = 300; n > 280; n -= 4) {
        await storage.records.change(async (transaction) => {
          transaction.put('clients', client(`shop-${number(n)}`, { name: 'Machine' }));
        });
      }
      await filling;
      expect(await storage.check()).toMatchObject(whole);
      expect(await ids()).toHaveLength(155);
    });

    test('ended early or in a term that is over it does nothing more, and the next run goes on', async () => {
      await former();
      expect(await storage.fillIndexes(AbortSignal.abort())).toBe(0);
      const leading = storage.leadership!.inTerm(storage.leadership!.term()!);
      await query(
        `update lease set holder = 'another', term = term + 1, held_until = now() + interval '1 minute'`,
      );
      await expect(leading.fillIndexes()).rejects.toThrow(LeadershipLostError);
      expect(await query('select id from client where filled_version is not null')).toEqual([]);
      expect(await storage.fillIndexes()).toBe(320);
    });

    test('a database of a version before gets what lists go by, and what was half made is made anew', async () => {
      await former();
      const all = `select indexname from pg_indexes where schemaname = current_schema() order by 1`;
      const before = await query(all);
      await query(`alter table client drop column filled_version cascade;
      drop index audit_entry_actor_event, audit_entry_event_outcome, audit_entry_change, artifact_session;
      update pg_index set indisvalid = false where indexrelid = 'audit_entry_repeats'::regclass;
      delete from cluster_console_step where name in ('0004-lists', '0005-changes', '0006-sessions');
      update cluster_console set version = 3`);
      const next = await openPostgresStorage({ url: postgres.url(database) });
      onTestFinished(() => next.close());
      expect(await query(all)).toEqual(before);
      expect(
        await query(`select from pg_index join pg_class on pg_class.oid = indexrelid
        where relnamespace = current_schema()::regnamespace and not indisvalid`),
      ).toEqual([]);
      expect(await next.fillIndexes()).toBe(320);
      expect(await next.check()).toMatchObject(whole);
    });
  },
);
