import type { StorageLog } from './storage-log.ts';

/**
 * Who wants to hear of changes. A listener that throws is logged: the change is made already.
 *
 * @param of  what is changed, for the log
 */
export function createListeners<Changes>(of: 'registry' | 'record', log: StorageLog | undefined) {
  type Listener = (changes: Changes) => void;
  const listeners = new Set<Listener>();
  return {
    add(listener: Listener): () => void {
      // Wrapped, so that the same function added twice is told twice and removed one by one.
      const own: Listener = (changes) => listener(changes);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    emit(changes: Changes): void {
      for (const listener of [...listeners]) {
        try {
          listener(changes);
        } catch (error) {
          log?.warn({ err: error }, `a listener for ${of} changes failed`);
        }
      }
    },
  };
}
