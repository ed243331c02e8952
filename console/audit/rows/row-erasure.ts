/** Takes what one entry says out of its row: its hash stays, so that the chain checks. */
import { type Database, statement } from '../../storage/postgres/database.ts';
import { entryHashIn, prefixBytes } from '../chain.ts';
import { erasedHash, erasedLine } from '../erased-entry.ts';
import { readRow } from './row-answers.ts';

/** The files of its console are told of it by the row of the chain. */
const erase = statement(
  'audit_erase',
  `with erased as (
      update audit_entry set stored = $4::bytea, time = null, actor = null, object = null, object_kind = null,
        client = null, other_client = null, member = null, event = null, event_group = null, outcome = null,
        ids = '{}'
      where chain = (select id from audit_chain where writer = $1) and seq = $2 and stored = $3::bytea
      returning length($3::bytea) - length($4::bytea) as fewer),
    said as (
      update audit_chain set erased = array_append(array_remove(erased, $2), $2), bytes = bytes - fewer,
        denials = denials + 1, changes = changes + 1
      from erased where writer = $1 returning 1)
    select (select count(*) from said) as n`,
);

/** @throws {Error} when there is no such entry any more; {StorageUnavailableError} and nothing was erased */
export async function eraseRow(database: Pick<Database, 'run'>, writer: string, seq: number): Promise<void> {
  const stored = await readRow(database, writer, seq);
  if (!stored) throw new Error(`there is no entry ${seq} of ${writer} any more`);
  if (erasedHash(stored)) return;
  const bytes = Buffer.from(stored);
  const e = entryHashIn(bytes, prefixBytes, bytes.length);
  const line = Buffer.from(stored.toString('latin1', 0, prefixBytes) + erasedLine(writer, seq, e));
  const { rows } = await database.run<{ n: number }>(erase, [writer, seq, stored, line]);
  if (rows[0]!.n !== 1) throw new Error(`the entry ${seq} of ${writer} could not be erased`);
}
