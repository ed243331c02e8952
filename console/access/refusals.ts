/**
 * What the member surface refused lately, kept for whoever asks why. Refusals gather in memory and are written
 * once a second, never while a caller waits; they lie in a ring of batches, so that however many there are, the
 * store holds the newest ten thousand of callers who are known, and as many of those who are not (S83, S90).
 */
import type { RefusedCall } from '../../member-proxy/refused-call.ts';
import type { Logger } from '../log.ts';
import type { ArtifactStore } from '../storage/storage.ts';

export interface KeptRefusal extends RefusedCall {
  readonly decisionId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface Refusals {
  /** Touches memory only. @returns the decision id, which says where the refusal will lie */
  keep(refused: RefusedCall): string;
  /** Those of other processes are found a second after they happened. @returns undefined when unknown, or gone */
  find(decisionId: string): Promise<KeptRefusal | undefined>;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

export interface RefusalsDeps {
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get'>;
  /** Random, so that two processes never write to the same place; of `A-Z a-z 0-9 _ -`. */
  readonly newStem: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

const kind = 'RefusedCalls';
/** Refusals in one artifact, and artifacts in one ring. */
const batchSize = 100;
const ringSize = 100;
/** Full batches that one writing takes; what comes on top of them is not kept. */
const mostWaiting = 10;
const writeEveryMs = 1_000;
const lifeSeconds = 24 * 3600;
/** Of one caller, between two writings: who is refused over and over does not push out everybody else. */
const mostOfOne = 20;
/** Characters of a token's roles and of its scopes that are kept. */
const longestList = 2_000;
const longestReason = 500;

interface Batch {
  readonly number: number;
  readonly refusals: KeptRefusal[];
}

export function createRefusals({ artifacts, newStem, now, log }: RefusalsDeps): Refusals {
  const known = createRing(`k${newStem()}`);
  const unknown = createRing(`n${newStem()}`);
  const counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  return {
    keep(refused) {
      const ring = refused.caller ? known : unknown;
      const decisionId = ring.nextId();
      if (!isTooMuch(refused)) {
        ring.add({ ...bounded(refused), decisionId, at: now() });
        timer ??= setTimeout(write, writeEveryMs).unref();
      }
      return decisionId;
    },
    async find(decisionId) {
      const place = readId(decisionId);
      if (!place) return undefined;
      await write();
      const artifact = await artifacts.get(kind, slotOf(place.stem, place.batch));
      const { batch, refusals } = (artifact?.payload ?? {}) as { batch?: number; refusals?: KeptRefusal[] };
      if (batch !== place.batch) return undefined;
      return refusals?.find((refusal) => refusal.decisionId === decisionId);
    },
    close: write,
  };

  function isTooMuch({ caller, source = '' }: RefusedCall): boolean {
    const who = caller?.subject ?? source;
    const count = (counts.get(who) ?? 0) + 1;
    counts.set(who, count);
    return count > mostOfOne;
  }

  /** One after the other, so that an older state of a batch never replaces a newer one. */
  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    counts.clear();
    writing = writing
      .then(() => writeRings())
      .catch((error: unknown) => {
        log.warn({ err: error }, 'refusals cannot be kept: they are in the log only');
      });
    return writing;
  }

  async function writeRings(): Promise<void> {
    for (const { stem, takeChanged } of [known, unknown]) {
      const expiresAt = Math.ceil(now() / 1000) + lifeSeconds;
      await Promise.all(
        takeChanged().map(({ number, refusals }) =>
          artifacts.put(kind, slotOf(stem, number), { payload: { batch: number, refusals }, expiresAt }),
        ),
      );
    }
  }
}

/** Batches by number; only the newest, and those that are still to be written, are in memory. */
function createRing(stem: string) {
  let open: Batch = { number: 0, refusals: [] };
  let full: Batch[] = [];
  let hasChanged = false;
  let count = 0;

  return {
    stem,
    nextId: () => `${stem}.${open.number.toString(36)}.${(count++).toString(36)}`,
    add(refusal: KeptRefusal): void {
      if (full.length >= mostWaiting) return;
      open.refusals.push(refusal);
      hasChanged = true;
      if (open.refusals.length < batchSize) return;
      full.push(open);
      open = { number: open.number + 1, refusals: [] };
      hasChanged = false;
    },
    takeChanged(): readonly Batch[] {
      const changed = hasChanged ? [...full, { ...open, refusals: [...open.refusals] }] : full;
      full = [];
      hasChanged = false;
      return changed;
    },
  };
}

function slotOf(stem: string, batch: number): string {
  return `${stem}.${batch % ringSize}`;
}

function readId(decisionId: string): { readonly stem: string; readonly batch: number } | undefined {
  const [, stem, batch] = /^([kn][\w-]{1,32})\.([0-9a-z]{1,8})\.[0-9a-z]{1,10}$/.exec(decisionId) ?? [];
  return stem === undefined ? undefined : { stem, batch: Number.parseInt(batch!, 36) };
}

function bounded(refused: RefusedCall): RefusedCall {
  const { caller, reason } = refused;
  return {
    ...refused,
    reason: reason.slice(0, longestReason),
    caller: caller && { ...caller, roles: firstOf(caller.roles), scopes: firstOf(caller.scopes) },
  };
}

function firstOf(words: readonly string[]): readonly string[] {
  let length = 0;
  return words.filter((word) => {
    length += word.length;
    return length <= longestList;
  });
}
