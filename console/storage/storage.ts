/**
 * The storage contract. Two stores with different habits stand behind it:
 * the registry (what an administrator changes: small, read on every request, written rarely)
 * and the artifacts (what each sign-in changes: many, short-lived, written durably one by one).
 * Nothing outside this folder knows which implementation runs.
 */
import type {
  AnnouncedKind,
  Artifact,
  ArtifactKind,
  ArtifactName,
  BoundArtifact,
  ListedArtifact,
} from './artifact.ts';
import { type DiskState, diskStateOf } from './disk-state.ts';
import type { RecordEngine } from './record-engine.ts';
import type { RecordLoader } from './record-loader.ts';
import type { RecordStore } from './record-store.ts';
import type { Collection, RegistryRecords } from './records.ts';
import type { DatabaseState, DatabaseWatch, Duty, SharedCounts } from './shared-store.ts';

export type {
  AnnouncedKind,
  Artifact,
  ArtifactKind,
  ArtifactName,
  BoundArtifact,
  BoundSession,
  ListedArtifact,
  NamedArtifact,
} from './artifact.ts';

/** Reads and writes inside one registry transaction; sees its own writes. */
export interface RegistryTransaction {
  get<C extends Collection>(collection: C, id: string): RegistryRecords[C] | undefined;
  all<C extends Collection>(collection: C): ReadonlyMap<string, RegistryRecords[C]>;
  put<C extends Collection>(collection: C, record: RegistryRecords[C]): void;
  /** @returns whether there was such a record */
  remove(collection: Collection, id: string): boolean;
}

export interface Registry {
  /** From memory: hot paths call this. Records are frozen. */
  get<C extends Collection>(collection: C, id: string): RegistryRecords[C] | undefined;
  /** From memory; the map is replaced, never changed in place, when the collection changes. */
  all<C extends Collection>(collection: C): ReadonlyMap<string, RegistryRecords[C]>;
  /**
   * Runs `change` on the newest state, alone among all processes, and makes its result durable.
   * When `change` throws, or the store cannot be written, nothing has changed, in memory either.
   *
   * @param guard  runs first, while no other change of the registry, or of who is an administrator, is under way;
   *   when it throws, nothing has changed
   * @throws {StorageUnavailableError} when the change could not be made durable
   */
  update<T>(change: (transaction: RegistryTransaction) => T, guard?: () => Promise<void>): Promise<T>;
  /**
   * Tells of changes, those of other processes too (within 1 s).
   *
   * @returns a function that ends the subscription
   */
  onChange(listener: (changed: ReadonlySet<Collection>) => void): () => void;
}

/** What one commit does: all of it, or nothing. */
export interface Exchange {
  /** Used up by this, as {@link ArtifactStore.consume} does. */
  readonly consume: ArtifactName;
  /** Nothing is done unless these are there. */
  readonly require?: readonly ArtifactName[];
  readonly put?: readonly (ArtifactName & { readonly artifact: Omit<Artifact, 'consumedAt'> })[];
  readonly remove?: readonly ArtifactName[];
}

/**
 * `won` for exactly one caller, among processes too; `used` when somebody was earlier; `absent` when what is
 * to be used up, or what is required, is not there any more.
 */
export type Exchanged = 'won' | 'used' | 'absent';

export interface ManyArtifacts {
  readonly names: readonly ArtifactName[];
  /** Of which whatever is there is asked for, the first of each by key. */
  readonly kinds?: readonly ArtifactKind[];
  readonly mostOfKind?: number;
}

/** As found. */
export interface ManyFound {
  /** In the order of the names. */
  readonly named: readonly (Artifact | undefined)[];
  /** In the order of the kinds. */
  readonly ofKinds: readonly (readonly Artifact[])[];
}

export interface Count {
  /** Attempts within the current window, this one included. */
  readonly count: number;
  /** Epoch seconds at which the window ends and the count starts again. */
  readonly resetsAt: number;
}

/** Exact up to a bound; else what was found within it, and there may be more. */
export interface BoundedCount {
  readonly value: number;
  readonly isExact: boolean;
}

/**
 * Sessions, grants, codes, tokens, counters. Ids are bearer secrets: the store keeps only their
 * SHA-256. Each promise that resolves is durable.
 */
export interface ArtifactStore {
  /** Creates or replaces. @throws {StorageUnavailableError} */
  put(kind: ArtifactKind, id: string, artifact: Omit<Artifact, 'consumedAt'>): Promise<void>;
  /** Consumed artifacts are found until they expire, so that reuse can be noticed. */
  get(kind: ArtifactKind, id: string): Promise<Artifact | undefined>;
  /** The same with what it is bound to, in one way to the store; left out where a way to the store costs next to nothing. */
  getBound?(kind: ArtifactKind, id: string): Promise<BoundArtifact | undefined>;
  /** Live ones, in one way to the store where a way costs. */
  readMany(asked: ManyArtifacts): Promise<ManyFound>;
  /** The newest artifact of that kind with this `uid`. */
  findByUid(kind: ArtifactKind, uid: string): Promise<ListedArtifact | undefined>;
  /**
   * The same of many, by their `uid`, with what will be asked of their accounts next, in one way to the store where a way costs.
   *
   * @param before  the keys of those that were found earlier: what is still there under such a key will do
   */
  findByUids(
    kind: ArtifactKind,
    uids: readonly string[],
    before?: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, ListedArtifact>>;
  /** Marks as used: `true` for exactly one caller, among processes too; `false` when used before or absent. */
  consume(kind: ArtifactKind, id: string): Promise<boolean>;
  /**
   * Uses an artifact up together with what replaces it, in one commit (S95): a store that cannot be written
   * burns nothing. Only `won` has changed anything.
   *
   * @throws {StorageUnavailableError} and nothing has changed
   */
  exchange(exchange: Exchange): Promise<Exchanged>;
  /** Idempotent. */
  remove(kind: ArtifactKind, id: string): Promise<void>;
  /** The same by the `key` of a listing. */
  removeByKey(kind: ArtifactKind, key: string): Promise<void>;
  /** Replaces the expiry, and the payload when one is given, of a listed artifact, if it is still there. */
  extend(
    kind: ArtifactKind,
    key: string,
    change: { readonly payload?: Artifact['payload']; readonly expiresAt: number },
  ): Promise<void>;
  /** Removes every artifact of `kinds` that carries this grant id, in one transaction. @returns how many */
  removeByGrant(grantId: string, kinds: readonly ArtifactKind[]): Promise<number>;
  /** The live artifact of this `key` of a listing. */
  findByKey(kind: ArtifactKind, key: string): Promise<ListedArtifact | undefined>;
  /** Live artifacts with this `uid`. */
  listByUid(kind: ArtifactKind, uid: string): Promise<ListedArtifact[]>;
  /** The same of many, by their `uid`, in one way to the store where a way costs. @returns none of a `uid` that nothing has */
  listByUids(
    kind: ArtifactKind,
    uids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly ListedArtifact[]>>;
  /** Live artifacts of one account, newest expiry last. @param limit  so many of them, whichever */
  listByAccount(kind: ArtifactKind, accountId: string, limit?: number): Promise<ListedArtifact[]>;
  /** The same by key, at most `limit`. @param after  the key of the last one of the page before */
  pageByAccount(
    kind: ArtifactKind,
    accountId: string,
    limit: number,
    after?: string,
  ): Promise<ListedArtifact[]>;
  /** Live artifacts of a kind, at most `limit`, by key. @param after  the key of the last one of the page before */
  list(kind: ArtifactKind, limit: number, after?: string): Promise<ListedArtifact[]>;
  /**
   * How many live artifacts of the kind `Session` belong to an account; those that have expired do not count, swept or
   * not.
   *
   * @param most       more are not counted
   * @param accountId  absent: whichever
   */
  countSessions(most: number, accountId?: string): Promise<BoundedCount>;
  /**
   * Adds one to a counter that starts again `windowSeconds` after its first count. Atomic among processes.
   */
  count(kind: ArtifactKind, id: string, windowSeconds: number): Promise<Count>;
  /** Takes back one earlier `count`, never below zero. */
  uncount(kind: ArtifactKind, id: string): Promise<void>;
  /** Deletes what has expired, in short batches. @returns how many */
  sweep(): Promise<number>;
  /**
   * Tells of each artifact that is put under one of the {@link announcedKinds}, by other processes too; of one that
   * is put here before the put resolves. When a put resolves anywhere, all processes have been told.
   *
   * @returns a function that ends the subscription
   */
  onPut(kind: AnnouncedKind, listener: (artifact: Omit<Artifact, 'consumedAt'>) => void): () => void;
}

/** What a store that is whole has none of, but for records. */
export interface StoreCheck {
  readonly records: number;
  /** Their sum does not fit: they are not what was stored. */
  readonly damaged: number;
  /** Ways to a record that are missing: it is not found by them. */
  readonly unindexed: number;
  /** Ways that lead to no record, or to one that they do not belong to: they are passed over. */
  readonly stray: number;
  /** Counts that are not what is there. */
  readonly miscounted: number;
  /** Some of them, for an operator. */
  readonly named: readonly string[];
}

export interface DamageCount {
  readonly damaged: number;
  /** Epoch milliseconds. */
  readonly endedAt: number;
}

/** What `whileLeading` of console/storage/engine/while-leading.ts goes by. */
export interface Leadership {
  /** Which time of leading it is, of whoever leads; undefined: not this process. Known here, without the store. */
  term(): number | undefined;
  /** Of this process: with a term it is a `HeldTerm` of console/storage/shared-store.ts. */
  readonly holder: string;
  /** A duty of whoever leads has been done once more. */
  ran(duty: Duty): void;
  /**
   * The store as one who leads writes it: each write is made in that term alone, however late it comes. Whoever has
   * stopped meanwhile, and goes on while another one leads, changes nothing.
   *
   * @returns its writes throw {@link LeadershipLostError} when the term is over, and nothing has changed; its
   *   `leadership` knows of no other term
   */
  inTerm(term: number): Storage;
}

export interface Storage {
  readonly registry: Registry;
  readonly artifacts: ArtifactStore;
  readonly records: RecordStore & RecordEngine;
  readonly loader: RecordLoader;
  /** Who of all that share the store does what is to be done once; absent: this process always does. */
  readonly leadership?: Leadership;
  /** Absent: what this process, or its owner, knows is all there is. */
  readonly counts?: SharedCounts;
  /** Resolves when a write would succeed. @throws {StorageUnavailableError} */
  checkWritable(): Promise<void>;
  /**
   * Tells of each write of this process that fails for the disk's sake. Left out where another process writes.
   *
   * @returns a function that ends the subscription
   */
  onWriteFailure?(listener: (error: StorageUnavailableError) => void): () => void;
  /**
   * Looks at every record once, in no hurry.
   *
   * @returns how many are not what was stored: reading one throws
   */
  countDamaged(signal?: AbortSignal): Promise<number>;
  /** The last time that came to its end, in whatever run; undefined: there was none. */
  lastDamageCount(): DamageCount | undefined;
  /**
   * Writes the ways to records that a release before this one did not know, in no hurry; once for a store.
   *
   * @returns how many records lacked one
   * @throws {StorageUnavailableError}
   */
  fillIndexes(signal?: AbortSignal): Promise<number>;
  /** Looks at every record, and at each way to one from both its ends. */
  check(): Promise<StoreCheck>;
  /** Left out by a store without a database. @throws {StorageUnavailableError} */
  database?(): Promise<DatabaseState>;
  /**
   * Of the database, epoch milliseconds, without a question to it: what lies there ends by it. The same.
   */
  clock?(): number;
  /** What this process knows of its database, without a question to it. The same. */
  watch?(): DatabaseWatch;
  /**
   * Writes a consistent copy of everything into `directory`, which must not exist yet.
   *
   * @throws {ProblemError} `conflict` where a database has tools of its own for that
   */
  backup(directory: string): Promise<void>;
  /**
   * Writes everything as the release before had it into `directory`, which must not exist yet.
   *
   * @throws {ProblemError} `conflict` when there is too much for that release, or it knows no such store
   */
  downgrade(directory: string): Promise<void>;
  /** Flushes and releases every lock. */
  close(): Promise<void>;
}

/** The store cannot be written now (disk full, read-only, I/O error): answered as 503 `storage_unavailable`. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
  /** What keeps the disk from it, where the system says so. */
  readonly state: DiskState | undefined;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.state = diskStateOf(options?.cause);
  }
}

/** Another process does by now what is to be done once: nothing has changed. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';

  constructor() {
    super('this console does not lead any more');
  }
}

/**
 * The store must not be opened: corrupt, newer, locked by another process, of somebody else, half-migrated, at the end of a way
 * that nothing vouches for; or it cannot be, since
 * the disk takes no writes, and is as it was.
 */
export class StorageRejectedError extends Error {
  override readonly name = 'StorageRejectedError';
  readonly reason: 'corrupt' | 'newer' | 'locked' | 'foreign' | 'untrusted' | 'half_migrated' | DiskState;

  /** Whether other settings would help. */
  get isOfSettings(): boolean {
    return this.reason === 'foreign' || this.reason === 'untrusted';
  }

  /** @param message  what is wrong and what to do, for the operator who reads the terminal */
  constructor(reason: StorageRejectedError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
