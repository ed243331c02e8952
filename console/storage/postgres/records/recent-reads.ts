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

export function createRecentReads<R>(read: (id: string) => Promise<R>) {
  const reads = new Map<string, Read<R>>();

  function readAnew(id: string, at: number): Promise<R> {
    if (reads.size >= mostReads) reads.clear();
    const answer = read(id);
    const own = { at, answer };
    reads.set(id, own);
    answer.catch(() => {
      if (reads.get(id) === own) reads.delete(id);
    });
    return answer;
  }

  return {
    get(id: string): Promise<R> {
      const now = performance.now();
      const recent = reads.get(id);
      return recent && now - recent.at < recentMs ? recent.answer : readAnew(id, now);
    },
    forget(id: string): void {
      reads.delete(id);
    },
  };
}
