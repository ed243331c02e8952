/** Writes side by side, and now and then a time without any. */
export type WriteGate = ReturnType<typeof createWriteGate>;

export function createWriteGate() {
  let passing = 0;
  let closed: Promise<unknown> | undefined;
  let onQuiet = () => {};

  return {
    /** Begins when the gate is open. */
    async pass<T>(write: () => Promise<T>): Promise<T> {
      while (closed) await closed;
      passing++;
      try {
        return await write();
      } finally {
        passing--;
        if (passing === 0) onQuiet();
      }
    },
    /** Runs `work` once all have passed that had begun, and keeps it closed until then. */
    async close<T>(work: () => Promise<T>): Promise<T> {
      while (closed) await closed;
      let open = () => {};
      closed = new Promise<void>((resolve) => {
        open = resolve;
      });
      try {
        if (passing > 0) {
          await new Promise<void>((resolve) => {
            onQuiet = resolve;
          });
        }
        return await work();
      } finally {
        onQuiet = () => {};
        closed = undefined;
        open();
      }
    },
  };
}
