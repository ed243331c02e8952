/**
 * Calls with an `Idempotency-Key` that are being performed, wherever: in memory, so that nothing of it outlives the
 * processes that perform them. What they have made is in the store, together with its answer.
 */
export interface RunningCalls {
  /** @returns false: it is under way already, and whoever performs it ends it */
  begin(id: string): boolean | Promise<boolean>;
  end(id: string): void | Promise<void>;
}

/** @returns what one process after the other may use: what it has begun ends with it */
export function createRunningCalls() {
  const all = new Set<string>();
  return {
    /** @param over  resolves when the process is gone that performs them; without it that is this one */
    of(over?: Promise<void>) {
      const own = new Set<string>();
      void over?.then(() => {
        for (const id of own) all.delete(id);
      });
      return {
        begin(id) {
          if (all.has(id)) return false;
          all.add(id);
          own.add(id);
          return true;
        },
        end(id) {
          if (own.delete(id)) all.delete(id);
        },
      } satisfies RunningCalls;
    },
  };
}
