/** What all processes that answer at one address remember as one: nothing of it outlives the console. */
import { createProofMemory, longestProofSeconds, type ProofMemory } from '../../access-tokens/dpop/proof.ts';
import type { Replays } from '../../access-tokens/dpop/replays.ts';
import { createRunningCalls, type RunningCalls } from '../admin-api/http/running-calls.ts';
import { repeatSeconds } from '../oidc/first-answers.ts';
import { createEntryMemories, type EntryMemories } from '../pages/cluster/remembered/entry-memories.ts';
import type { SharedCounts } from '../storage/shared-store.ts';
import type { Storage } from '../storage/storage.ts';
import { longestAssertionSeconds } from '../tokens/client-authentication/client-assertion.ts';
import {
  createSecretFailures,
  type SecretFailures,
  sharedSecretFailures,
} from '../tokens/guessing/secret-failures.ts';
import { createTokenUses, type TokenUses, type TokenUsesDeps } from '../tokens/token-uses.ts';

export interface SharedMemories {
  /** One memory, so that a proof passes once, wherever. */
  readonly proofs: ProofMemory;
  /** Of its own: anybody can send proofs with a token request, and must not use up the room for those of callers. */
  readonly tokenProofs: ProofMemory;
  /** Of client assertions: one proves who asks once. */
  readonly assertions: ProofMemory;
  readonly tokenUses: TokenUses;
  readonly secretFailures: SecretFailures;
  /** One memory, so that what is sent again elsewhere is not performed twice. */
  readonly runningCalls: RunningCalls;
  /** Of this console alone, of several too: they are for who goes on working here. */
  readonly entryMemories: EntryMemories;
}

/** Tokens are asked for less often than used. */
const tokenReplays = { perCaller: 20_000, total: 100_000 };

/** As long as an assertion may be good for, and what clocks differ by. */
const assertionReplays = {
  windowMs: (longestAssertionSeconds + 20) * 1000,
  perCaller: 50_000,
  total: 150_000,
};

const elapsed = () => performance.now();

interface InThisProcess {
  readonly proofs: Replays;
  readonly tokenProofs: Replays;
  readonly assertions: Replays;
  readonly runningCallsOf: (over: Promise<void>) => RunningCalls;
}

/** In this process. */
export function createOwnMemories() {
  const running = createRunningCalls();
  return {
    runningCalls: running.of(),
    /** Of a worker. @param over  resolves when it is gone */
    runningCallsOf: running.of,
    proofs: createProofMemory(),
    tokenProofs: createProofMemory(tokenReplays),
    assertions: createProofMemory(assertionReplays),
    tokenUses: createWatchedTokens(),
    secretFailures: createSecretFailures(elapsed),
    entryMemories: createEntryMemories(),
  } satisfies SharedMemories & InThisProcess;
}

/**
 * In this process, and in the database where several consoles share one: without it, what was used elsewhere is not
 * known, and nothing passes.
 */
export function createSharedMemories({ counts }: Pick<Storage, 'counts'>): SharedMemories {
  const own = createOwnMemories();
  if (!counts) return own;
  return {
    ...own,
    proofs: onceEverywhere(own.proofs, counts, 'proof', longestProofSeconds),
    tokenProofs: onceEverywhere(own.tokenProofs, counts, 'token-proof', longestProofSeconds),
    assertions: onceEverywhere(own.assertions, counts, 'assertion', assertionReplays.windowMs / 1000),
    secretFailures: sharedSecretFailures(own.secretFailures, counts),
    runningCalls: runningEverywhere(own.runningCalls, counts),
  };
}

/** Of a console that has ended meanwhile it is believed for so long that it goes on. */
const runningSeconds = 60;

function runningEverywhere(own: RunningCalls, { once, forget }: SharedCounts): RunningCalls {
  return {
    async begin(id) {
      if (!(await own.begin(id))) return false;
      let isFirst = false;
      try {
        isFirst = await once('call', id, runningSeconds);
        return isFirst;
      } finally {
        if (!isFirst) await own.end(id);
      }
    },
    async end(id) {
      await own.end(id);
      await forget('call', id);
    },
  };
}

/** What is known here needs no question, and what there is no room for here is not asked for: so much a caller costs. */
function onceEverywhere(own: Replays, { once }: SharedCounts, kind: string, seconds: number): ProofMemory {
  return {
    async add(proof, caller) {
      const here = own.add(proof, caller);
      if (here !== 'first') return here;
      return (await once(kind, JSON.stringify([proof.thumbprint, proof.jti]), seconds)) ? 'first' : 'used';
    },
  };
}

/** @param onUsed  gets each that is used for the first time */
export function createWatchedTokens(onUsed?: TokenUsesDeps['onUsed']) {
  return createTokenUses({ watchedMs: repeatSeconds * 1000, elapsed, ...(onUsed && { onUsed }) });
}
