/** Users and clients in a worker: read from LMDB, decided here, written by the owner. */

import { createListeners } from '../../engine/listeners.ts';
import type { StorageLog } from '../../engine/storage-log.ts';
import { changeRecords } from '../../record-changes.ts';
import type { RecordCommit, RecordEngine } from '../../record-engine.ts';
import {
  DuplicateRecordError,
  LastAdministratorError,
  type RecordChange,
  type RecordStore,
} from '../../record-store.ts';
import type { Registry } from '../../storage.ts';
import type { Environment } from '../lmdb/lmdb-environment.ts';
import { openLmdbRecordReads } from '../lmdb/records-lmdb.ts';
import type { CommitOutcome, StoreCalls, StoreEvent } from './messages.ts';

export interface WorkerRecordsDeps {
  readonly environment: Environment;
  readonly registry: Registry;
  readonly owner: Pick<StoreCalls, 'commitRecords'>;
  readonly log: StorageLog | undefined;
}

export interface WorkerRecords {
  readonly records: RecordStore & RecordEngine;
  receive(event: Extract<StoreEvent, { type: 'records' }>): void;
}

export function createWorkerRecords({ environment, registry, owner, log }: WorkerRecordsDeps): WorkerRecords {
  const listeners = createListeners<readonly RecordChange[]>('record', log);
  const { ask, ...reads } = openLmdbRecordReads(environment, registry);
  const engine: RecordEngine = {
    ask,
    async commit(commit) {
      const outcome = await owner.commitRecords(commit);
      if (outcome === 'last-administrator') throw new LastAdministratorError();
      if (outcome === 'name' || outcome === 'link') throw new DuplicateRecordError(outcome);
      return outcome === 'done';
    },
  };
  return {
    records: { ...reads, ...engine, change: (work) => changeRecords(engine, work), onChange: listeners.add },
    receive: ({ changes }) => listeners.emit(changes),
  };
}

/** The owner's side of it. */
export async function commitFor(
  commit: (commit: RecordCommit) => Promise<boolean>,
  given: RecordCommit,
): Promise<CommitOutcome> {
  try {
    return (await commit(given)) ? 'done' : 'overtaken';
  } catch (error) {
    if (error instanceof LastAdministratorError) return 'last-administrator';
    if (error instanceof DuplicateRecordError) return error.what;
    throw error;
  }
}
