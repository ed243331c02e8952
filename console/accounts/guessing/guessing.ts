/**
 * What slows guessing at passwords (S29, NIST SP 800-63B-4 §3.2.2; decision 0016). Each attempt is counted
 * before the password is looked at, so that parallel ones cannot pass together:
 *
 * - for the account and the source: ten quick failures, then that source waits for that account;
 * - for the source alone: fifty, against one password tried at many names;
 * - for the account over all sources: delays that grow, and after a hundred failures a source that has failed
 *   is not looked at, and a wrong password is told by the same denial as one that nobody looked at;
 * - a browser that signed in to the account before has a budget of its own, which nobody else can use up.
 *
 * Nothing here depends on whether there is such an account.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { foldedName } from '../../storage/name-keys.ts';
import type { ArtifactStore, Count } from '../../storage/storage.ts';
import type { Turn } from '../places.ts';
import { createFadingCounts } from './fading-counts.ts';
import type { LockedNames } from './locked-names.ts';
import { type Budget, networkOfSource, tooManyGuesses } from './throttle.ts';

export interface Guess {
  /** As typed, whether there is such an account or not. */
  readonly username: string;
  /** The client address. */
  readonly source: string;
  /** Names a browser that has signed in to this account before. */
  readonly browser?: string | undefined;
}

export interface CountedGuess {
  /** Whose password is looked at first when many want to be. */
  readonly turn: Turn;
  /** The password was wrong. @throws {ProblemError} when that must not be told */
  fail(): void;
  /** Nobody has looked at it, so it was no guess. */
  giveBack(): Promise<void>;
  /**
   * It was not right here, and elsewhere it could not be looked at. That is given back too, but for the bounds
   * of a day: or an account of this console could be guessed at without end while a directory is away.
   */
  leaveOpen(): Promise<void>;
  /** Whoever knows the password was not guessing it here. */
  succeed(): Promise<void>;
}

export type Guessing = ReturnType<typeof createGuessing>;

export interface GuessingDeps {
  readonly artifacts: ArtifactStore;
  readonly lockedNames: Pick<LockedNames, 'add'>;
  /** Epoch milliseconds that go on evenly. */
  readonly steady: () => number;
}

const kind = 'Throttle';
const day = 86_400;
const limits = {
  /** Quick failures of one source, or one known browser, at one account. */
  pair: { attempts: 10, seconds: 300 },
  source: { attempts: 50, seconds: 300 },
  /** NIST SP 800-63B: no more than 100. */
  account: { attempts: 100, seconds: day },
  browser: { attempts: 100, seconds: day },
} as const;
/** Up to here nobody waits. */
const freeFailures = 10;
const msForEachFailure = 10;
const longestDelayMs = 300;
/** Sources with so many quick failures, at whatever account, are not clean. */
const cleanSourceFailures = 10;
/** After so many more failures it is noted once more that a name is locked. */
const failuresBetween = 50;
const mostRemembered = 10_000;
/** Denials are told slower, the more of them an account or a source has had lately: a flood costs less then. */
const msForEachDenial = 20;
const longestHoldMs = 4000;
const mostHeld = 1000;
/** From where an account was signed in to: NIST SP 800-63B lets such addresses come first. */
const knownNetworkKind = 'KnownNetwork';
const knownNetworkSeconds = 90 * day;

export function createGuessing({ artifacts, lockedNames, steady }: GuessingDeps) {
  /** Denials that are known without the store, which a flood of guesses would keep busy. */
  const denied = new Map<Budget, number>();
  const pressures = createFadingCounts<Budget>({ msForEach: 1000, most: mostRemembered, steady });
  let held = 0;

  return {
    /**
     * Counts one attempt, and holds it as long as the failures at the account ask for: a third of a second at most.
     *
     * @throws {ProblemError} `too_many_requests` with `Retry-After`
     */
    async begin(guess: Guess): Promise<CountedGuess> {
      const ofBrowser = guess.browser === undefined ? undefined : await beginKnown(guess.browser);
      if (ofBrowser) return ofBrowser;
      return beginUnknown(guess);
    },
  };

  /** @returns nothing once its budget is used up: it counts like any other browser then (OWASP device cookies) */
  async function beginKnown(browser: string): Promise<CountedGuess | undefined> {
    const [quick, long] = [budget('browser', browser), budget('browser-day', browser)];
    const [a, b] = await Promise.all([count(quick, limits.pair), count(long, limits.browser)]);
    if (a.count > limits.pair.attempts || b.count > limits.browser.attempts) return undefined;
    return {
      turn: { standing: 'known', group: browser },
      fail() {},
      giveBack: () => giveBack(quick, long),
      leaveOpen: () => giveBack(quick),
      async succeed() {
        await Promise.all([artifacts.remove(kind, quick), giveBack(long)]);
      },
    };
  }

  async function beginUnknown({ username, source }: Guess): Promise<CountedGuess> {
    const [name, network] = [foldedName(username), networkOfSource(source)];
    const bySource = budget('source', network);
    const pair = budget('pair', name, network);
    const pairDay = budget('pair-day', name, network);
    const account = budget('account', name);
    await denyKnown(bySource, bySource);
    await denyKnown(pair, account);

    // One commit for all of them.
    const [ofSource, ofPair, ofPairDay, ofAccount, known] = await Promise.all([
      count(bySource, limits.source),
      count(pair, limits.pair),
      count(pairDay, { seconds: day }),
      count(account, limits.account),
      artifacts.get(knownNetworkKind, pair),
    ]);
    const isOver = ofAccount.count > limits.account.attempts;
    // Not each time: a flood must not write twice as much.
    if (isOver && ofAccount.count % failuresBetween === 1) await lockedNames.add(name, ofAccount.resetsAt);
    if (ofSource.count > limits.source.attempts) {
      await giveBack(pair, pairDay, account);
      throw denyFor(bySource, ofSource, limits.source.seconds);
    }
    if (ofPair.count > limits.pair.attempts) {
      await giveBack(bySource, pairDay, account);
      throw denyFor(pair, ofPair, limits.pair.seconds);
    }
    if (isOver && ofPairDay.count > 1) {
      await giveBack(bySource, account);
      throw denyFor(pair, earlier(ofPairDay, ofAccount), day);
    }
    const isClean = ofPair.count === 1 && ofSource.count <= cleanSourceFailures;
    const isKnown = isClean && known !== undefined;
    const over = isKnown ? 0 : Math.max(0, ofAccount.count - freeFailures);
    await wait(Math.min(longestDelayMs, over * msForEachFailure));
    return {
      turn: { standing: isKnown ? 'known' : isClean ? 'clean' : 'suspect', group: groupOfNetwork(network) },
      fail() {
        if (ofSource.count === limits.source.attempts) denyFor(bySource, ofSource, limits.source.seconds);
        if (ofPair.count === limits.pair.attempts) denyFor(pair, ofPair, limits.pair.seconds);
        if (isOver) throw denyFor(pair, earlier(ofPairDay, ofAccount), day);
      },
      giveBack: () => giveBack(bySource, pair, pairDay, account),
      leaveOpen: () => giveBack(bySource, pair),
      // Not what others have failed: the account stays as slow for them as it was.
      async succeed() {
        await Promise.all([
          giveBack(bySource, account),
          artifacts.remove(kind, pair),
          artifacts.remove(kind, pairDay),
          artifacts.put(knownNetworkKind, pair, {
            payload: {},
            expiresAt: Math.floor(steady() / 1000) + knownNetworkSeconds,
          }),
        ]);
      },
    };
  }

  function count(of: Budget, { seconds }: { readonly seconds: number }): Promise<Count> {
    return artifacts.count(kind, of, seconds);
  }

  async function giveBack(...budgets: readonly Budget[]): Promise<void> {
    await Promise.all(budgets.map((one) => artifacts.uncount(kind, one)));
  }

  /** @param under  whose denials say how slowly it is told */
  async function denyKnown(of: Budget, under: Budget): Promise<void> {
    const until = denied.get(of);
    if (until === undefined) return;
    if (until <= steady() / 1000) {
      denied.delete(of);
      return;
    }
    await hold(Math.min(longestHoldMs, pressures.add(under) * msForEachDenial));
    throw tooManyGuesses(until - steady() / 1000);
  }

  async function hold(ms: number): Promise<void> {
    if (held >= mostHeld) return;
    held++;
    await wait(ms);
    held--;
  }

  /** @param most  seconds: a window begins within a second, and ends at a whole one */
  function denyFor(of: Budget, { resetsAt }: Count, most: number) {
    if (denied.size >= mostRemembered) denied.delete(denied.keys().next().value as Budget);
    const seconds = Math.min(most, resetsAt - steady() / 1000);
    denied.set(of, steady() / 1000 + seconds);
    return tooManyGuesses(seconds);
  }
}

/** The first 16 bits of an IPv4 address, the first 32 of an IPv6 one. */
function groupOfNetwork(network: string): string {
  const separator = network.includes(':') ? ':' : '.';
  return network.split(separator).slice(0, 2).join(separator);
}

function earlier(one: Count, other: Count): Count {
  return one.resetsAt < other.resetsAt ? one : other;
}

function budget(...parts: readonly string[]): Budget {
  return JSON.stringify(parts) as Budget;
}
