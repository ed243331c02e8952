/** Questions from one process to another and their answers, as data: whoever sends them chooses the way. */
import { createPendingAnswers } from '../async/pending-answers.ts';

/** What one side answers: named functions of plain values. */
// biome-ignore lint/suspicious/noExplicitAny: arguments of any kind, which each name types by itself
export type CallTable = { readonly [name: string]: (...args: any[]) => unknown };

export interface Call {
  readonly type: 'call';
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type Answer =
  | { readonly type: 'answer'; readonly id: number; readonly value?: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: Failure };

/** An error on its way to another process. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly state?: string | undefined;
}

export interface CallsDeps {
  readonly send: (call: Call) => void;
  /** Milliseconds that an answer may take. */
  readonly patienceMs: number;
  readonly onSilence: () => Error;
  /** The error that the other side has thrown. */
  readonly errorOf: (failure: Failure) => Error;
}

export type Calls<Theirs> = ReturnType<typeof createCalls<Theirs>>;

export function createCalls<Theirs>({ send, patienceMs, onSilence, errorOf }: CallsDeps) {
  const pending = createPendingAnswers<number, unknown>({ patienceMs, onSilence });
  let last = 0;
  let isEnded = false;

  return {
    /** @throws what the other side has thrown, and what {@link CallsDeps.onSilence} says when nothing comes */
    async call<Name extends keyof Theirs & string>(
      name: Name,
      ...args: ParametersOf<Theirs[Name]>
    ): Promise<ResultOf<Theirs[Name]>> {
      if (isEnded) throw onSilence();
      const id = ++last;
      const answer = pending.add(id);
      send({ type: 'call', id, name, args });
      return (await answer) as ResultOf<Theirs[Name]>;
    },
    receive(answer: Answer) {
      if (answer.type === 'answer') pending.resolve(answer.id, answer.value);
      else pending.reject(answer.id, errorOf(answer.failure));
    },
    /** The other side has gone: nothing is answered any more. */
    end() {
      isEnded = true;
      pending.rejectAll();
    },
  };
}

type ParametersOf<F> = F extends (...args: infer Args) => unknown ? Args : never;
type ResultOf<F> = F extends (...args: never[]) => infer Result ? Awaited<Result> : never;

/** Never rejects: what goes wrong is the answer. */
export async function answerCall(
  table: CallTable,
  { id, name, args }: Call,
  failureOf: (error: unknown) => Failure,
): Promise<Answer> {
  try {
    if (!Object.hasOwn(table, name)) throw new TypeError(`there is no ${name}`);
    return { type: 'answer', id, value: await table[name]!(...args) };
  } catch (error) {
    return { type: 'failure', id, failure: failureOf(error) };
  }
}
