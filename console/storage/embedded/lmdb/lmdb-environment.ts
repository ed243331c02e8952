/**
 * The LMDB environment of a data directory. Its writer mutex is also the directory's write lock:
 * the kernel frees it when its process dies, so no lock can be left behind.
 */
import { type Database, open, type RootDatabase } from 'lmdb';
import { lastPart } from '../../engine/key-parts.ts';
import { StorageUnavailableError } from '../../storage.ts';
import { decodeRecord, encodeRecord, wholeRecord } from './record-codec.ts';
import { createWriteGate, type WriteGate } from './write-gate.ts';

export interface Environment {
  readonly directory: string;
  /** @param name  one of at most 24 named databases; values are JSON */
  database<V>(name: string): LmdbDatabase<V>;
  /**
   * The same for records with a sum: what is damaged is never given. `get` throws a {@link DamagedRecordError}, and
   * `under` leaves the record out.
   */
  records<V>(name: string): LmdbDatabase<V>;
  /** Those records as they lie there, damaged ones too. */
  bytes(name: string): LmdbDatabase<Buffer>;
  /**
   * Runs `work` alone among all processes. Resolves when what it wrote is on the disk; when it
   * throws, nothing is written. `work` must be synchronous: others wait meanwhile.
   *
   * @throws {StorageUnavailableError} when the commit failed
   */
  write<T>(work: () => T): Promise<T>;
  /** Tells of each commit that fails. @returns a function that ends the subscription */
  onWriteFailure(listener: (error: StorageUnavailableError) => void): () => void;
  /** Runs `work` on the newest committed state, other processes' commits included. */
  read<T>(work: () => T): T;
  /**
   * Runs `work` when the commits that have begun are over, and lets no other begin before it has ended: another process
   * may open the environment meanwhile.
   */
  withoutWrites<T>(work: () => Promise<T>): Promise<T>;
  /** Frees the places of readers whose process has ended: what they read could not be written over. */
  dropDeadReaders(): void;
  /** Empties databases, in one commit. */
  clear(names: readonly string[]): Promise<void>;
  /** Copies a snapshot, without free pages, into `directory`, which must be there and empty. */
  copyTo(directory: string): Promise<void>;
  close(): Promise<void>;
}

/** A key: its parts sort one after the other; text must not contain NUL. */
export type LmdbKey = readonly (string | number)[];

export interface LmdbDatabase<V> {
  get(key: LmdbKey): V | undefined;
  /** Also of what is damaged. */
  has(key: LmdbKey): boolean;
  /** Only inside {@link Environment.write}. */
  put(key: LmdbKey, value: V): void;
  /** Only inside {@link Environment.write}. */
  remove(key: LmdbKey): void;
  /** Entries whose key starts with `prefix`, in order, read as they are asked for: copy before you write. */
  under(prefix: LmdbKey, options?: RangeLimits): Iterable<{ readonly key: LmdbKey; readonly value: V }>;
  /** Their keys alone, those of damaged ones too: half of what the entries cost. */
  keysUnder(prefix: LmdbKey, options?: RangeLimits): Iterable<LmdbKey>;
  /** How many of them there are, damaged ones too. @param most  more are not counted: `most` + 1 stands for them */
  countUnder(prefix: LmdbKey, most?: number): number;
  /** How many there are from a key, or from the first one, to another, both included, damaged ones too. */
  countFrom(first: LmdbKey | undefined, last: LmdbKey): number;
}

export interface RangeLimits {
  readonly limit?: number;
  /** So many are passed over first, for a fraction of what it costs to read them. */
  readonly offset?: number;
  readonly reverse?: boolean;
  /** Ends the range with keys that start so, instead of with those that start with the prefix. */
  readonly upTo?: LmdbKey;
  /** Begins the range with this key, instead of with the first that starts with the prefix. */
  readonly from?: LmdbKey;
}

interface Shared {
  readonly root: RootDatabase;
  readonly gate: WriteGate;
  readonly readerCheck: NodeJS.Timeout;
  /** By name and encoding: opening one waits for the writer, on the event loop. */
  readonly databases: Map<string, Database<never, (string | number)[]>>;
  readonly failureListeners: Set<(error: StorageUnavailableError) => void>;
  users: number;
}

/** Addresses, not memory: what is mapped once need not be mapped anew, with all readers ended, when it has grown. */
const mapBytes = 64 * 1024 ** 3;

/** A process that was killed while it read leaves a reader behind, whose pages nobody may use again. */
const readerCheckMs = 60_000;

/**
 * LMDB must not be opened twice by one process: a second handle would wait for the first one's write
 * on the very thread that has to finish it. The process owns the mapping, so the process shares it.
 */
const openEnvironments = new Map<string, Shared>();

/**
 * Opens the environment in `directory`.
 *
 * Each commit is followed by an fdatasync before it is reported (`overlappingSync: false`, which is
 * LMDB's own order: data pages, sync, meta page, sync); commits of one event-loop turn share it.
 *
 * @param directory  canonical path; holds `data.mdb` and `lock.mdb`
 * @param options    `isReader`: another process writes, in which this one may open it at the moment
 * @throws {Error} whatever LMDB says about a file that is none of its own
 */
export function openEnvironment(
  directory: string,
  { isReader = false }: { readonly isReader?: boolean } = {},
): Environment {
  const shared = openEnvironments.get(directory) ?? openShared(directory, isReader);
  shared.users++;
  openEnvironments.set(directory, shared);
  const { root, gate } = shared;

  return {
    directory,
    database: (name) => openDatabase(shared, name),
    records: (name) => openRecords(shared, name),
    bytes: (name) => openDatabase(shared, name, 'binary'),
    async write(work) {
      let thrown: { readonly error: unknown } | undefined;
      try {
        return await gate.pass(() =>
          root.childTransaction(() => {
            try {
              return work();
            } catch (error) {
              thrown = { error };
              throw error;
            }
          }),
        );
      } catch (error) {
        if (thrown && !isLmdbError(thrown.error)) throw thrown.error;
        const cause = await reasonFor(error);
        const failure = new StorageUnavailableError('the store cannot be written', { cause });
        for (const listener of shared.failureListeners) listener(failure);
        throw failure;
      }
    },
    onWriteFailure(listener) {
      shared.failureListeners.add(listener);
      return () => shared.failureListeners.delete(listener);
    },
    clear(names) {
      const databases = names.map((name) => root.openDB(name, { encoding: 'binary' }));
      return this.write(() => {
        for (const database of databases) database.clearSync();
      });
    },
    read(work) {
      root.resetReadTxn();
      return work();
    },
    withoutWrites: gate.close,
    dropDeadReaders: () => void root.readerCheck(),
    copyTo: (target) => root.backup(target, true),
    async close() {
      if (--shared.users > 0) return;
      openEnvironments.delete(directory);
      clearInterval(shared.readerCheck);
      await root.close();
    },
  };
}

function openShared(directory: string, isReader: boolean): Shared {
  const root = open({
    ...(isReader && { readOnly: true }),
    path: directory,
    noSubdir: false,
    overlappingSync: false,
    maxDbs: 24,
    mapSize: mapBytes,
    // Its batches leave a promise behind that nobody holds: a failed commit would end the process.
    eventTurnBatching: false,
    encoding: 'json',
  });
  const check = () => {
    if (!isReader) root.readerCheck();
  };
  check();
  const readerCheck = setInterval(check, readerCheckMs).unref();
  return {
    root,
    gate: createWriteGate(),
    readerCheck,
    databases: new Map(),
    failureListeners: new Set(),
    users: 0,
  };
}

function openRecords<V>(shared: Shared, name: string): LmdbDatabase<V> {
  const bytes = openDatabase<Buffer>(shared, name, 'binary');
  return {
    get(key) {
      const found = bytes.get(key);
      return found && decodeRecord<V>(key, found);
    },
    has: bytes.has,
    put: (key, value) => bytes.put(key, encodeRecord(key, value)),
    remove: bytes.remove,
    *under(prefix, options) {
      for (const { key, value } of bytes.under(prefix, options)) {
        const whole = wholeRecord<V>(key, value);
        if (whole !== undefined) yield { key, value: whole };
      }
    },
    keysUnder: bytes.keysUnder,
    countUnder: bytes.countUnder,
    countFrom: bytes.countFrom,
  };
}

function openDatabase<V>(
  { root, databases }: Shared,
  name: string,
  encoding: 'json' | 'binary' = 'json',
): LmdbDatabase<V> {
  const known = databases.get(`${name} ${encoding}`) as Database<V, (string | number)[]> | undefined;
  const database = known ?? root.openDB<V, (string | number)[]>(name, { encoding });
  databases.set(`${name} ${encoding}`, database as never);
  const plain = (key: LmdbKey) => key as (string | number)[];
  return {
    get: (key) => database.get(plain(key)),
    has: (key) => database.doesExist(plain(key)),
    put: (key, value) => void database.put(plain(key), value),
    remove: (key) => void database.remove(plain(key)),
    under: (prefix, limits) =>
      database
        .getRange(rangeOf(prefix, limits))
        .map(({ key, value }) => ({ key: wholeKey(key as (string | number)[]), value })),
    keysUnder: (prefix, limits) =>
      database.getKeys(rangeOf(prefix, limits)).map((key) => wholeKey(key as (string | number)[])),
    countUnder(prefix, most = Infinity) {
      const range = { start: plain(prefix), end: [...prefix, lastPart] };
      // Passing over costs a fraction of counting: it is done without a look at the keys.
      if (most !== Infinity) {
        for (const _ of database.getKeys({ ...range, offset: most, limit: 1 })) return most + 1;
      }
      return database.getKeysCount(range);
    },
    countFrom: (first, last) =>
      database.getKeysCount({ ...(first && { start: plain(first) }), end: [...last, lastPart] }),
  };
}

function rangeOf(
  prefix: LmdbKey,
  { limit, offset, reverse = false, upTo = prefix, from = prefix }: RangeLimits = {},
) {
  const [first, last] = [[...from], [...upTo, lastPart]];
  const range = reverse ? { start: last, end: first, reverse } : { start: first, end: last };
  return { ...range, ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) };
}

/** A key of one part is given without its list. */
function wholeKey(key: (string | number)[] | string | number): (string | number)[] {
  return Array.isArray(key) ? key : [key];
}

function isLmdbError(error: unknown): boolean {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number';
}

/** A failed commit carries its reason as one more promise, which must not stay unhandled. */
async function reasonFor(error: unknown): Promise<unknown> {
  const reason = (error as { commitError?: PromiseLike<unknown> }).commitError;
  if (!reason) return error;
  try {
    await reason;
    return error;
  } catch (cause) {
    return cause;
  }
}
