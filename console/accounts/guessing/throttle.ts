/** Guesses at a password are counted before the password is looked at (S29). */
import { isIPv6 } from 'node:net';
import { ProblemError, problems } from '../../../platform/errors.ts';
import type { ArtifactStore } from '../../storage/storage.ts';

/** Names what guesses are counted against. */
export type Budget = string & { readonly kind: 'budget' };

export type Throttle = ReturnType<typeof createThrottle>;

export interface ThrottleDeps {
  readonly artifacts: ArtifactStore;
  /** Epoch milliseconds that go on evenly. */
  readonly steady: () => number;
  /** Attempts that fit into one window. */
  readonly attempts: number;
  readonly windowSeconds: number;
}

const kind = 'Throttle';

export function createThrottle({ artifacts, steady, attempts, windowSeconds }: ThrottleDeps) {
  return {
    /**
     * Takes one attempt from each budget in turn, atomically, so that parallel guesses cannot pass
     * together. The first budget that is used up ends it: those behind it are not touched.
     *
     * @throws {ProblemError} `too_many_requests` with `Retry-After`
     */
    async take(budgets: readonly Budget[]) {
      for (const budget of budgets) {
        const { count, resetsAt } = await artifacts.count(kind, budget, windowSeconds);
        if (count > attempts) throw tooManyGuesses(Math.min(windowSeconds, resetsAt - steady() / 1000));
      }
    },
    /** The attempt does not count after all: it succeeded, or was not made. */
    giveBack: (budget: Budget) => artifacts.uncount(kind, budget),
    /** Forgets earlier failures: whoever knows the password is not guessing it. */
    forget: (budget: Budget) => artifacts.remove(kind, budget),
  };
}

/**
 * For a password that is asked for within a session. Strangers cannot use it up, so they cannot keep
 * the owner of an open session from changing the password.
 */
export function confirmationBudget(accountId: string): Budget {
  return `confirmation ${accountId}` as Budget;
}

/** @param address  the client address; of IPv6 the /64 counts, which one customer has to himself */
export function networkOfSource(address: string): string {
  return isIPv6(address) ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const parts = (text: string) => (text === '' ? [] : text.split(':'));
  const gap = Math.max(0, 8 - parts(head).length - parts(tail).length);
  const groups = [...parts(head), ...Array<string>(gap).fill('0'), ...parts(tail)];
  return groups.slice(0, 4).join(':');
}

/** The page or program that shows it adds when to try again. */
export function tooManyGuesses(seconds: number): ProblemError {
  return new ProblemError(problems.tooManyRequests, 'Too many failed attempts.', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) },
  });
}
