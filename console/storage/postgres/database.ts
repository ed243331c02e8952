/** Connections to the database: a pool with bounds on time, transactions, and statements that are prepared once. */
import pg from 'pg';
import type { DatabaseState, DatabaseWatch } from '../shared-store.ts';
import { StorageUnavailableError } from '../storage.ts';
import type { DatabaseAddress } from './address.ts';
import { createConnectionQueue } from './connection-queue.ts';
import {
  asStorageError,
  isConflict,
  isConnectTimeout,
  isNameLost,
  isOfConnection,
} from './database-errors.ts';
import { hasPreparedStatements } from './pooler.ts';

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
  /** The same, at the database itself, where there is another way to it than that of everything else. */
  connectToListen(): Promise<pg.Client>;
  /** Of a connection beside the pool, without a bound on time. */
  queriesAlone(client: pg.Client): Queries;
  /** Finds out by a connection that is there already whether statements can be prepared; else the first one that is asked does. */
  explore(client: pg.Client): Promise<void>;
  /** Of the pool, and who waits for one. */
  connections(): DatabaseState['connections'];
  /** Work that was in vain since the start, and what was tried once more. */
  counts(): Pick<DatabaseWatch, 'failures' | 'retries'>;
  /** @returns a function that ends the subscription */
  onFailure(listener: (error: StorageUnavailableError) => void): () => void;
  close(): Promise<void>;
}

export interface DatabaseDeps {
  readonly address: DatabaseAddress;
  /** Of the database itself, where `address` is that of a pooler. */
  readonly listenAddress?: DatabaseAddress;
  /** Of connections that end while nobody uses them. */
  readonly onConnectionLost: (error: Error) => void;
  /** What was prepared is not there any more: a pooler that knows no names is in between, and from now on none are used. */
  readonly onNamesLost?: () => void;
  /** At the same time. */
  readonly connections?: number;
}

const mostConnections = 10;
const connectMs = 1_000;
const mostConnects = 3;
/** Of one beside the pool, which a start has: it is busy, and so are those that start beside it. */
const mostConnectsAlone = 10;
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

/**
 * Of many rows at once: to plan it each time costs little beside what it does, and what was planned for an empty table reads
 * all of one that has grown since.
 */
export function bulkStatement(text: string): Statement {
  return { name: '', text };
}

export function createDatabase({
  address,
  listenAddress = address,
  onConnectionLost,
  onNamesLost = () => {},
  connections = mostConnections,
}: DatabaseDeps): Database {
  const queue = createConnectionQueue(connections, waitMs);
  const failures = new Set<(error: StorageUnavailableError) => void>();
  const counted = { failures: 0, retries: 0 };
  const common = { types, keepAlive: true, application_name: 'cluster-console' };
  let hasNames = true;
  let isExplored = false;
  let exploring: Promise<void> | undefined;
  const pool = new pg.Pool({
    ...address,
    ...common,
    max: connections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: queryMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  });
  // Unhandled, either would end the process: of a connection that nobody uses, and of one that somebody does.
  pool.on('error', onConnectionLost);
  pool.on('connect', (client) => void client.on('error', () => {}));

  /** A process that was busy for that long finds the time over, and the answer there: it asks again. */
  async function connected<C>(connect: () => Promise<C>, mostAttempts: number): Promise<C> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await connect();
      } catch (error) {
        if (!isConnectTimeout(error) || attempt === mostAttempts) throw error;
        counted.retries++;
      }
    }
  }

  async function attempts<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      let client: pg.PoolClient | undefined;
      try {
        if (!isExplored) await explored();
        client = await connected(() => pool.connect(), mostConnects);
        const result = await work(queriesOf(client, queryMs, hasNames));
        client.release();
        return result;
      } catch (error) {
        client?.release(isOfConnection(error) || isNameLost(error));
        if (isNameLost(error) && attempt < mostAttempts) loseNames();
        else if (!isConflict(error) || attempt === mostAttempts) throw asStorageError(error);
        counted.retries++;
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

  function loseNames(): void {
    if (hasNames) onNamesLost();
    hasNames = false;
  }

  function explored(given?: pg.Client): Promise<void> {
    exploring ??= explore(given).finally(() => {
      exploring = undefined;
    });
    return exploring;
  }

  async function explore(given?: pg.Client): Promise<void> {
    const client = given ?? (await connectTo(address));
    try {
      if (!(await hasPreparedStatements(client, () => connectTo(address)))) loseNames();
      isExplored = true;
    } finally {
      if (!given) await client.end().catch(() => {});
    }
  }

  async function connectTo(to: DatabaseAddress): Promise<pg.Client> {
    const connect = async () => {
      const client = new pg.Client({ ...to, ...common, connectionTimeoutMillis: connectMs });
      client.on('error', () => {});
      await client.connect();
      return client;
    };
    return connected(connect, mostConnectsAlone).catch((error) => {
      throw asStorageError(error);
    });
  }

  function reported(error: unknown): unknown {
    if (!(error instanceof StorageUnavailableError)) return error;
    counted.failures++;
    for (const listener of failures) listener(error);
    return error;
  }

  return {
    run: (prepared, values) => withConnection((queries) => queries.run(prepared, values)),
    transaction: (work) => withConnection((queries) => inTransaction(queries, work)),
    connectAlone: () => connectTo(address),
    connectToListen: () => connectTo(listenAddress),
    queriesAlone: (client) => ({
      async run(prepared, values) {
        if (!isExplored) await explored();
        return queriesOf(client, Number.POSITIVE_INFINITY, hasNames).run(prepared, values);
      },
    }),
    explore: explored,
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: queue.waiting(),
      most: connections,
    }),
    counts: () => ({ ...counted }),
    onFailure(listener) {
      failures.add(listener);
      return () => failures.delete(listener);
    },
    close: () => pool.end(),
  };
}

/**
 * Of one connection, for what is asked one after the other.
 *
 * @param boundMs   within which each has to be answered; infinite for what takes as long as it does
 * @param hasNames  whether it is the same one from one statement to the next, and has what was prepared on it
 */
export function queriesOf(client: pg.ClientBase, boundMs = queryMs, hasNames = true): Queries {
  return {
    async run<Row>({ name, text }: Statement, values: readonly unknown[] = []) {
      const asked = { name: hasNames ? name : '', text, values: [...values] };
      const { rows, rowCount } = await inTime(client.query(asked), boundMs);
      return { rows: rows as Row[], rowCount: rowCount ?? 0 };
    },
  };
}

/**
 * The driver's own bound calls it over although the answer is there, when this process was busy for as long: what has
 * come is read first here.
 */
function inTime<T>(answer: Promise<T>, boundMs: number): Promise<T> {
  if (boundMs === Number.POSITIVE_INFINITY) return answer;
  return new Promise((resolve, reject) => {
    const overdue = () => reject(new Error('Query read timeout'));
    const timer = setTimeout(() => setImmediate(() => setImmediate(overdue)), boundMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** All of `work` or nothing. @param queries  of one connection */
export async function inTransaction<T>(queries: Queries, work: (queries: Queries) => Promise<T>): Promise<T> {
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
