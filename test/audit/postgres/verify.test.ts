/** What `audit verify` says of rows: of those that are as written, by law without some, and of each forgery. */
import { createPublicKey, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createChain } from '../../../console/audit/chain.ts';
import { createEntryRows } from '../../../console/audit/rows/entry-row.ts';
import { retainedText } from '../../../console/audit/rows/retained.ts';
import { verifyRows } from '../../../console/audit/rows/verify/verify-rows.ts';
import { readAnchors } from '../../../console/audit/verify/anchors.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { forgeries, key, otherKey, write, writer } from '../forgeries.ts';
import { newAuditDirectory, start } from '../support.ts';
import { newRows, type OpenedRows, type Rows } from './rows-support.ts';

interface StoredRow {
  readonly seq: number;
  readonly stored: Buffer;
}

const patient = 60_000;
const dayMs = 24 * 60 * 60 * 1000;

describe.skipIf(postgresPrograms === undefined)(
  'rows that are checked, where PostgreSQL is installed',
  () => {
    let postgres: Postgres;
    let rows: Rows;
    beforeAll(async () => {
      postgres = await startPostgres();
      rows = await newRows(postgres);
    }, patient);
    afterAll(() => postgres?.close());
    beforeEach(async () => {
      await rows.query('truncate audit_chain, audit_entry, audit_outbox');
    });

    const verify = (anchors: readonly string[] = [], by = key) =>
      verifyRows({
        databaseUrl: rows.url,
        publicKey: createPublicKey(by.privateKey),
        anchors: readAnchors(anchors.join('\n')),
      });

    async function shipped(count: number, names = [writer]) {
      const directory = await newAuditDirectory();
      const anchors: string[] = [];
      for (const name of names) anchors.push(...(await write(directory, count, { name })));
      const opened = rows.open(directory);
      await opened.ship();
      return { anchors, opened };
    }

    /** As whoever can write the tables: all rows of the chain anew, found by what they say, in this order. */
    async function forge(change: (lines: string[]) => void): Promise<void> {
      const before = await rows.query<StoredRow>('select seq, stored from audit_entry order by seq');
      const lines = ['', ...before.map(({ stored }) => stored.toString('utf8'))];
      change(lines);
      const made = createEntryRows();
      let end = { seq: 0, link: '', latest: 0, mostBack: 0 };
      const values = lines.slice(1).map((line, i) => {
        const stored = Buffer.from(line);
        const next = made.rowOf({ writer, segment: 0, offset: 0, seq: i + 1, stored }, end);
        end = next.end;
        const { row } = next;
        const asked = [row.actor, row.object, row.objectKind, row.client, row.otherClient, row.member];
        const all = [row.seq, row.latest, row.time, ...asked, row.event, row.eventGroup, row.outcome];
        const plain = all.map((value) => (value === null ? 'null' : String(value)));
        return `((select id from audit_chain), ${plain.join(', ')}, '${row.ids}', false, '\\x${stored.toString('hex')}')`;
      });
      await rows.query(`begin; delete from audit_entry;
      insert into audit_entry (chain, seq, latest, time, actor, object, object_kind, client, other_client, member,
        event, event_group, outcome, ids, repeats, stored) values ${values.join(', ')};
      update audit_chain set seq = ${end.seq}, link = '${end.link.replaceAll("'", '')}'; commit`);
    }

    test(
      'what is as it was written is ok, with check-points that were kept elsewhere, and by its key alone',
      async () => {
        const { anchors } = await shipped(2500, [writer, 'other']);
        expect(await verify(anchors)).toMatchObject({
          isGood: true,
          writers: [
            { writer: 'other', verdict: 'ok', unsigned: 0 },
            { writer, verdict: 'ok', entries: 2500 + anchors.length / 2 },
          ],
        });
        expect((await verify([], otherKey)).writers.map(({ verdict }) => verdict)).toEqual([
          'changed',
          'changed',
        ]);
      },
      patient,
    );

    test.each(forgeries)(
      '$name',
      async ({ forge: change, found }) => {
        const { anchors } = await shipped(100);
        await forge(change);
        for (const kept of [[], anchors]) {
          const { isGood, writers } = await verify(kept);
          expect(isGood).toBe(false);
          expect(writers).toMatchObject([{ writer, ...found }]);
        }
      },
      patient,
    );

    test.each([
      { name: 'the last rows gone', text: 'delete from audit_entry where seq > 90', verdict: 'cut', seq: 91 },
      {
        name: 'the first rows gone',
        text: 'delete from audit_entry where seq < 10',
        verdict: 'removed',
        seq: 1,
      },
      {
        name: 'found by another actor',
        text: 'update audit_entry set actor = actor + 1 where seq = 50',
        verdict: 'changed',
        seq: 50,
      },
      {
        name: 'found by no id',
        text: `update audit_entry set ids = '{}' where seq = 50`,
        verdict: 'changed',
        seq: 50,
      },
      {
        name: 'at another time of the list',
        text: 'update audit_entry set latest = latest - 1000000 where seq = 50',
        verdict: 'changed',
        seq: 50,
      },
      {
        name: 'shown by no list',
        text: 'update audit_entry set repeats = true where seq = 50',
        verdict: 'changed',
        seq: 50,
      },
      {
        name: 'begun later, with nobody who vouches for it',
        text: `delete from audit_entry where seq < 50; update audit_chain set first_seq = 50, first_c = decode(repeat('00', 32), 'hex')`,
        verdict: 'changed',
        seq: 50,
      },
    ])(
      '$name',
      async ({ text, verdict, seq }) => {
        await shipped(100);
        await rows.query(text);
        expect((await verify()).writers).toMatchObject([{ writer, verdict, seq }]);
      },
      patient,
    );

    test(
      'a chain that is gone whole is missed by whoever has a check-point of it',
      async () => {
        const { anchors } = await shipped(50, [writer, 'other']);
        await rows.query(`delete from audit_entry where chain = (select id from audit_chain where writer = '${writer}');
      delete from audit_chain where writer = '${writer}'`);
        // The other one's check-points have seen it.
        for (const kept of [[], anchors]) {
          const { isGood, writers } = await verify(kept);
          expect(isGood).toBe(false);
          expect(writers).toMatchObject([
            { writer: 'other', verdict: 'ok' },
            { writer, verdict: 'removed' },
          ]);
        }
      },
      patient,
    );

    test(
      'what is erased by law is ok where an entry says so, and leaves nothing to find',
      async () => {
        const { opened } = await shipped(100);
        await opened.shared('erase', { writer, seq: 50 });
        expect((await verify()).writers).toMatchObject([{ verdict: 'removed', seq: 50 }]);
        const { opened: elsewhere } = await erasureSaid();
        expect((await verify()).writers).toMatchObject([
          { writer: 'says', verdict: 'ok' },
          { writer, verdict: 'ok', erased: 1 },
        ]);
        expect((await elsewhere.ask('entry', { writer, seq: 50 })).entry).toBeUndefined();
        const { entries } = await elsewhere.ask('list', { filter: { id: 'rq_47' }, limit: 5 });
        expect(entries).toEqual([]);
        const left = await rows.query(
          `select encode(stored, 'escape') as text from audit_entry where seq = 50 and chain =
        (select id from audit_chain where writer = '${writer}')`,
        );
        expect(JSON.stringify(left)).not.toContain('person-');
      },
      patient,
    );

    async function erasureSaid() {
      const directory = await newAuditDirectory();
      const { openWriter } = await import('../../../console/audit/writer.ts');
      const { createEntryBody } = await import('../../../console/audit/entry.ts');
      const open = openWriter({
        directory,
        writer: 'says',
        now: () => start,
        onCheckpoint() {},
        onFull() {},
      });
      open.useKey(key);
      const detail = { writer, seq: 50 };
      open.add(
        createEntryBody()({ event: 'audit.erased', outcome: 'success', reason: 'law', detail }, start),
      );
      open.close();
      const opened = rows.open(directory);
      await opened.ship();
      return { opened };
    }

    test(
      'what was removed since it is too old is ok, half removed too, by the signature of who did it',
      async () => {
        const { opened, anchors } = await shipped(1500);
        const [first] = await rows.query<{ latest: number }>(
          'select latest from audit_entry where seq = 1200',
        );
        const limits = { days: 1 };
        const { expired } = await opened.shared('expired', {
          limits,
          now: Number(first!.latest) + dayMs,
          held: rows.held,
        });
        expect(expired!.seq).toBeGreaterThan(1100);
        const signature = signed(expired!);
        expect(await opened.shared('drop', { ...expired!, signature, held: rows.held })).toEqual({
          isDone: false,
        });
        expect((await verify(anchors)).writers).toMatchObject([{ verdict: 'ok' }]);
        await dropAll(opened, { ...expired!, signature });
        expect((await verify(anchors)).writers).toMatchObject([{ verdict: 'ok' }]);
        expect(await rows.query('select min(seq)::int as first from audit_entry')).toEqual([
          { first: expired!.seq + 1 },
        ]);
        // A signature of somebody else vouches for nothing.
        await rows.query(`update audit_chain set retained = json_build_object('seq', retained -> 'seq', 'c', retained -> 'c',
      'signature', 'AAAA')`);
        expect((await verify()).writers).toMatchObject([{ verdict: 'removed', seq: 1, last: expired!.seq }]);
      },
      patient,
    );

    test(
      'by size the oldest go first, and of a console that is gone all of it, with its chain',
      async () => {
        const { opened } = await shipped(6000, [writer, 'other']);
        const bytes = () => rows.query<{ n: number }>('select sum(bytes)::int as n from audit_chain');
        const sum = (
          await rows.query<{ n: number }>('select sum(length(stored))::int as n from audit_entry')
        )[0]!.n;
        expect((await bytes())[0]!.n).toBe(sum);
        const limits = { bytes: Math.floor(sum * 0.6) };
        for (;;) {
          const { expired } = await opened.shared('expired', { limits, now: start, held: rows.held });
          if (!expired) break;
          await dropAll(opened, { ...expired, signature: signed(expired) });
        }
        expect((await bytes())[0]!.n).toBeLessThanOrEqual(limits.bytes);
        expect((await verify()).isGood).toBe(true);
        await rows.query("update audit_chain set seen_at = now() - interval '2 hours'");
        const old = { limits: { days: 1 }, now: start + 30 * dayMs, held: rows.held };
        for (;;) {
          const { expired } = await opened.shared('expired', old);
          if (!expired) break;
          await dropAll(opened, { ...expired, signature: signed(expired) });
        }
        for (const table of ['audit_chain', 'audit_entry'])
          expect(await rows.query(`select count(*)::int as n from ${table}`)).toEqual([{ n: 0 }]);
      },
      patient,
    );

    const signed = (expired: { writer: string; seq: number; c: string }) =>
      sign(null, Buffer.from(retainedText(expired)), key.privateKey).toString('base64url');

    async function dropAll(
      opened: OpenedRows,
      expired: { writer: string; seq: number; c: string; signature: string },
    ): Promise<void> {
      while (!(await opened.shared('drop', { ...expired, held: rows.held })).isDone);
    }

    test(
      'the hash at the beginning is that of what was removed',
      async () => {
        const { opened } = await shipped(700);
        const lines = await rows.query<StoredRow>(
          'select seq, stored from audit_entry order by seq limit 500',
        );
        const c = createChain();
        for (const { stored } of lines) c.add(Buffer.from(stored), 17, stored.length);
        await opened.shared('drop', { writer, seq: 600, c: 'unused', signature: '', held: rows.held });
        const [chain] = await rows.query<{ first_c: Buffer; first_seq: string }>(
          'select first_seq, first_c from audit_chain',
        );
        expect([Number(chain!.first_seq), chain!.first_c.equals(c.head())]).toEqual([501, true]);
      },
      patient,
    );
  },
);
