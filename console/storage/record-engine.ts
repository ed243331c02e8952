/** What keeps users and clients, as changes ask it and hand it what they have decided: plain values. */
import { createHash } from 'node:crypto';
import type { Artifact, ArtifactName } from './artifact.ts';
import type { GrowingCollection, RegisteredCollection, RegisteredRecords } from './record-store.ts';
import type { ClientRecord, Collection, RegistryWrite, UserRecord } from './records.ts';

/** A question that a change may depend on. */
export type RecordQuery =
  | { readonly by: 'id'; readonly collection: GrowingCollection; readonly id: string }
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'link'; readonly provider: string; readonly subject: string }
  | { readonly by: 'look'; readonly name: string }
  | { readonly by: 'any-user' }
  | { readonly by: 'registry'; readonly collection: RegisteredCollection; readonly id: string };

/** The same for the same question. */
export function nameOfQuery(query: RecordQuery): string {
  return query.by === 'id' ? `id ${query.collection} ${query.id}` : JSON.stringify(query);
}

export interface RecordAnswer {
  /** The same as long as the answer is; of `registry`, {@link registeredVersion}. */
  readonly version: string;
  /** What was found; of `look` and `any-user`, nothing: their version says `yes` or `no`. */
  readonly record?: UserRecord | ClientRecord | RegisteredRecords[RegisteredCollection] | undefined;
}

/** By what it says: each process has an object of its own. */
export function registeredVersion(record: object | undefined): string {
  return record === undefined ? '' : createHash('sha256').update(JSON.stringify(record)).digest('base64url');
}

export interface RecordWrite {
  readonly collection: GrowingCollection;
  readonly id: string;
  /** Absent: it is removed. */
  readonly record?: UserRecord | ClientRecord;
}

/** All of it or nothing. */
export interface RecordCommit {
  readonly expected: readonly { readonly query: RecordQuery; readonly version: string }[];
  readonly writes: readonly RecordWrite[];
  readonly artifacts: readonly (ArtifactName & { readonly artifact: Omit<Artifact, 'consumedAt'> })[];
  readonly registry?: RegistryPart;
  /** Everything is checked, and nothing is written. */
  readonly isDry?: boolean;
}

/** What is changed in the registry with it: all of both or nothing, also when the process is killed in between. */
export interface RegistryPart {
  /** The collections that it was decided on, by their `collectionVersion`. */
  readonly expected: readonly { readonly collection: Collection; readonly version: string }[];
  readonly writes: readonly RegistryWrite[];
}

export interface RecordEngine {
  ask(query: RecordQuery): Promise<RecordAnswer>;
  /**
   * @returns false when something that is expected is not so any more: nothing has changed
   * @throws {StorageUnavailableError} when it could not be made durable
   * @throws {LastAdministratorError}
   */
  commit(commit: RecordCommit): Promise<boolean>;
}
