/** Whether a pooler is in between, and whether what is prepared on a connection is there at the next statement. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StorageRejectedError } from '../storage.ts';
import { isNameLost } from './database-errors.ts';

/** Connections beside it, by which a pooler that gives them out anew is made to give another one. */
const mostBeside = 4;
/** Of a pooler that has no connection left for that, it is not known: then there are none. */
const patienceMs = 5_000;
const pidText = 'select pg_backend_pid() as pid';

/**
 * Asks a pooler nothing about itself, but does what would fail. Statements of the same name, prepared by consoles of
 * another version, would be another statement: so it is known before any is used.
 *
 * @param connect  makes another one
 * @throws {StorageUnavailableError} when the database cannot be reached
 */
export async function hasPreparedStatements(
  client: pg.Client,
  connect: () => Promise<pg.Client>,
): Promise<boolean> {
  const first = await pidOf(client);
  if (first === (client as unknown as { readonly processID: number | null }).processID) return true;
  const name = `way_${randomBytes(9).toString('hex')}`;
  const ask = async () =>
    (await client.query<{ pid: number }>({ name, text: pidText, values: [] })).rows[0]!.pid;
  const beside: pg.Client[] = [];
  const over = new AbortController();
  const tried = async () => {
    const prepared = await ask();
    for (let n = 0; n < mostBeside; n++) {
      const other = await connect();
      beside.push(other);
      if (over.signal.aborted) throw new Error('it took too long');
      await other.query('begin');
      if ((await pidOf(other)) === prepared) break;
    }
    await ask();
    return true;
  };
  try {
    const inVain = pause(patienceMs, false, { signal: over.signal, ref: false }).catch(() => false);
    return await Promise.race([tried(), inVain]);
  } catch (error) {
    if (isNameLost(error)) return false;
    throw error;
  } finally {
    over.abort();
    await Promise.all(beside.map((other) => other.end().catch(() => {})));
  }
}

/**
 * A pooler may leave out what a connection is opened with: then tables would be made where nobody looks for them.
 *
 * @throws {StorageRejectedError}
 */
export async function rejectOtherSchema(client: pg.Client, schema: string | undefined): Promise<void> {
  if (schema === undefined) return;
  const { rows } = await client.query<{ name: string | null }>('select current_schema() as name');
  if (rows[0]!.name === null || rows[0]!.name === schema) return;
  throw new StorageRejectedError(
    'foreign',
    `The pooler at CONSOLE_DATABASE_URL leaves out the schema: its connections are in ${JSON.stringify(rows[0]!.name)}. ` +
      `Give the user that schema in the database (alter role … set search_path = ${schema}).`,
  );
}

async function pidOf(client: pg.Client): Promise<number> {
  return (await client.query<{ pid: number }>(pidText)).rows[0]!.pid;
}
