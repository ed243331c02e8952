/** One process that answers calls, and its line to the one that listens to the console. */
import { randomBytes } from 'node:crypto';
import type { ProofMemory } from '../../access-tokens/dpop/proof.ts';
import type { ReplayOutcome, UsedProof } from '../../access-tokens/dpop/replays.ts';
import { createPendingAnswers } from '../../platform/async/pending-answers.ts';
import { machineClock } from '../../platform/clocks.ts';
import type { Faults } from '../../platform/faults.ts';
import type { Logger } from '../../platform/log.ts';
import { createDenialBuffer } from '../access/denial-buffer.ts';
import type { Numbers } from '../metrics/numbers.ts';
import type { Settings } from '../settings/settings.ts';
import { createUsageCounter } from '../usage/usage-counter.ts';
import type { ForWorker, FromWorker } from './messages.ts';
import { createRevocationCache } from './revocation-cache.ts';
import { type Serving, serve } from './serve.ts';

export interface WorkerDeps {
  readonly settings: Settings;
  readonly log: Logger;
  readonly faults: Faults;
  readonly send: (message: FromWorker) => void;
  /** Of used proofs; without it, the process that listens to the console is asked (RFC 9449 §11.1). */
  readonly proofMemory?: ProofMemory;
  /** Whether there are others, whose numbers are asked for too. */
  readonly isOneOfMany: boolean;
}

export type Worker = ReturnType<typeof createWorker>;

/** Between two looks at what was counted, as a console's own processes do it. */
const usageEveryMs = 5_000;

/** Of the process that listens to the console. */
const answers = {
  patienceMs: 3_000,
  onSilence: () => new Error('the process that listens to the console does not answer'),
};

export function createWorker({ settings, log, faults, send, proofMemory, isOneOfMany }: WorkerDeps) {
  const cache = createRevocationCache({
    graceSeconds: settings.proxyNewsGraceSeconds,
    monotonic: machineClock,
    now: Date.now,
  });
  const keyFetches = createPendingAnswers<string, void>(answers);
  const origins = createPendingAnswers<string, boolean | undefined>(answers);
  const allNumbersAsked = createPendingAnswers<number, Numbers>(answers);
  const proofs = createPendingAnswers<number, ReplayOutcome>(answers);
  const denials = createDenialBuffer({
    write: async (batch) => send({ type: 'denials', batch }),
    newStem: () => randomBytes(6).toString('base64url'),
    isElsewhere: true,
    now: Date.now,
    log,
  });
  const counter = createUsageCounter();
  let asked = 0;

  return {
    receive(message: ForWorker) {
      switch (message.type) {
        case 'keyFetched':
          keyFetches.resolve(message.kid, undefined);
          break;
        case 'origin':
          origins.resolve(message.origin, message.isKnown);
          break;
        case 'allNumbers':
          allNumbersAsked.resolve(message.id, message.numbers);
          break;
        case 'proof':
          proofs.resolve(message.id, message.outcome);
          break;
        case 'state':
        case 'events':
        case 'keys':
          cache.take(message);
      }
    },
    /** Whether it has been told enough for calls to pass. */
    isCurrent: cache.isCurrent,
    /** Starts to answer. @throws {ListenError} */
    start(): Promise<Serving> {
      setInterval(() => void passUse(), usageEveryMs).unref();
      return serve({
        settings,
        log,
        cache,
        faults,
        denials,
        use: { count: counter.count, flush: passUse },
        report: (report) => send({ type: 'report', report }),
        proofMemory: proofMemory ?? { add: askAboutProof },
        fetchKey(kid) {
          const isAsked = keyFetches.has(kid);
          const fetched = keyFetches.add(kid).catch(() => {});
          if (!isAsked) send({ type: 'unknownKey', kid });
          return fetched;
        },
        askOrigin,
        ...(isOneOfMany && { allNumbers }),
      });
    },
  };

  async function passUse(): Promise<void> {
    const rows = await counter.take();
    if (rows.length > 0) send({ type: 'usage', rows });
  }

  function askAboutProof(proof: UsedProof, caller: string): Promise<ReplayOutcome> {
    asked += 1;
    const outcome = proofs.add(asked);
    send({ type: 'proof', id: asked, proof, caller });
    return outcome;
  }

  async function askOrigin(origin: string): Promise<boolean> {
    const isAsked = origins.has(origin);
    const answer = origins.add(origin);
    if (!isAsked) send({ type: 'origin', origin });
    const isKnown = await answer;
    if (isKnown === undefined) throw new Error('the console could not be asked about an origin');
    return isKnown;
  }

  function allNumbers(): Promise<Numbers> {
    asked += 1;
    const numbers = allNumbersAsked.add(asked);
    send({ type: 'allNumbers', id: asked });
    return numbers;
  }
}
