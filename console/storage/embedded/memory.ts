/** Everything in memory: for benchmarks and quick tests, and the plainest reading of what `Storage` asks for. */
import { createSerial } from '../../../platform/async/serial.ts';
import {
  asCounter,
  askOneByOne,
  byExpiry,
  countOf,
  decideExchange,
  isLive,
  type ManyReads,
  nextCount,
} from '../artifact-rules.ts';
import { artifactKey } from '../digest.ts';
import { createListeners } from '../engine/listeners.ts';
import { announcePuts } from '../engine/put-listeners.ts';
import type { StorageLog } from '../engine/storage-log.ts';
import { createRecordLoader } from '../record-loader.ts';
import type { Collection } from '../records.ts';
import { changeState, emptyState } from '../registry-state.ts';
import {
  type Artifact,
  type ArtifactKind,
  type ArtifactStore,
  type ListedArtifact,
  type Registry,
  type Storage,
  StorageUnavailableError,
} from '../storage.ts';
import { createMemoryRecords } from './memory-records.ts';

export interface MemoryStorageDeps {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  readonly steady?: () => number;
  readonly log?: StorageLog;
}

export function createMemoryStorage({ now = Date.now, steady = now, log }: MemoryStorageDeps = {}): Storage {
  const registry = createMemoryRegistry(log);
  const artifacts = announcePuts(createMemoryArtifacts(now, steady), log);
  const records = createMemoryRecords({ registry, artifacts, log });
  return {
    registry,
    artifacts,
    records,
    loader: createRecordLoader(records),
    async checkWritable() {},
    countDamaged: async () => 0,
    lastDamageCount: () => undefined,
    fillIndexes: async () => 0,
    check: async () => ({ records: 0, damaged: 0, unindexed: 0, stray: 0, miscounted: 0, named: [] }),
    async backup() {
      throw new StorageUnavailableError('a storage in memory has no backup');
    },
    async downgrade() {
      throw new StorageUnavailableError('a storage in memory is of no earlier release');
    },
    async close() {},
  };
}

function createMemoryRegistry(log: StorageLog | undefined): Registry {
  const listeners = createListeners<ReadonlySet<Collection>>('registry', log);
  const serialized = createSerial();
  let state = emptyState();
  return {
    get: (collection, id) => state[collection].get(id),
    all: (collection) => state[collection],
    update: (change, guard) =>
      serialized(async () => {
        await guard?.();
        const { next, changed, result } = changeState(state, change);
        state = next;
        if (changed.size > 0) listeners.emit(changed);
        return result;
      }),
    onChange: listeners.add,
  };
}

function createMemoryArtifacts(now: () => number, steady: () => number): Omit<ArtifactStore, 'onPut'> {
  const kinds = new Map<ArtifactKind, Map<string, Artifact>>();
  const nowSeconds = () => now() / 1000;
  const steadySeconds = () => steady() / 1000;

  function ofKind(kind: ArtifactKind): Map<string, Artifact> {
    const found = kinds.get(kind) ?? new Map<string, Artifact>();
    kinds.set(kind, found);
    return found;
  }

  /** What was found expired stays so, also when the clock is put back. */
  function live(kind: ArtifactKind, key: string): Artifact | undefined {
    const artifact = ofKind(kind).get(key);
    if (!artifact || isLive(artifact, nowSeconds())) return artifact;
    ofKind(kind).set(key, { ...artifact, expiresAt: 0 });
    return undefined;
  }

  function liveCounter(kind: ArtifactKind, key: string): Artifact | undefined {
    const artifact = ofKind(kind).get(key);
    return artifact && isLive(artifact, steadySeconds()) ? artifact : undefined;
  }

  /** Replaced artifacts move to the end: the order of the map is the order of the writes. */
  function set(kind: ArtifactKind, key: string, artifact: Artifact): void {
    ofKind(kind).delete(key);
    ofKind(kind).set(key, copy(artifact));
  }

  function liveWhere(kind: ArtifactKind, isWanted: (artifact: Artifact) => boolean): ListedArtifact[] {
    return [...ofKind(kind)]
      .filter(([key, artifact]) => isWanted(artifact) && live(kind, key) !== undefined)
      .map(([key, artifact]) => ({ key, artifact: copy(artifact) }));
  }

  function removeWhere(kind: ArtifactKind, isWanted: (artifact: Artifact) => boolean): number {
    const found = [...ofKind(kind)].filter(([, artifact]) => isWanted(artifact));
    for (const [key] of found) ofKind(kind).delete(key);
    return found.length;
  }

  function use(kind: ArtifactKind, key: string, artifact: Artifact): void {
    ofKind(kind).set(key, { ...artifact, consumedAt: Math.floor(nowSeconds()) });
  }

  const store: Omit<ArtifactStore, 'onPut' | keyof ManyReads> = {
    async put(kind, id, artifact) {
      set(kind, artifactKey(id), artifact);
    },
    async get(kind, id) {
      const found = live(kind, artifactKey(id));
      return found && copy(found);
    },
    async findByUid(kind, uid) {
      return liveWhere(kind, (artifact) => artifact.uid === uid).at(-1);
    },
    async consume(kind, id) {
      const found = live(kind, artifactKey(id));
      if (!found || found.consumedAt !== undefined) return false;
      use(kind, artifactKey(id), found);
      return true;
    },
    async exchange(exchange) {
      const { consume, put = [], remove = [] } = exchange;
      const outcome = decideExchange(exchange, ({ kind, id }) => live(kind, artifactKey(id)));
      const source = live(consume.kind, artifactKey(consume.id));
      if (outcome !== 'won' || !source) return outcome;
      use(consume.kind, artifactKey(consume.id), source);
      for (const { kind, id } of remove) ofKind(kind).delete(artifactKey(id));
      for (const { kind, id, artifact } of put) set(kind, artifactKey(id), artifact);
      return outcome;
    },
    async remove(kind, id) {
      ofKind(kind).delete(artifactKey(id));
    },
    async removeByKey(kind, key) {
      ofKind(kind).delete(key);
    },
    async extend(kind, key, change) {
      const found = live(kind, key);
      if (found) ofKind(kind).set(key, copy({ ...found, ...change }));
    },
    async removeByGrant(grantId, wanted) {
      const counts = wanted.map((kind) => removeWhere(kind, (artifact) => artifact.grantId === grantId));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async findByKey(kind, key) {
      const found = live(kind, key);
      return found && { key, artifact: copy(found) };
    },
    async listByUid(kind, uid) {
      return liveWhere(kind, (artifact) => artifact.uid === uid);
    },
    async listByAccount(kind, accountId, limit) {
      return liveWhere(kind, (artifact) => artifact.accountId === accountId)
        .slice(0, limit)
        .sort(byExpiry);
    },
    async pageByAccount(kind, accountId, limit, after = '') {
      return liveWhere(kind, (artifact) => artifact.accountId === accountId)
        .filter(({ key }) => key > after)
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .slice(0, limit);
    },
    async list(kind, limit, after = '') {
      return liveWhere(kind, () => true)
        .filter(({ key }) => key > after)
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .slice(0, limit);
    },
    async countSessions(most, accountId) {
      const value = liveWhere(
        'Session',
        ({ accountId: own }) => own !== undefined && (accountId === undefined || own === accountId),
      ).length;
      return { value: Math.min(value, most), isExact: value <= most };
    },
    async count(kind, id, windowSeconds) {
      const next = nextCount(liveCounter(kind, artifactKey(id)), steadySeconds(), windowSeconds);
      set(kind, artifactKey(id), asCounter(next));
      return next;
    },
    async uncount(kind, id) {
      const found = liveCounter(kind, artifactKey(id));
      const count = countOf(found);
      if (found && count > 0) ofKind(kind).set(artifactKey(id), { ...found, payload: { count: count - 1 } });
    },
    async sweep() {
      const counts = [...kinds.keys()].map((kind) =>
        removeWhere(kind, (found) => !isLive(found, nowSeconds())),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
  return { ...store, ...askOneByOne(store) };
}

/** What comes out is what JSON can carry, and no caller holds the stored object. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
