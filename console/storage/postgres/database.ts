/** Connections to the database: a pool with bounds on time, transactions, and statements that are prepared once. */
import pg from 'pg';
import { StorageUnavailableError } from '../storage.ts';
import type { DatabaseAddress } from './address.ts';
import { createConnectionQueue } from './connection-queue.ts';
import { asStorageError, isConflict, isConnectTimeout, isOfConnection } from './database-errors.ts';

/** Prepared by each connection at its first use, under its name. */
export interface Statement {
  /** Without one it is planned each time, by what it is asked with. */
  readonly name: string;
  readonly text: string;
}

export interface Answer<Row> {
  readonly rows: readonly Row[];
  /** Rows that were written, or read. */
  readonly rowCount: number;
}

export interface Queries {
  /** @throws {StorageUnavailableError} nothing has changed, or it is not known */
  run<Row = never>(statement: Statement, values?: readonly unknown[]): Promise<Answer<Row>>;
}

export interface Database extends Queries {
  /**
   * All of `work` or nothing. What meets another transaction is run again, so it has no effects of its own.
   *
   * @throws {StorageUnavailableError} nothing has changed; or, when the connection was lost during the commit, it is
   *   not known
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** A connection beside the pool, which waits as long as it is asked to. */
  connectAlone(): Promise<pg.Client>;
  /** @returns a function that ends the subscription */
  onFailure(listener: (error: StorageUnavailableError) => void): () => void;
  close(): Promise<void>;
}

export interface DatabaseDeps {
  readonly address: DatabaseAddress;
  /** Of connections that end while nobody uses them. */
  readonly onConnectionLost: (error: Error) => void;
  /** At the same time. */
  readonly connections?: number;
}

const mostConnections = 10;
const connectMs = 1_000;
const mostConnects = 2;
const mostConnectsAlone = 5;
const queryMs = 2_000;
/** For a connection that is in use. */
const waitMs = 5_000;
const idleInTransactionMs = 5_000;
/** Of work that met another transaction. */
const mostAttempts = 10;

const int8 = 20;
const parsers = pg.types;

/** Sums and counts are far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8 ? Number : parsers.getTypeParser(oid, format)) as typeof parsers.getTypeParser,
};

const begin = statement('begin', 'begin');
const commit = statement('commit', 'commit');
const rollback = statement('rollback', 'rollback');

export function statement(name: string, text: string): Statement {
  return { name, text };
}

export function createDatabase({
  address,
  onConnectionLost,
  connections = mostConnections,
}: DatabaseDeps): Database {
  const queue = createConnectionQueue(connections, waitMs);
  const failures = new Set<(error: StorageUnavailableError) => void>();
  const common = { ...address, types, keepAlive: true, application_name: 'cluster-console' };
  const pool = new pg.Pool({
    ...common,
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    statement_timeout: queryMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  });
  // Unhandled, either would end the process: of a connection that nobody uses, and of one that somebody does.
  pool.on('error', onConnectionLost);
  pool.on('connect', (client) => void client.on('error', () => {}));

  /** A process that was busy for that long finds the time over, and the answer there: it asks again. */
  async function connection(): Promise<pg.PoolClient> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await pool.connect();
      } catch (error) {
        if (!isConnectTimeout(error) || attempt === mostConnects) throw error;
      }
    }
  }

  async function attempts<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let client: pg.PoolClient | undefined;
      try {
        client = await connection();
        const result = await work(queriesOf(client));
        client.release();
        return result;
      } catch (error) {
        client?.release(isOfConnection(error));
        if (isConflict(error) && attempt < mostAttempts) continue;
        throw asStorageError(error);
      }
    }
  }

  async function withConnection<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    try {
      return await queue.run(() => attempts(work));
    } catch (error) {
      throw reported(error);
    }
  }

  function reported(error: unknown): unknown {
    if (error instanceof StorageUnavailableError) for (const listener of failures) listener(error);
    return error;
  }

  return {
    run: (prepared, values) => withConnection((queries) => queries.run(prepared, values)),
    transaction: (work) => withConnection((queries) => inTransaction(queries, work)),
    async connectAlone() {
      for (let attempt = 1; ; attempt++) {
        const client = new pg.Client({ ...common, connectionTimeoutMillis: connectMs });
        client.on('error', () => {});
        try {
          await client.connect();
          return client;
        } catch (error) {
          // As above; nobody waits for an answer meanwhile.
          if (!isConnectTimeout(error) || attempt === mostConnectsAlone) throw asStorageError(error);
        }
      }
    },
    onFailure(listener) {
      failures.add(listener);
      return () => failures.delete(listener);
    },
    close: () => pool.end(),
  };
}

function queriesOf(client: pg.ClientBase): Queries {
  return {
    async run<Row>({ name, text }: Statement, values: readonly unknown[] = []) {
      const { rows, rowCount } = await client.query({ name, text, values: [...values] });
      return { rows: rows as Row[], rowCount: rowCount ?? 0 };
    },
  };
}

async function inTransaction<T>(queries: Queries, work: (queries: Queries) => Promise<T>): Promise<T> {
  await queries.run(begin);
  let result: T;
  try {
    result = await work(queries);
  } catch (error) {
    // A connection that is lost has ended its transaction.
    if (!isOfConnection(error)) await queries.run(rollback);
    throw error;
  }
  await queries.run(commit).catch((cause: unknown) => {
    if (!isOfConnection(cause)) throw cause;
    throw new StorageUnavailableError(
      'the connection was lost during a commit: whether it was done is not known',
      {
        cause,
      },
    );
  });
  return result;
}
