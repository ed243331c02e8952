/** Who follows what is changed in a staged storage: services that are made for it and go with it. */
export function createStagedListeners<Change>() {
  const listeners = new Set<(change: Change) => void>();
  return {
    add(listener: (change: Change) => void): () => void {
      const own = (change: Change) => listener(change);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    emit(change: Change): void {
      for (const listener of [...listeners]) listener(change);
    },
  };
}
