/**
 * The storage of a worker: what it reads it reads itself, from LMDB and from the owner's registry in memory; what it
 * writes the owner writes. Opened while the owner lets nothing be written (decision 0017).
 */
import { realpathSync } from 'node:fs';
import { createPutListeners } from '../../engine/put-listeners.ts';
import type { StorageLog } from '../../engine/storage-log.ts';
import { type Storage, StorageUnavailableError } from '../../storage.ts';
import { openLmdbArtifacts } from '../lmdb/artifacts-lmdb.ts';
import { openReadersEnvironment, storeFiles } from '../store-files.ts';
import {
  artifactWrites,
  type DecisionCalls,
  type RegistrySnapshot,
  type StoreCalls,
  type StoreEvent,
} from './messages.ts';
import { createWorkerRecords } from './worker-records.ts';
import { createWorkerRegistry } from './worker-registry.ts';

export interface WorkerStorageDeps {
  readonly dataDir: string;
  readonly snapshot: RegistrySnapshot;
  readonly owner: StoreCalls;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The owner's, which counts by it. */
  readonly steady: () => number;
  readonly log?: StorageLog | undefined;
}

export interface WorkerStorage {
  readonly storage: Storage;
  /** For the owner. */
  readonly calls: DecisionCalls;
  /** Of the owner, in its order. */
  receive(event: StoreEvent): void;
}

export function openWorkerStorage({
  dataDir,
  snapshot,
  owner,
  now,
  steady,
  log,
}: WorkerStorageDeps): WorkerStorage {
  const environment = openReadersEnvironment(storeFiles(realpathSync(dataDir)));
  const { onPut, emit } = createPutListeners(log);
  const local = openLmdbArtifacts({ environment, now, steady, recordEnds: owner.recordEnds });
  const written = Object.fromEntries(artifactWrites.map((name) => [name, owner[name]]));
  const artifacts = { ...local, ...(written as Pick<StoreCalls, (typeof artifactWrites)[number]>), onPut };
  const { registry, calls, receive } = createWorkerRegistry({ snapshot, owner, log });
  const records = createWorkerRecords({ environment, registry, owner, log });

  return {
    storage: {
      registry,
      artifacts: { ...artifacts, sweep: ownersDuty },
      records: records.records,
      loader: { load: ownersDuty, obstacles: ownersDuty },
      checkWritable: owner.checkWritable,
      countDamaged: ownersDuty,
      lastDamageCount: () => undefined,
      fillIndexes: ownersDuty,
      check: ownersDuty,
      backup: ownersDuty,
      downgrade: ownersDuty,
      close: environment.close,
    },
    calls,
    receive(event) {
      if (event.type === 'registry') receive(event);
      else if (event.type === 'records') records.receive(event);
      else emit(event);
    },
  };
}

async function ownersDuty(): Promise<never> {
  throw new StorageUnavailableError('this is done by the process that owns the store');
}
