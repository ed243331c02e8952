import type { PutEvent } from '../../engine/put-listeners.ts';
import type { RecordCommit } from '../../record-engine.ts';
import type { RecordChange } from '../../record-store.ts';
import type { RegistryWrite } from '../../records.ts';
import type { ArtifactStore, Storage } from '../../storage.ts';
import type { EndedArtifact } from '../lmdb/artifacts-lmdb.ts';

/** Writes to the artifacts; reads are the worker's own. */
export const artifactWrites = [
  'put',
  'consume',
  'exchange',
  'remove',
  'removeByKey',
  'extend',
  'removeByGrant',
  'count',
  'uncount',
] as const satisfies readonly (keyof ArtifactStore)[];
/** What became of a commit: `done`, or why nothing has changed; errors that callers tell apart come as words. */
export type CommitOutcome = 'done' | 'overtaken' | 'last-administrator' | 'name' | 'link';

/** What the owner does for a worker. An answer comes behind the events that it has led to. */
export interface StoreCalls
  extends Pick<ArtifactStore, (typeof artifactWrites)[number]>,
    Pick<Storage, 'checkWritable'> {
  recordEnds(ended: readonly EndedArtifact[]): Promise<void>;
  commitRecords(commit: RecordCommit): Promise<CommitOutcome>;
  /** @returns false when the registry has another version by now: nothing has changed */
  changeRegistry(version: number, writes: readonly RegistryWrite[]): Promise<boolean>;
  /** While nothing else changes, has the worker decide ({@link DecisionCalls}), and writes that. */
  changeRegistryGuarded(decision: number): Promise<void>;
}

/** What a worker does for the owner. */
export interface DecisionCalls {
  /** @returns what to write */
  decide(decision: number): Promise<readonly RegistryWrite[]>;
}

export type StoreEvent =
  | { readonly type: 'registry'; readonly version: number; readonly writes: readonly RegistryWrite[] }
  | { readonly type: 'records'; readonly changes: readonly RecordChange[] }
  | ({ readonly type: 'put' } & PutEvent);

/** The registry as it was when a worker began to follow it. */
export interface RegistrySnapshot {
  readonly version: number;
  readonly records: readonly RegistryWrite[];
}
