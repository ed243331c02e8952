/** What is too old goes from the database once, in the term of whoever leads, and one entry says so. */
import { sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEntryBody } from '../../../console/audit/entry.ts';
import { entryOf } from '../../../console/audit/event-entry.ts';
import { retainedText } from '../../../console/audit/rows/retained.ts';
import { startRetentionRounds } from '../../../console/audit/rows/retention-rounds.ts';
import { verifyRows } from '../../../console/audit/rows/verify/verify-rows.ts';
import { openWriter } from '../../../console/audit/writer.ts';
import type { HeldTerm } from '../../../console/storage/shared-store.ts';
import type { Audit } from '../../../platform/log.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { key, write, writer } from '../forgeries.ts';
import { newAuditDirectory, start, writeSegment } from '../support.ts';
import { newRows, type OpenedRows, type Rows } from './rows-support.ts';

const dayMs = 24 * 60 * 60 * 1000;

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(postgresPrograms === undefined)('retention of rows, where PostgreSQL is installed', () => {
  let postgres: Postgres;
  let rows: Rows;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());
  beforeEach(async () => {
    rows = await newRows(postgres);
  });

  const signed = (text: string) => sign(null, Buffer.from(text), key.privateKey).toString('base64url');
  const contents = () =>
    Promise.all(
      [
        'select id, writer, seq, first_seq, first_c, bytes, retained from audit_chain order by id',
        'select * from audit_entry order by chain, seq',
        'select id from audit_outbox order by id',
      ].map((text) => rows.query(text)),
    );
  const another: HeldTerm = { holder: 'another', term: 8 };
  const takeOver = () => rows.query(`update lease set holder = 'another', term = 8`);
  const report = () =>
    verifyRows({ databaseUrl: rows.url, publicKey: undefined, anchors: [] }).then(({ isGood }) => isGood);

  test('nothing goes in a term that is over, and no chain', async () => {
    const directory = await newAuditDirectory();
    await write(directory, 700);
    const opened = rows.open(directory);
    await opened.ship();
    const old = { limits: { days: 1 }, now: start + 700 + dayMs, held: rows.held };
    const { expired } = await opened.shared('expired', old);
    const dropped = { ...expired!, signature: signed(retainedText(expired!)), held: rows.held };
    await takeOver();
    const before = await contents();
    expect(await opened.shared('drop', dropped)).toEqual({ isDone: false, isLost: true });
    expect(await contents()).toEqual(before);
    // Of a console that is gone, and of which nothing is left.
    await rows.query(`delete from audit_entry;
      update audit_chain set first_seq = seq + 1, seen_at = now() - interval '2 hours'`);
    expect(await opened.shared('expired', old)).toEqual({ isLost: true });
    expect(await rows.query('select writer from audit_chain')).toEqual([{ writer }]);
    expect(await opened.shared('expired', { ...old, held: another })).toEqual({});
    expect(await rows.query('select writer from audit_chain')).toEqual([]);
  });

  test('stopped before it removes what it has said is too old, it removes nothing later; it is told once', async () => {
    const directories = [await newAuditDirectory(), await newAuditDirectory()] as const;
    await write(directories[0], 300, { name: 'longago', time: start - 3 * dayMs });
    const stopped = consoleIn(directories[0], 'stopped');
    await stopped.opened.ship();
    const removal = holdRemoval(stopped);
    const endStopped = begin(stopped, rows.held);
    await removal.reached;
    await takeOver();
    const next = consoleIn(directories[1], 'next');
    const end = begin(next, another);
    const left = () =>
      rows.query<{ n: number }>(`select count(*)::int as n from audit_entry
        where chain = (select id from audit_chain where writer = 'longago')`);
    expect((await left())[0]!.n).toBeGreaterThan(300);
    await vi.waitFor(async () => expect((await left())[0]!.n).toBeLessThan(30), 30_000);
    await end();
    const after = await contents();
    removal.goOn();
    await vi.waitFor(
      () => expect(stopped.warned).toEqual([expect.stringContaining('another console leads')]),
      20_000,
    );
    expect(await contents()).toEqual(after);
    expect(next.warned).toEqual([]);
    await endStopped();
    const said = await next.opened.ask('list', { filter: { event: 'audit.retention' }, limit: 10 });
    expect(said.entries).toMatchObject([{ writer: 'stopped', detail: { writer: 'longago' } }]);
    expect(await report()).toBe(true);
  });

  test('what two consoles have written is told yet when the one of them goes that is shown', async () => {
    const directory = await newAuditDirectory();
    const fields = (i: number) => ({
      event: i === 5 ? 'client.added' : 'login',
      outcome: 'success' as const,
      ...(i === 5 && { outbox: 'once.0' }),
    });
    writeSegment(directory, 'aaaa', { fields });
    const [first] = [rows.open(directory)];
    await first!.ship();
    writeSegment(directory, 'bbbb', { fields, timeOf: (seq) => start + 100 + seq });
    await first!.ship();
    const shown = async () =>
      (await first!.ask('list', { filter: { event: 'client.added' }, limit: 10 })).entries.map(
        (entry) => entry.writer,
      );
    expect(await shown()).toEqual(['aaaa']);
    const dropped = { writer: 'aaaa', seq: 7, c: 'unused', signature: '', held: rows.held };
    expect(await first!.shared('drop', dropped)).toEqual({ isDone: true });
    expect(await shown()).toEqual(['bbbb']);
    expect(await first!.shared('outbox', { ids: ['once.0'] })).toEqual({ found: ['once.0'] });
    const { writers } = await verifyRows({ databaseUrl: rows.url, publicKey: undefined, anchors: [] });
    expect(writers.find((one) => one.writer === 'bbbb')).toMatchObject({ verdict: 'unsigned_tail' });
  });

  interface TestedConsole {
    readonly opened: OpenedRows;
    /** As of a process that was stopped. */
    beforeRemoval: () => Promise<void>;
    readonly audit: Audit;
    readonly warned: string[];
  }

  /** Its files, what it says into them, and its way to the database. */
  function consoleIn(directory: string, name: string): TestedConsole {
    const opened = rows.open(directory);
    const bodyOf = createEntryBody();
    const own = openWriter({
      directory,
      writer: name,
      now: Date.now,
      onCheckpoint() {},
      onFull() {},
    });
    onTestFinished(() => own.close());
    const say = (event: string, fields: Parameters<Audit>[1]) => {
      own.add(bodyOf(entryOf(event, fields), Date.now()));
      own.write();
    };
    const audit = Object.assign(say, { synced: opened.ship });
    return { opened, beforeRemoval: async () => {}, audit, warned: [] };
  }

  function holdRemoval(console: TestedConsole) {
    let goOn = () => {};
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      console.beforeRemoval = () => {
        resolve();
        return released;
      };
    });
    return { reached, goOn };
  }

  function begin(console: TestedConsole, held: HeldTerm): () => Promise<void> {
    const { opened, audit, warned } = console;
    const askShared: typeof opened.shared = async (kind, asked) => {
      if (kind === 'drop') await console.beforeRemoval();
      return opened.shared(kind, asked);
    };
    const end = startRetentionRounds({
      reader: { ask: opened.ask, askShared },
      audit,
      limits: { days: 1 },
      held,
      sign: signed,
      now: () => start,
      log: { warn: (_fields: object, message?: string) => void warned.push(String(message)) } as never,
    });
    onTestFinished(end);
    return end;
  }
});
