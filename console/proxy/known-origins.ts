/** Which pages may call (S23): asked of the console one by one, remembered until it says that the answer may be another. */

export interface KnownOriginsDeps {
  /** @throws {Error} when the console cannot be asked */
  readonly ask: (origin: string) => Promise<boolean>;
  /** Rises when answers of before count no more. */
  readonly version: () => number;
}

/** Anybody may send any origin: little is remembered, and little asked at a time. */
const mostRemembered = 1_000;
const mostAsked = 16;

export function createKnownOrigins({ ask, version }: KnownOriginsDeps) {
  const answers = new Map<string, Promise<boolean>>();
  let asked = 0;
  let answersOf = version();

  return {
    /** Whoever cannot be asked about now is not known. */
    isKnown(origin: string): boolean | Promise<boolean> {
      if (answersOf !== version()) answers.clear();
      answersOf = version();
      const known = answers.get(origin);
      if (known) return known;
      if (asked >= mostAsked) return false;
      if (answers.size >= mostRemembered) answers.clear();
      const answer = find(origin);
      answers.set(origin, answer);
      return answer;
    },
  };

  async function find(origin: string): Promise<boolean> {
    asked += 1;
    try {
      return await ask(origin);
    } catch {
      answers.delete(origin);
      return false;
    } finally {
      asked -= 1;
    }
  }
}
