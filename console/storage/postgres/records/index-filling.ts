/**
 * Entries of the index that a console of the version before has not written: of its time, and while it serves beside this one.
 * A client has them all while `filled_version` is its version; no list relies on them while one has not.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { keyPart } from '../../engine/key-parts.ts';
import { type IndexKey, indexKeysOf, laterEntries } from '../../engine/record-indexes.ts';
import type { ClientRecord } from '../../records.ts';
import { type Database, type Queries, statement } from '../database.ts';
import { index, rowsOf } from './record-writes.ts';

/** Clients that others wait for as long as they are filled in. */
const batchSize = 100;
const restMs = 10;
/** Of entries, what a store of the first version in PostgreSQL may lack. */
const generation = 2;

const later = Object.keys(laterEntries).filter((name) => isLaterEntry([name]));
const names = later.map((name) => `'${name}'`).join(', ');

const unfilled = statement(
  'clients_unfilled',
  'select exists (select from client where filled_version is distinct from version) as found',
);
/** Whoever changes one of them meanwhile waits, and what it writes stands. */
const take = statement(
  'clients_to_fill',
  `select id, record from client where filled_version is distinct from version
    order by id limit ${batchSize} for update`,
);
const forget = statement(
  'clients_refilled',
  `delete from record_index where name in (${names}) and id = any($1)`,
);
const filled = statement('clients_filled', 'update client set filled_version = version where id = any($1)');
/** A console of the version before has removed the client, and knew nothing of them. */
const stray = statement(
  'clients_stray',
  `delete from record_index where name in (${names}) and not exists (select from client where client.id = record_index.id)`,
);

/** @returns whether every client has all entries of its index */
export async function areClientsFilled(queries: Queries): Promise<boolean> {
  return !(await queries.run<{ found: boolean }>(unfilled)).rows[0]!.found;
}

/** Whether a client may lack it that another version has written. */
export function isLaterEntry([name]: IndexKey): boolean {
  return laterEntries[String(name)] === generation;
}

/**
 * A batch at a time, in no hurry; killed, it goes on where it was.
 *
 * @param signal  ends it early
 * @returns how many were filled in
 * @throws {StorageUnavailableError}
 */
export async function fillClients(
  database: Pick<Database, 'run' | 'transaction'>,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  while (!signal?.aborted) {
    const batch = await database.transaction(fillBatch);
    count += batch;
    if (batch < batchSize) break;
    // Ends by itself: nobody stays for it.
    await delay(restMs, undefined, { ref: false });
  }
  if (!signal?.aborted) await database.run(stray);
  return count;
}

async function fillBatch(queries: Queries): Promise<number> {
  const { rows } = await queries.run<{ id: string; record: ClientRecord }>(take);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  // Of what it was before another version has changed it.
  await queries.run(forget, [ids]);
  const keys = rows
    // What is damaged `check` tells of.
    .filter(({ id, record }) => record.id !== undefined && keyPart(record.id) === id)
    .flatMap(({ record }) => indexKeysOf('clients', record).filter(isLaterEntry));
  if (keys.length > 0) await queries.run(index, rowsOf(keys));
  await queries.run(filled, [ids]);
  return rows.length;
}
