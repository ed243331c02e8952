/** What a store has that several consoles share, beside what every store has: what they decide as one, and its database. */

/** Whose time of leading it is, and which: what is written elsewhere than by the store is written in it alone too. */
export interface HeldTerm {
  readonly holder: string;
  readonly term: number;
}

/** How failures are slowed down: the first ones are free, each further one waits longer, in one queue. */
export interface Pace {
  /** After so many milliseconds one failure less counts. */
  readonly forgivenMs: number;
  /** At least one. */
  readonly free: number;
  /** Milliseconds of the first one that is not free. */
  readonly firstMs: number;
  readonly growth: number;
  readonly longestMs: number;
  /** So many wait at the same time. */
  readonly mostHeld: number;
}

/**
 * What all processes that share the store decide as one, on calls of which most leave nothing else there: each in one
 * statement, by the clock of the database. Its last second may be lost with a crash of the database.
 */
export interface SharedCounts {
  /**
   * @param seconds  how long it is remembered
   * @returns whether this is the first time: true for exactly one caller
   * @throws {StorageUnavailableError}
   */
  once(kind: string, id: string, seconds: number): Promise<boolean>;
  /** The next time is the first one. @throws {StorageUnavailableError} */
  forget(kind: string, id: string): Promise<void>;
  /**
   * Counts a failure.
   *
   * @returns milliseconds until it may be told; undefined: too many wait already
   * @throws {StorageUnavailableError}
   */
  hold(kind: string, id: string, pace: Pace): Promise<number | undefined>;
}

/** What one process does for all in rounds. */
export type Duty = 'keys' | 'expiry' | 'configuration' | 'audit_retention' | 'provider_metadata';

/** What a process knows of its database without asking it. */
export interface DatabaseWatch {
  readonly connections: DatabaseState['connections'];
  /** Work that was in vain since the start, and what was tried once more. */
  readonly failures: number;
  readonly retries: number;
  /** Its clock against ours, as the lease was asked for last. */
  readonly aheadMs: number;
  /** Whether it tells of changes at once; else they are looked for twice a second. */
  readonly isListening: boolean;
  /** Milliseconds since all that others had changed was known here. */
  readonly changesAgeMs: number;
  /** In which this process leads; undefined: another one does. */
  readonly term: number | undefined;
  /** When each duty was done here last, epoch milliseconds. */
  readonly runs: ReadonlyMap<Duty, number>;
}

/** Of a database that several consoles share. */
export interface DatabaseState {
  readonly version: string;
  /** As PostgreSQL counts: 15.8 is 150008. */
  readonly versionNumber: number;
  /** Of our tables. */
  readonly form: number;
  /** Whether it would see that its disk gives back other pages than it was given. */
  readonly hasChecksums: boolean;
  /** Of a statement that does nothing, there and back: the median of some. */
  readonly latencyMs: number;
  /** Its clock against ours. */
  readonly aheadMs: number;
  readonly replicas: number;
  /** Of the one that is behind most; null: there is none, or it is not for us to know. */
  readonly lagMs: number | null;
  /** The largest first, with their indexes. */
  readonly tables: readonly { readonly name: string; readonly bytes: number; readonly rows: number }[];
  /** Of this process. */
  readonly connections: {
    readonly open: number;
    readonly idle: number;
    readonly waiting: number;
    readonly most: number;
  };
}
