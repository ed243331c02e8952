/** The registry in a worker: its state is the owner's, its changes are decided here and made there. */

import { createListeners } from '../../engine/listeners.ts';
import type { StorageLog } from '../../engine/storage-log.ts';
import type { Collection, RegistryWrite } from '../../records.ts';
import { changeState, emptyState } from '../../registry-state.ts';
import { withWrites, writesBetween } from '../../registry-writes.ts';
import { type Registry, StorageUnavailableError } from '../../storage.ts';
import type { DecisionCalls, RegistrySnapshot, StoreCalls, StoreEvent } from './messages.ts';

export interface WorkerRegistryDeps {
  readonly snapshot: RegistrySnapshot;
  readonly owner: Pick<StoreCalls, 'changeRegistry' | 'changeRegistryGuarded'>;
  readonly log: StorageLog | undefined;
}

export interface WorkerRegistry {
  readonly registry: Registry;
  readonly calls: DecisionCalls;
  receive(event: Extract<StoreEvent, { type: 'registry' }>): void;
}

/** More than workers that change the registry at the same time; then something else is wrong. */
const mostAttempts = 200;

type Work = Parameters<Registry['update']>[0];

export function createWorkerRegistry({ snapshot, owner, log }: WorkerRegistryDeps): WorkerRegistry {
  const listeners = createListeners<ReadonlySet<Collection>>('registry', log);
  const decisions = new Map<number, () => Promise<readonly RegistryWrite[]>>();
  let { version } = snapshot;
  let state = withWrites(emptyState(), snapshot.records);
  let lastDecision = 0;

  return {
    registry: {
      get: (collection, id) => state[collection].get(id),
      all: (collection) => state[collection],
      update: (work, guard) => (guard ? updateGuarded(work, guard) : update(work)),
      onChange: listeners.add,
    },
    calls: {
      async decide(decision) {
        const decide = decisions.get(decision);
        if (!decide) throw new StorageUnavailableError('whoever asked for this change has gone');
        return decide();
      },
    },
    receive({ version: next, writes }) {
      version = next;
      state = withWrites(state, writes);
      if (writes.length > 0) listeners.emit(new Set(writes.map(({ collection }) => collection)));
    },
  };

  async function update<T>(work: Work): Promise<T> {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const { next, changed, result } = changeState(state, work);
      if (changed.size === 0) return result as T;
      if (await owner.changeRegistry(version, writesBetween(state, next))) return result as T;
    }
    throw new StorageUnavailableError('the registry is changed by too many at the same time');
  }

  /** The owner lets nothing else change while it is decided. */
  async function updateGuarded<T>(work: Work, guard: () => Promise<void>): Promise<T> {
    const decision = ++lastDecision;
    let outcome: { readonly result: unknown } | undefined;
    let reason: { readonly thrown: unknown } | undefined;
    decisions.set(decision, async () => {
      try {
        await guard();
        const { next, result } = changeState(state, work);
        outcome = { result };
        return writesBetween(state, next);
      } catch (thrown) {
        reason = { thrown };
        throw thrown;
      }
    });
    try {
      await owner.changeRegistryGuarded(decision);
      return outcome?.result as T;
    } catch (error) {
      throw reason ? reason.thrown : error;
    } finally {
      decisions.delete(decision);
    }
  }
}
