/** Removes from the database what is too old or too much: one console for all, a few hundred entries at a time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Audit, Logger } from '../../../platform/log.ts';
import type { RetentionLimits } from '../retention.ts';
import { retainedText } from './retained.ts';
import type { Expired } from './row-retention.ts';
import type { SharedAuditReader } from './shared-questions.ts';

export interface RetentionRoundsDeps {
  readonly reader: SharedAuditReader;
  readonly audit: Audit;
  readonly limits: RetentionLimits;
  /** By the key of check-points; undefined: it is not there yet. */
  readonly sign: (text: string) => string | undefined;
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
  const { reader, audit, limits, sign, now, log } = deps;
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
      await round().catch((error: unknown) => {
        if (!signal.aborted)
          log.warn({ err: error }, 'entries of the audit that are too old are still there');
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
      const { expired } = await reader.askShared('expired', { limits, now: now() });
      if (!expired) return;
      // Rows are missing that nobody has removed here: whoever verifies has to see that.
      if (expired.writer === before?.writer && expired.seq === before.seq)
        throw new Error(`entries of ${expired.writer} are missing`);
      before = expired;
      const signature = sign(retainedText(expired));
      if (signature === undefined) throw new Error('there is no key yet that signs what is removed');
      // What says that they went is there before they go.
      audit('audit.retention', { outcome: 'success', actor: 'console', actorKind: 'system', ...expired });
      await audit.synced?.();
      while (await isGoingOn(pauseMs)) {
        const { isDone } = await reader.askShared('drop', { ...expired, signature });
        if (isDone) break;
      }
    }
  }
}
