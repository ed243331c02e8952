/** Removes from the database what is too old or too much: one console for all, a few hundred entries at a time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Audit, Logger } from '../../../platform/log.ts';
import type { HeldTerm } from '../../storage/shared-store.ts';
import { LeadershipLostError } from '../../storage/storage.ts';
import type { RetentionLimits } from '../retention.ts';
import { retainedText } from './retained.ts';
import type { Expired } from './row-retention.ts';
import type { SharedAuditReader } from './shared-questions.ts';

export interface RetentionRoundsDeps {
  readonly reader: SharedAuditReader;
  readonly audit: Audit;
  readonly limits: RetentionLimits;
  /** In which it is done: nothing is removed by whoever does not lead any more. */
  readonly held: HeldTerm;
  /** By the key of check-points; undefined: it is not there yet. */
  readonly sign: (text: string) => string | undefined;
  /** A round is over. */
  readonly onRound?: () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

const firstMs = 5_000;
const roundMs = 600_000;
const closeMs = 2_000;
/** So that others have the disk between. */
const pauseMs = 20;

/** @returns a function that ends it, after what is being removed */
export function startRetentionRounds(deps: RetentionRoundsDeps): () => Promise<void> {
  const { reader, audit, limits, held, sign, onRound, now, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = run();
  return async () => {
    stopping.abort();
    // A disk that takes no entries would hold up the end.
    await Promise.race([work, delay(closeMs, undefined, { ref: false })]);
  };

  async function run(): Promise<void> {
    for (let pause = firstMs; await isGoingOn(pause); pause = roundMs) {
      await round().then(onRound, (error: unknown) => {
        if (signal.aborted) return;
        if (error instanceof LeadershipLostError)
          log.warn({}, 'another console leads by now: what is too old in the audit is left to it');
        else log.warn({ err: error }, 'entries of the audit that are too old are still there');
      });
    }
  }

  async function isGoingOn(ms: number): Promise<boolean> {
    await delay(ms, undefined, { signal, ref: false }).catch(() => {});
    return !signal.aborted;
  }

  async function round(): Promise<void> {
    let before: Expired | undefined;
    while (!signal.aborted) {
      const { expired, isLost } = await reader.askShared('expired', { limits, now: now(), held });
      if (isLost) throw new LeadershipLostError();
      if (!expired) return;
      // Rows are missing that nobody has removed here: whoever verifies has to see that.
      if (expired.writer === before?.writer && expired.seq === before.seq)
        throw new Error(`entries of ${expired.writer} are missing`);
      before = expired;
      const signature = sign(retainedText(expired));
      if (signature === undefined) throw new Error('there is no key yet that signs what is removed');
      await say(expired);
      while (await isGoingOn(pauseMs)) {
        const dropped = await reader.askShared('drop', { ...expired, signature, held });
        if (dropped.isLost) throw new LeadershipLostError();
        if (dropped.isDone) break;
      }
    }
  }

  /**
   * What says that they went is there before they go. Who led before may have said it, or says it yet: it is told once, by
   * its id.
   */
  async function say(expired: Expired): Promise<void> {
    const outbox = `retention.${expired.writer}.${expired.seq}`;
    const { found } = await reader.askShared('outbox', { ids: [outbox] });
    if (found.length > 0) return;
    const about = { outcome: 'success', actor: 'console', actorKind: 'system' } as const;
    audit('audit.retention', { ...about, ...expired, outbox });
    await audit.synced?.();
  }
}
