/**
 * The owner's side of a store that workers share: what anybody writes resolves when all of them have been told what
 * they hold of it in memory.
 */
import { announcedKinds } from '../../artifact.ts';
import type { RecordEngine } from '../../record-engine.ts';
import type { RecordLoader } from '../../record-loader.ts';
import type { RecordStore } from '../../record-store.ts';
import type { RegistryWrite } from '../../records.ts';
import { collections } from '../../records.ts';
import { emptyState, type RegistryState } from '../../registry-state.ts';
import { applyWrites, writesBetween } from '../../registry-writes.ts';
import type { ArtifactStore, Registry, Storage } from '../../storage.ts';
import type { LmdbArtifacts } from '../lmdb/artifacts-lmdb.ts';
import {
  artifactWrites,
  type DecisionCalls,
  type RegistrySnapshot,
  type StoreCalls,
  type StoreEvent,
} from './messages.ts';
import { commitFor } from './worker-records.ts';

export interface SharedStorageDeps {
  readonly storage: OwnedStorage;
  /** To all workers. */
  readonly emit: (event: StoreEvent) => void;
  /** Resolves when all workers have taken in what has been emitted. */
  readonly received: () => Promise<void>;
}

/** As the process that owns the store has it. */
export interface OwnedStorage extends Storage {
  readonly artifacts: ArtifactStore & Pick<LmdbArtifacts, 'recordEnds'>;
  readonly records: RecordStore & RecordEngine;
  readonly files: {
    withoutWrites<T>(work: () => Promise<T>): Promise<T>;
    dropDeadReaders(): void;
  };
}

export interface SharedStorage {
  /** For what the owner does itself. */
  readonly storage: Storage;
  /** What a worker may ask for. */
  callsFor(worker: DecisionCalls): StoreCalls;
  snapshot(): RegistrySnapshot;
  readonly files: OwnedStorage['files'];
}

export function shareStorage({ storage, emit, received }: SharedStorageDeps): SharedStorage {
  const { artifacts } = storage;
  let version = 0;
  let state = stateOf(storage.registry);
  storage.registry.onChange(() => {
    const before = state;
    state = stateOf(storage.registry);
    version++;
    emit({ type: 'registry', version, writes: writesBetween(before, state) });
  });
  for (const kind of announcedKinds) {
    artifacts.onPut(kind, (artifact) => emit({ type: 'put', kind, artifact }));
  }

  storage.records.onChange((changes) => emit({ type: 'records', changes }));

  const records: OwnedStorage['records'] = {
    ...storage.records,
    async change(work) {
      const result = await storage.records.change(work);
      await received();
      return result;
    },
    async commit(commit) {
      const isDone = await storage.records.commit(commit);
      await received();
      return isDone;
    },
  };
  const loader: RecordLoader = {
    ...storage.loader,
    async load(collection, given, options) {
      const added = await storage.loader.load(collection, given, options);
      await received();
      return added;
    },
  };
  const registry: Registry = {
    ...storage.registry,
    async update(change, guard) {
      const result = await storage.registry.update(change, guard);
      await received();
      return result;
    },
  };
  const shared = {
    ...artifacts,
    async put(...args) {
      await artifacts.put(...args);
      await received();
    },
    async exchange(exchange) {
      const outcome = await artifacts.exchange(exchange);
      await received();
      return outcome;
    },
  } satisfies ArtifactStore;
  const writes = Object.fromEntries(artifactWrites.map((name) => [name, shared[name]])) as Pick<
    StoreCalls,
    (typeof artifactWrites)[number]
  >;
  const checkWritable = createSharedCheck(storage.checkWritable);

  return {
    storage: { ...storage, registry, artifacts: shared, records, loader },
    callsFor: (worker) => ({
      ...writes,
      checkWritable,
      recordEnds: artifacts.recordEnds,
      commitRecords: (commit) => commitFor(records.commit, commit),
      changeRegistry: (expected, given) =>
        registry.update((transaction) => {
          if (expected !== version) return false;
          applyWrites(transaction, given);
          return true;
        }),
      async changeRegistryGuarded(decision) {
        let decided: readonly RegistryWrite[] = [];
        await registry.update(
          (transaction) => applyWrites(transaction, decided),
          async () => {
            decided = await worker.decide(decision);
          },
        );
      },
    }),
    files: storage.files,
    snapshot: () => ({ version, records: writesBetween(emptyState(), state) }),
  };
}

function stateOf({ all }: Registry): RegistryState {
  return Object.fromEntries(collections.map((collection) => [collection, all(collection)])) as RegistryState;
}

/** One probe for all who ask at the same time. */
function createSharedCheck(check: () => Promise<void>): () => Promise<void> {
  let probe: Promise<void> | undefined;
  return () => {
    probe ??= check().finally(() => {
      probe = undefined;
    });
    return probe;
  };
}
