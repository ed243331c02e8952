/** Files of the audit as rows of PostgreSQL: each entry once, found by what it is found by in the files. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Entry, EntryFields } from '../../../console/audit/entry.ts';
import type { Place } from '../../../console/audit/index/entry-list.ts';
import { type EntryFilter, isMatch } from '../../../console/audit/index/filter.ts';
import { createAuditAnswers } from '../../../console/audit/reader/audit-answers.ts';
import type { ExportFormat, ExportPlace } from '../../../console/audit/reader/questions.ts';
import { entriesOf, lineOf, writersOf } from '../../../console/audit/segments/segment-reader.ts';
import { type Postgres, postgresPrograms, startPostgres } from '../../helpers/postgres.ts';
import { fileOf, write, writer } from '../forgeries.ts';
import { newAuditDirectory, start, writeSegment } from '../support.ts';
import { newRows, type OpenedRows } from './rows-support.ts';

function varied(i: number): EntryFields {
  return {
    event: ['login', 'token.issued', 'client.updated', 'member.call'][i % 4]!,
    outcome: i % 7 === 0 ? 'denied' : 'success',
    actor: { kind: i % 5 === 0 ? 'client' : 'user', id: `actor-${i % 90}`, session: `ses_${i % 300}` },
    object: i % 3 === 0 ? { kind: 'map', id: `orders-${i % 12}` } : undefined,
    client: i % 2 === 0 ? `client-${i % 40}` : undefined,
    member: i % 4 === 3 ? `10.0.0.${i % 3}:5701` : undefined,
    decisionId: i % 7 === 0 ? `dec_${i}` : undefined,
    requestId: `rq_${i}`,
    ...(i % 61 === 0 && { change: { name: { from: 'Ada', to: `Ada ${i}` } } }),
    // Text of somebody that looks like it.
    ...(i % 40 === 0 && { detail: { asked: '"change":{' } }),
    // What no text of a database could hold.
    reason: i % 50 === 0 ? 'nul \u0000 and half \ud800' : undefined,
  };
}

const filters: readonly EntryFilter[] = [
  {},
  { actor: 'actor-7' },
  { actor: 'actor-7', outcome: 'denied' },
  { actor: 'actor-7', event: 'member.call' },
  { actor: 'actor-7', event: 'member.*' },
  { client: 'client-8' },
  { client: 'actor-15' },
  { objectKind: 'map' },
  { objectId: 'orders-3' },
  { objectKind: 'map', objectId: 'orders-3' },
  { objectKind: 'map', objectId: 'orders-3', outcome: 'denied', actor: 'actor-21', event: 'token.issued' },
  { event: 'token.*', outcome: 'denied' },
  { event: 'client.updated', outcome: 'success' },
  { outcome: 'success' },
  { outcome: 'denied' },
  { member: '10.0.0.1:5701' },
  { member: '10.0.0.1:5701', outcome: 'denied' },
  { event: 'member.call', outcome: 'denied' },
  { decision: 'dec_700' },
  { id: 'rq_1234' },
  { id: 'ses_17' },
  { since: start + 1000, until: start + 1100 },
  { since: start + 1000, until: start + 1400, actor: 'actor-7' },
  { actor: 'nobody' },
  { isChange: true },
  { isChange: true, actor: 'actor-7' },
  { isChange: true, outcome: 'denied' },
  { isChange: true, event: 'client.*', outcome: 'success' },
];

const places = (entries: readonly Entry[]) => entries.map(({ writer: name, seq }) => `${name}-${seq}`);

async function allOf(rows: Pick<OpenedRows, 'ask'>, filter: EntryFilter): Promise<readonly string[]> {
  const found: Entry[] = [];
  for (let from: Place | undefined; ; ) {
    const { entries, next } = await rows.ask('list', { filter, limit: 300, from });
    found.push(...entries);
    if (!next) return places(found);
    from = next;
  }
}

async function exportOf(
  ask: (
    place: ExportPlace | undefined,
  ) => Promise<{ text: string; place?: ExportPlace | undefined } | undefined>,
): Promise<string> {
  let text = '';
  for (let place: ExportPlace | undefined; ; ) {
    const part = (await ask(place))!;
    text += part.text;
    if (!part.place) return text;
    place = part.place;
  }
}

describe.skipIf(postgresPrograms === undefined)('the audit as rows, where PostgreSQL is installed', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.close());

  test('every filter finds what a look at each line finds, page by page; so do traces and exports', async () => {
    const rows = await newRows(postgres);
    const directory = await newAuditDirectory();
    writeSegment(directory, 'aaaa', { count: 3000, fields: varied });
    writeSegment(directory, 'bbbb', { count: 700, fields: varied, timeOf: (seq) => start + 4 * seq });
    const opened = rows.open(directory);
    await opened.ship();
    const all = writersOf(directory).flatMap((name) =>
      [...entriesOf(directory, name)].map((one) => JSON.parse(lineOf(one)) as Entry),
    );
    for (const filter of filters) {
      const wanted = all
        .filter((entry) => isMatch(entry, filter))
        .sort((a, b) => Date.parse(b.time) - Date.parse(a.time) || (a.writer < b.writer ? 1 : -1));
      expect(await allOf(opened, filter), JSON.stringify(filter)).toEqual(places(wanted));
    }
    const files = createAuditAnswers({
      directory,
      indexDirectory: `${directory}/index`,
      version: '1.0.0',
    });
    onTestFinished(() => files.close());
    await files.catchUp();
    for (const id of ['dec_700', 'rq_17', 'ses_30', 'none']) {
      const { entries } = (await files.answer('trace', { id }))!;
      expect(places((await opened.ask('trace', { id })).entries)).toEqual(places(entries));
    }
    expect((await opened.ask('entry', { writer: 'bbbb', seq: 650 })).entry).toEqual(
      all.find((entry) => entry.writer === 'bbbb' && entry.seq === 650),
    );
    expect((await opened.ask('list', { filter: {}, limit: 1 })).total).toBe(3700);
    for (const format of ['jsonl', 'csv', 'cef'] satisfies ExportFormat[]) {
      const filter = { event: 'client.updated', outcome: 'denied' };
      const fromRows = await exportOf((place) => opened.ask('export', { format, filter, place }));
      const fromFiles = await exportOf((place) => files.answer('export', { format, filter, place }));
      expect(fromRows.length).toBeGreaterThan(1000);
      // Parts begin elsewhere, so what was left out is in other portions; the hashes are the same.
      const hashes = (text: string) => text.match(/"[A-Za-z0-9_-]{43}"/g);
      if (format === 'jsonl') expect(hashes(fromRows)).toEqual(hashes(fromFiles));
      else expect(fromRows).toBe(fromFiles);
    }
  }, 60_000);

  test('a page looks at 1,000 entries where no index has what is asked for, and goes on behind them', async () => {
    const rows = await newRows(postgres);
    const directory = await newAuditDirectory();
    const fields = (i: number): EntryFields => ({
      event: 'login',
      outcome: i === 10 ? 'denied' : 'success',
      actor: { kind: 'user', id: 'ada' },
      member: i === 10 ? 'rare' : 'usual',
    });
    writeSegment(directory, 'aaaa', { count: 3_000, fields });
    const opened = rows.open(directory);
    await opened.ship();
    const first = await opened.ask('list', { filter: { actor: 'ada', member: 'rare' }, limit: 50 });
    expect(first.entries).toEqual([]);
    expect(first.next).toEqual({ writer: 'aaaa', seq: 2000, latest: start + 2000 });
    expect(await allOf(opened, { actor: 'ada', member: 'rare' })).toEqual(['aaaa-10']);
    // Two that have an index together.
    for (const filter of [{ actor: 'ada' }, { event: 'login' }, { member: 'rare' }]) {
      const page = await opened.ask('list', { filter: { ...filter, outcome: 'denied' }, limit: 50 });
      expect([places(page.entries), page.next]).toEqual([['aaaa-10'], undefined]);
    }
    const none = await opened.ask('list', { filter: { actor: 'ada', event: 'logout' }, limit: 50 });
    expect(none).toMatchObject({ entries: [], total: 3000 });
    expect(none.next).toBeUndefined();
  }, 60_000);

  test('what is added goes on from where it was, once, from two at a time too', async () => {
    const rows = await newRows(postgres);
    const directory = await newAuditDirectory();
    await write(directory, 1200);
    const [one, other] = [rows.open(directory), rows.open(directory)];
    await Promise.all([one.ship(), other.ship(), one.ship()]);
    await write(directory, 1200);
    await Promise.all([one.ship(), other.ship()]);
    const count = [...entriesOf(directory, writer)].length;
    expect(await rows.query('select count(*)::int as n, max(seq)::int as last from audit_entry')).toEqual([
      { n: count, last: count },
    ]);
    expect([...one.logged, ...other.logged]).toEqual([]);
    // Half a line is none yet.
    appendFileSync(fileOf(directory), 'AAAAAAAAAAAAAAAA {"v":1,"wri');
    await one.ship();
    expect((await rows.query<{ n: number }>('select count(*)::int as n from audit_entry'))[0]!.n).toBe(count);
  }, 60_000);

  test('an entry of the outbox that two consoles have written is told once, and stays in both chains', async () => {
    const rows = await newRows(postgres);
    const directories = [await newAuditDirectory(), await newAuditDirectory()];
    const fields = (i: number): EntryFields => ({
      ...varied(i),
      ...(i === 5 && { event: 'client.added', outbox: 'once.0', change: { a: 1 } }),
    });
    writeSegment(directories[0]!, 'aaaa', { fields });
    writeSegment(directories[1]!, 'bbbb', { fields });
    const [one, other] = directories.map((directory) => rows.open(directory));
    await Promise.all([one!.ship(), other!.ship()]);
    expect(await allOf(one!, { event: 'client.added' })).toHaveLength(1);
    expect(
      (await one!.ask('follow', { filter: { event: 'client.added' }, after: {}, waitMs: 0 })).entries,
    ).toHaveLength(1);
    expect(await rows.query('select count(*)::int as n from audit_entry')).toEqual([{ n: 20 }]);
    expect(await one!.shared('outbox', { ids: ['once.0', 'once.1'] })).toEqual({ found: ['once.0'] });
  }, 60_000);

  test('files that do not go on from the rows: another chain at a start, and nothing added meanwhile', async () => {
    const rows = await newRows(postgres);
    const directory = await newAuditDirectory();
    await write(directory, 50, { name: 'before' });
    const opened = rows.open(directory);
    await opened.ship();
    const name = (await opened.shared('begin', {})).writer;
    await write(directory, 30, { name });
    await opened.ship();
    expect(await opened.shared('begin', {})).toEqual({ writer: name });
    // A directory that was put back to an earlier state.
    const other = await newAuditDirectory();
    writeSegment(other, name, { count: 5 });
    appendFileSync(join(other, 'writer'), `${name}\n`);
    const back = rows.open(other);
    await expect(back.ship()).rejects.toThrow('does not go on');
    expect(back.logged).toEqual([expect.stringContaining('copy of another one')]);
    const begun = await back.shared('begin', {});
    expect(begun.left).toBe(name);
    expect(begun.writer).not.toBe(name);
  }, 60_000);
});
