/**
 * Users and clients: what grows with an installation. Found by what they are looked up by, a page at a time, and
 * changed one by one; nothing here gives all of them at once.
 */

import { mapWithPauses } from '../../platform/async/pauses.ts';
import type { Artifact, ArtifactName } from './artifact.ts';
import type { ClientRecord, ProviderRecord, RoleRecord, UserRecord } from './records.ts';

export interface GrowingRecords {
  users: UserRecord;
  clients: ClientRecord;
}

export type GrowingCollection = keyof GrowingRecords;
export const growingCollections = ['users', 'clients'] as const;

/** What can be asked of the newest durable state. */
export interface RecordReads {
  get<C extends GrowingCollection>(collection: C, id: string): Promise<GrowingRecords[C] | undefined>;
  /** @param username  in any case and any of its Unicode forms */
  userByName(username: string): Promise<UserRecord | undefined>;
  /** The account that this person of an upstream provider has here. */
  userByLink(provider: string, subject: string): Promise<UserRecord | undefined>;
  /** Whether a user has this name, or a client this id, or one that looks like it. */
  isNameTaken(name: string): Promise<boolean>;
  hasUsers(): Promise<boolean>;
}

/** What an account may hang on that is in the registry. */
export interface RegisteredRecords {
  providers: ProviderRecord;
  roles: RoleRecord;
}

export type RegisteredCollection = keyof RegisteredRecords;

/** Reads and writes of one change; sees its own writes by id. */
export interface RecordTransaction extends RecordReads {
  /** A record of the registry: the change is made only while it still is that one. */
  registered<C extends RegisteredCollection>(
    collection: C,
    id: string,
  ): Promise<RegisteredRecords[C] | undefined>;
  /** Creates or replaces. */
  put<C extends GrowingCollection>(collection: C, record: GrowingRecords[C]): void;
  /** Idempotent. */
  remove(collection: GrowingCollection, id: string): void;
  /** Written by the same commit. */
  putArtifact(name: ArtifactName, artifact: Omit<Artifact, 'consumedAt'>): void;
}

/** A page of a list; they are in the order of what they are listed by. */
export interface Page<R> {
  readonly records: readonly R[];
  /** Give it back as `after` for the next page, with the same filter; absent: this was the last one. */
  readonly next?: string;
}

export interface PageRequest {
  /** At most 500. */
  readonly limit: number;
  readonly after?: string | undefined;
  /** Of so many records at most it is seen whether they are wanted; a page may be short, or empty, for that. */
  readonly mostRead?: number | undefined;
}

/** An invited user has no password yet. */
export type UserStatus = 'active' | 'invited' | 'disabled';

/** Which users: those to whom all of this applies. */
export interface UserFilter {
  /** Those who have this role. */
  readonly role?: string | undefined;
  /** Those who may take this role for a while. */
  readonly eligibleRole?: string | undefined;
  /** Those who come from this upstream provider. */
  readonly provider?: string | undefined;
  /** Those whose folded name or e-mail address begins so. */
  readonly beginning?: string | undefined;
  readonly status?: UserStatus | undefined;
}

/** Of users; of clients too. */
export interface UserOrder {
  /** Of users only without a filter, of clients only without `beginning`. */
  readonly isReversed?: boolean | undefined;
}

/** What users are counted by; by one of these at most. */
export type UserCount = Pick<UserFilter, 'role' | 'provider' | 'status'>;

/** Disabled clients that are looked at one by one for a count of one kind: some 10 ms. */
export const mostCompared = 5_000;

export type ClientKind = 'machine' | 'application';
export type ClientStatus = 'active' | 'disabled';

/** Which clients: those to whom all of this applies. */
export interface ClientFilter {
  /** Those whose users get this role at most: it stands in `maxRoles`. */
  readonly ceilingRole?: string | undefined;
  /** Those whose folded id, or a word of whose name, begins so. */
  readonly beginning?: string | undefined;
  readonly kind?: ClientKind | undefined;
  readonly status?: ClientStatus | undefined;
  /** Those who may ask for this scope. */
  readonly scope?: string | undefined;
}

/** What clients are counted by. */
export type ClientCount = Pick<ClientFilter, 'kind' | 'status'>;

/** A record that is not any more what it was. */
export type RecordChange = {
  readonly [C in GrowingCollection]: {
    readonly collection: C;
    readonly id: string;
    /** As it is now; absent: it is gone. */
    readonly record?: GrowingRecords[C] | undefined;
  };
}[GrowingCollection];

export interface RecordStore extends RecordReads {
  /** Those that there are, by id, in one way to the store where a way costs. */
  getMany<C extends GrowingCollection>(
    collection: C,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, GrowingRecords[C]>>;
  /**
   * By folded name; with `beginning`, first by name, then by e-mail address; by id where the index of `role`, `provider`
   * or `status` leads: see console/storage/user-lists.ts.
   */
  users(page: PageRequest & UserFilter & UserOrder): Promise<Page<UserRecord>>;
  /** By id; with `beginning`, first by folded id, then by words of names, and not the other way round. */
  clients(page: PageRequest & ClientFilter & UserOrder): Promise<Page<ClientRecord>>;
  /** Kept with each change, so it costs the same however many there are. */
  count(collection: 'users', filter?: UserCount): Promise<number>;
  count(collection: 'clients'): Promise<number>;
  /**
   * By the index entries of kind and status.
   *
   * @returns undefined while clients of an earlier release lack such an entry, and where both are asked of more than
   *   {@link mostCompared} that are disabled
   */
  countClients(filter: ClientCount): Promise<number | undefined>;
  /** Not while records of an earlier release are still being counted by this: until then it is not the whole truth. */
  isCounted(filter: UserCount): Promise<boolean>;
  /** Whether an enabled client has a redirect address of this origin. */
  isRedirectOrigin(origin: string): Promise<boolean>;
  /** Whether somebody could administer the console without this provider's accounts; without it named, at all. */
  hasAdministrator(withoutProvider?: string): Promise<boolean>;
  /**
   * Runs `work`, and makes what it wrote durable in one commit if everything that it read still is so; else runs it
   * again on the newest state. When `work` throws, nothing has changed. It must have no effects of its own.
   *
   * @throws {StorageUnavailableError} when the change could not be made durable
   * @throws {LastAdministratorError} when nobody could administer the console any more, and somebody could before
   * @throws {DuplicateRecordError} when a user was put whose name or link another one has; `work` asks for them first
   */
  change<T>(work: (transaction: RecordTransaction) => Promise<T>): Promise<T>;
  /**
   * Tells of each record that is changed, by other processes too, in the order of the commits; of a change made here
   * before {@link RecordStore.change} resolves.
   *
   * @returns a function that ends the subscription
   */
  onChange(listener: (changes: readonly RecordChange[]) => void): () => void;
}

/** The change would leave nobody who can administer the console. */
export class LastAdministratorError extends Error {
  override readonly name = 'LastAdministratorError';
}

/** Two users would have the same folded name, or stand for the same person of a provider. */
export class DuplicateRecordError extends Error {
  override readonly name = 'DuplicateRecordError';
  readonly what: 'name' | 'link';

  constructor(what: 'name' | 'link') {
    super(`another user has this ${what}`);
    this.what = what;
  }
}

/** {@link RecordStore.getMany} of a store in which a look at each costs next to nothing. */
export function getOneByOne({ get }: Pick<RecordStore, 'get'>): Pick<RecordStore, 'getMany'> {
  return {
    async getMany(collection, ids) {
      const found = await mapWithPauses(ids, async (id) => [id, await get(collection, id)] as const);
      return new Map(found.flatMap(([id, record]) => (record ? [[id, record] as const] : [])));
    },
  };
}
