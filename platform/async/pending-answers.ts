/** Answers that are waited for, by what was asked; all who ask the same get the same. */
export function createPendingAnswers<Question, Answer>({
  patienceMs,
  onSilence,
}: {
  /** How long an answer may take. */
  readonly patienceMs: number;
  /** Why there is none. */
  readonly onSilence: () => Error;
}) {
  const pending = new Map<Question, Pending<Answer>>();

  return {
    has: (question: Question) => pending.has(question),
    /** Rejects when no answer comes. */
    add(question: Question): Promise<Answer> {
      const known = pending.get(question);
      if (known) return known.promise;
      let settle: Pick<Pending<Answer>, 'resolve' | 'reject'> | undefined;
      const promise = new Promise<Answer>((resolve, reject) => {
        const timer = setTimeout(() => settle?.reject(onSilence()), patienceMs).unref();
        const end = () => {
          clearTimeout(timer);
          pending.delete(question);
        };
        settle = {
          resolve(answer) {
            end();
            resolve(answer);
          },
          reject(error) {
            end();
            reject(error);
          },
        };
      });
      pending.set(question, { promise, ...settle! });
      return promise;
    },
    resolve: (question: Question, answer: Answer) => pending.get(question)?.resolve(answer),
    reject: (question: Question, error: unknown) => pending.get(question)?.reject(error),
    /** Whoever would answer has gone. */
    rejectAll() {
      for (const { reject } of [...pending.values()]) reject(onSilence());
    },
  };
}

interface Pending<Answer> {
  readonly promise: Promise<Answer>;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}
