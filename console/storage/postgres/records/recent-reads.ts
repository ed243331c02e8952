/**
 * What was read a moment ago is not asked for again: a refresh looks at its account five times, and each costs a way to
 * the database and back. What this process changes is forgotten as it is told of it.
 */

/** Shorter than what others change takes to become known at all (decision 0046). */
const recentMs = 20;
const mostReads = 1_000;

interface Read<R> {
  readonly at: number;
  readonly answer: Promise<R>;
}

export type RecentReads<R> = ReturnType<typeof createRecentReads<R>>;

/** @param read  many in one way to the database */
export function createRecentReads<R>(read: (ids: readonly string[]) => Promise<(id: string) => R>) {
  const reads = new Map<string, Read<R>>();
  let timesForgotten = 0;

  function add(id: string, one: Read<R>): void {
    if (reads.size >= mostReads) reads.clear();
    reads.set(id, one);
  }

  function readAnew(ids: readonly string[], at: number): readonly Promise<R>[] {
    const found = read(ids);
    return ids.map((id) => {
      const answer = found.then((of) => of(id));
      const own = { at, answer };
      add(id, own);
      answer.catch(() => {
        if (reads.get(id) === own) reads.delete(id);
      });
      return answer;
    });
  }

  function recentOf(id: string, now: number): Promise<R> | undefined {
    const recent = reads.get(id);
    return recent && now - recent.at < recentMs ? recent.answer : undefined;
  }

  return {
    get(id: string): Promise<R> {
      const now = performance.now();
      return recentOf(id, now) ?? readAnew([id], now)[0]!;
    },
    /** Each of them once. */
    async getMany(ids: readonly string[]): Promise<ReadonlyMap<string, R>> {
      const now = performance.now();
      const answers = new Map([...new Set(ids)].map((id) => [id, recentOf(id, now)] as const));
      const lacking = [...answers].flatMap(([id, answer]) => (answer ? [] : [id]));
      const anew = lacking.length === 0 ? [] : readAnew(lacking, now);
      for (const [n, id] of lacking.entries()) answers.set(id, anew[n]);
      const found = await Promise.all([...answers].map(async ([id, answer]) => [id, await answer!] as const));
      return new Map(found);
    },
    /**
     * For what comes with another read, begun before that is asked.
     *
     * @returns takes what was found: it is as old as that read, and not taken when something has changed meanwhile
     */
    begin(): (id: string, found: R) => void {
      const at = performance.now();
      const before = timesForgotten;
      return (id, found) => {
        const isNewest = at > (reads.get(id)?.at ?? 0);
        if (isNewest && timesForgotten === before) add(id, { at, answer: Promise.resolve(found) });
      };
    },
    forget(id: string): void {
      timesForgotten++;
      reads.delete(id);
    },
  };
}
