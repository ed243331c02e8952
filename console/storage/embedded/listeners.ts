import type { Collection } from '../records.ts';
import type { Registry } from '../storage.ts';
import type { StorageLog } from './permissions.ts';

type Listener = Parameters<Registry['onChange']>[0];

/** Who wants to hear of registry changes. A listener that throws is logged: the change is made already. */
export function createListeners(log: StorageLog | undefined) {
  const listeners = new Set<Listener>();
  return {
    add(listener: Listener): () => void {
      // Wrapped, so that the same function added twice is told twice and removed one by one.
      const own: Listener = (changed) => listener(changed);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    emit(changed: ReadonlySet<Collection>): void {
      if (changed.size === 0) return;
      for (const listener of [...listeners]) {
        try {
          listener(changed);
        } catch (error) {
          log?.warn({ err: error }, 'a listener for registry changes failed');
        }
      }
    },
  };
}
