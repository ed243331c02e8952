/** Clients that ask all the time, one request after the other, each counted by its kind. */
import { setTimeout as delay } from 'node:timers/promises';

/** One request, or the few that belong together. @returns why it has failed */
export type Work = () => Promise<string | undefined>;

export interface Load {
  readonly done: () => number;
  /** Resolves when the last ones are answered. */
  stop(): Promise<LoadOutcome>;
}

export interface LoadOutcome {
  readonly done: number;
  readonly byKind: Readonly<Record<string, number>>;
  /** Because they were asked to. */
  readonly askedAgain: number;
  readonly failed: readonly string[];
}

export interface LoadOptions {
  /** Of each between two requests. */
  readonly pauseMs?: number;
  /**
   * How often one asks again that was answered 503: a machine that does much besides does not come to a statement within the
   * two seconds that the database has for it.
   */
  readonly patience?: number;
}

/** @param works  each with its kind; those of one kind run beside each other */
export function startLoad(
  works: readonly (readonly [kind: string, work: Work])[],
  { pauseMs = 0, patience = 0 }: LoadOptions = {},
): Load {
  const failed: string[] = [];
  const byKind: Record<string, number> = Object.fromEntries(works.map(([kind]) => [kind, 0]));
  const done = () => Object.values(byKind).reduce((sum, n) => sum + n, 0);
  let askedAgain = 0;
  let isOver = false;
  const running = Promise.all(
    works.map(async ([kind, work]) => {
      while (!isOver) {
        const problem = await tried(work, patience, () => askedAgain++);
        if (problem === undefined) byKind[kind]!++;
        else failed.push(`${kind}: ${problem}`);
        if (pauseMs > 0) await delay(pauseMs);
      }
    }),
  );
  return {
    done,
    async stop() {
      isOver = true;
      await running;
      return { done: done(), byKind, askedAgain, failed };
    },
  };
}

/** @param patience  as {@link LoadOptions} has it */
export async function tried(work: Work, patience: number, onAgain = () => {}): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    const problem = await work().catch((error: unknown) => said(error));
    if (problem === undefined || attempt >= patience || !isUnavailable.test(problem)) return problem;
    onAgain();
    await delay(againMs);
  }
}

const againMs = 500;
/** Not that of a load balancer which reaches nobody. */
const isUnavailable = /storage_unavailable|token_status_unknown|temporarily_unavailable|audit_unavailable/;

/** What `fetch` fails by is in its cause. */
function said(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${error.cause})` : '';
  return `${error}${cause}`.slice(0, 1000);
}
