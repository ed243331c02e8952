/** A store as one engine gives it to another: what lies in it, page by page, and what takes that. */
import type { Artifact } from '../artifact.ts';
import type { ClientRecord, Collection, RegistryRecords, UserRecord } from '../records.ts';
import type { StoreCheck } from '../storage.ts';

/** In the order in which they are written. */
export const storeParts = ['users', 'clients', 'artifacts', 'registry'] as const;
export type StorePart = (typeof storeParts)[number];

export interface StoreItems {
  readonly users: UserRecord;
  readonly clients: ClientRecord;
  readonly artifacts: StoredArtifact;
  readonly registry: { readonly collection: Collection; readonly record: RegistryRecords[Collection] };
}

export interface StoredArtifact {
  readonly kind: string;
  /** As it is stored: the digest of its id. */
  readonly key: string;
  readonly artifact: Artifact;
  /** Among those with its `uid`: the newest has the highest. */
  readonly uidOrder: number;
}

export interface StorePage<P extends StorePart> {
  readonly items: readonly StoreItems[P][];
  /** Give it back as `after` for the next page; absent: this was the last one. */
  readonly next?: string;
}

/** A store as it lies there, expired and used-up artifacts included. Nobody else has it open. */
export interface StoreContents {
  /**
   * @param after  the place that a page before has named, of the same store
   * @throws {StorageRejectedError} `corrupt` where a record is not what was stored
   */
  page<P extends StorePart>(part: P, after: string | undefined): Promise<StorePage<P>>;
  /** About how many there are; 0: not known. */
  size(part: StorePart): Promise<number>;
  /** That nobody else has written meanwhile. @throws {StorageRejectedError} `locked` */
  confirmUnused(): Promise<void>;
  close(): Promise<void>;
}

export interface StorePlace {
  readonly part: StorePart;
  /** Of the source; absent: its beginning. */
  readonly after?: string;
}

/** A store that is being filled. Until {@link finish} no console starts on it. */
export interface StoreTarget extends StoreContents {
  /** How far an earlier run has come; undefined: this is the first one. */
  readonly place: StorePlace | undefined;
  /** All of it, and the place, in one commit. */
  write<P extends StorePart>(part: P, items: readonly StoreItems[P][], place: StorePlace): Promise<void>;
  check(): Promise<StoreCheck>;
  /** From now on it is a store as any other. */
  finish(): Promise<void>;
}
