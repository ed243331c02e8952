/** Readings that see of each id either what is about to be written or what was written, and neither both nor none. */

/** Of what is read while it is written. */
const mostReadings = 3;

export function createSettledReads() {
  const under = new Map<string, Promise<unknown>>();
  let begun = 0;
  return {
    /** @param write  has begun in this moment, and has taken out of memory what it writes */
    async during(ids: readonly string[], write: Promise<unknown>): Promise<void> {
      begun++;
      const settled = write.catch(() => {});
      for (const id of ids) under.set(id, settled);
      try {
        await write;
      } finally {
        for (const id of ids) under.delete(id);
      }
    },
    /**
     * While very many are written one after the other, the last try counts.
     *
     * @param join  adds what is in memory in the same moment
     */
    async readBetween<Found, Joined>(
      ids: readonly string[],
      read: () => Promise<Found>,
      join: (found: Found) => Joined,
    ): Promise<Joined> {
      for (let tries = 1; ; tries++) {
        while (ids.some((id) => under.has(id))) await Promise.all(ids.map((id) => under.get(id)));
        const before = begun;
        const found = await read();
        if (begun === before || tries === mostReadings) return join(found);
      }
    },
  };
}
