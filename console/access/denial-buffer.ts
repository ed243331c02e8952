/**
 * Denials on their way to a store: they gather in memory and are written once a second, never while a caller
 * waits. Each lies in a batch that its id names; batches lie in rings, so that however many denials there are,
 * there is room for the newest ten thousand of callers who are known, and for as many of those who are not
 * (S83, S90).
 */
import type { DeniedCall } from '../../member-proxy/denied-call.ts';
import type { Logger } from '../../platform/log.ts';

export interface StoredDenial extends DeniedCall {
  readonly decisionId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Where a batch lies: random for each process, and its number from 0 on. */
export interface BatchPlace {
  readonly stem: string;
  readonly number: number;
}

/** All of a batch so far: it replaces what was written of it before. */
export interface DenialBatch extends BatchPlace {
  readonly refusals: readonly StoredDenial[];
}

export type DenialBuffer = ReturnType<typeof createDenialBuffer>;

export interface DenialBufferDeps {
  readonly write: (batch: DenialBatch) => Promise<unknown>;
  /** Random, so that two processes never write to the same place; of `A-Z a-z 0-9 _ -`. */
  readonly newStem: () => string;
  /** Whether the console hears of them from another process; their ids tell. */
  readonly isElsewhere?: boolean;
  /** How often they are written. */
  readonly writeEveryMs?: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Denials in one batch, and batches in one ring. */
export const batchSize = 100;
export const ringSize = 100;
/** Full batches that one writing takes; what comes on top of them is not kept. */
const mostWaiting = 10;
const everySecondMs = 1_000;
/** Of one caller, between two writings: who is refused over and over does not push out everybody else. */
const mostOfOne = 20;
/** Characters of a token's roles and of its scopes that are kept. */
const longestList = 2_000;
const longestReason = 500;

export function createDenialBuffer(deps: DenialBufferDeps) {
  const { write, newStem, isElsewhere = false, writeEveryMs = everySecondMs, now, log } = deps;
  const origin = isElsewhere ? 'p' : '';
  const known = createRing(`${origin}k${newStem()}`);
  const unknown = createRing(`${origin}n${newStem()}`);
  const counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  return {
    /** Touches memory only. @returns the decision id, which says where the denial will lie */
    record(denied: DeniedCall): string {
      const ring = denied.caller ? known : unknown;
      const decisionId = ring.nextId();
      if (!isTooMuch(denied)) {
        ring.add({ ...bounded(denied), decisionId, at: now() });
        timer ??= setTimeout(flush, writeEveryMs).unref();
      }
      return decisionId;
    },
    /** Writes what is still to be written. Never rejects: what cannot be written is discarded. */
    flush,
  };

  function isTooMuch({ caller, source = '' }: DeniedCall): boolean {
    const who = caller?.subject ?? source;
    const count = (counts.get(who) ?? 0) + 1;
    counts.set(who, count);
    return count > mostOfOne;
  }

  /** One after the other, so that an older state of a batch never replaces a newer one. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    counts.clear();
    writing = writing
      .then(async () => {
        for (const ring of [known, unknown]) await Promise.all(ring.takeChanged().map(write));
      })
      .catch((error: unknown) => {
        log.warn({ err: error }, 'denials cannot be stored: they are in the log only');
      });
    return writing;
  }
}

/** @returns where the denial of this id lies, and whether another process has reported it; undefined for no such id */
export function placeOf(decisionId: string): (BatchPlace & { readonly isElsewhere: boolean }) | undefined {
  const [, stem, number] = /^(p?[kn][\w-]{1,32})\.([0-9a-z]{1,8})\.[0-9a-z]{1,10}$/.exec(decisionId) ?? [];
  if (stem === undefined) return undefined;
  return { stem, number: Number.parseInt(number!, 36), isElsewhere: stem.startsWith('p') };
}

/** Batches by number; only the newest, and those that are still to be written, are in memory. */
function createRing(stem: string) {
  let open: { readonly number: number; readonly refusals: StoredDenial[] } = { number: 0, refusals: [] };
  let full: DenialBatch[] = [];
  let hasChanged = false;
  let count = 0;

  return {
    nextId: () => `${stem}.${open.number.toString(36)}.${(count++).toString(36)}`,
    add(denial: StoredDenial): void {
      if (full.length >= mostWaiting) return;
      open.refusals.push(denial);
      hasChanged = true;
      if (open.refusals.length < batchSize) return;
      full.push({ stem, ...open });
      open = { number: open.number + 1, refusals: [] };
      hasChanged = false;
    },
    takeChanged(): readonly DenialBatch[] {
      const changed = hasChanged ? [...full, { stem, ...open, refusals: [...open.refusals] }] : full;
      full = [];
      hasChanged = false;
      return changed;
    },
  };
}

function bounded(denied: DeniedCall): DeniedCall {
  const { caller, reason } = denied;
  return {
    ...denied,
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
