/** The rows of an audit with as many entries as asked for, of one console, as its own copying makes them. */
import { createChain, linkCharacters } from '../../console/audit/chain.ts';
import { createEntryBody } from '../../console/audit/entry.ts';
import { createEntryRows, type EntryRow } from '../../console/audit/rows/entry-row.ts';
import type { Postgres } from '../../test/helpers/postgres.ts';
import { fieldsOf, timeOf } from './made-entries.ts';

const batchEntries = 5000;

const columns = [
  ...['seq', 'latest', 'time', 'actor', 'object', 'object_kind', 'client', 'other_client', 'member'],
  ...['event', 'event_group', 'outcome', 'ids', 'stored'],
];

/**
 * Without what is in the way of so many at once: indexes are made afterwards.
 *
 * @param database  with the tables of a console, which nobody has used
 */
export async function makeRows(postgres: Postgres, database: string, size: number): Promise<void> {
  const indexes = await postgres.query<{ name: string; made: string }>(
    database,
    `select indexname as name, indexdef as made from pg_indexes
      where schemaname = current_schema() and tablename = 'audit_entry' and indexname <> 'audit_entry_pkey'`,
  );
  for (const { name } of indexes) await postgres.query(database, `drop index ${name}`);
  await postgres.query(
    database,
    `insert into audit_chain (writer, seq, link, latest, most_back, first_seq, first_c)
      values ('made', ${size}, '', ${timeOf(size, size)}, 0, 1, decode(repeat('00', 32), 'hex'))`,
  );
  const rows = createEntryRows();
  const bodyOf = createEntryBody();
  const chain = createChain();
  let end = { seq: 0, link: '', latest: 0, mostBack: 0 };
  for (let from = 1; from <= size; from += batchEntries) {
    const values: string[] = [];
    for (let seq = from; seq < from + batchEntries && seq <= size; seq++) {
      const time = timeOf(seq, size);
      const line = Buffer.from(`{"v":1,"writer":"made","seq":${seq},${bodyOf(fieldsOf(seq), time)}`);
      chain.add(line, 0, line.length);
      const stored = Buffer.concat([Buffer.from(`${chain.linkText().slice(0, linkCharacters)} `), line]);
      const next = rows.rowOf({ writer: 'made', segment: 0, offset: 0, seq, stored }, end);
      end = next.end;
      values.push(valuesOf(next.row));
    }
    await postgres.query(
      database,
      `insert into audit_entry (chain, repeats, ${columns.join(', ')}) values ${values.join(', ')}`,
    );
  }
  for (const { made } of indexes) await postgres.query(database, made);
  await postgres.query(database, 'vacuum analyze audit_entry');
}

function valuesOf(row: EntryRow): string {
  const numbers = [row.seq, row.latest, row.time, row.actor, row.object, row.objectKind, row.client];
  const others = [row.otherClient, row.member, row.event, row.eventGroup, row.outcome];
  const plain = [...numbers, ...others].map((value) => value ?? 'null').join(', ');
  return `(1, false, ${plain}, '${row.ids}', '\\x${row.stored.toString('hex')}')`;
}
