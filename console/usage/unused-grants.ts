/**
 * What machine clients of a list have and do not use. Working it out reads the days of a client, so it is remembered;
 * what a page has no time for is worked out behind its answer, and is there at the next look.
 */
import { createPauses } from '../../platform/async/pauses.ts';
import type { ClientRecord } from '../storage/records.ts';
import type { Usage } from './usage.ts';

/**
 * `new`: the client, or the counting of calls, is younger than {@link leastDays}; `uncounted`: no calls are counted;
 * `pending`: it is being worked out.
 */
export type UnknownUnused = 'new' | 'uncounted' | 'pending';

export interface UnusedGrants {
  /** Undefined where it is not known. */
  readonly scopes?: readonly string[];
  readonly unknown?: UnknownUnused;
  /** Otherwise some calls were not counted: scopes may stand here that are used. */
  readonly isComplete: boolean;
}

export interface UnusedGrantsDeps {
  readonly usage: Pick<Usage, 'gaps' | 'hasBefore' | 'isOn' | 'mostDays'>;
  /** Scopes that no call of so many days needed. */
  readonly unusedOf: (client: ClientRecord, days: number) => Promise<readonly string[]>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

type Known = {
  readonly createdAt: number;
  readonly granted: string;
  readonly scopes: readonly string[];
  readonly at: number;
};

export const unusedDays = 30;
/** What is used once a week shows. */
const leastDays = 7;
const dayMs = 86_400_000;
/** For so long it stays as it was worked out. */
const freshMs = 10 * 60_000;
/** Clients in memory. */
const mostKnown = 10_000;

export function createUnusedGrants({ usage, unusedOf, now }: UnusedGrantsDeps) {
  const known = new Map<string, Known>();
  const waiting = new Map<string, ClientRecord>();
  let isWorking = false;
  let period: { readonly until: number; readonly found: Promise<Period> } | undefined;

  /** @param withinMs  what has been worked out after so long is in the answer, the rest is `pending` */
  return async (
    clients: readonly ClientRecord[],
    withinMs: number,
  ): Promise<(client: ClientRecord) => UnusedGrants> => {
    const { isLongEnough, isComplete } = await periodNow();
    const found = new Map<string, UnusedGrants>();
    const end = performance.now() + withinMs;
    const pause = createPauses();
    for (const client of clients) {
      await pause();
      const unknown = unknownOf(client, isLongEnough);
      if (unknown === undefined && !isFresh(client)) {
        if (performance.now() < end) await workOut(client);
        else waiting.set(client.id, client);
      }
      const scopes = unknown === undefined ? known.get(client.id)?.scopes : undefined;
      found.set(
        client.id,
        scopes
          ? { scopes: scopes.filter((scope) => client.scopes.includes(scope)), isComplete }
          : { unknown: unknown ?? 'pending', isComplete },
      );
    }
    void workOff();
    return ({ id }) => found.get(id) ?? { unknown: 'pending', isComplete };
  };

  function unknownOf({ createdAt }: ClientRecord, isLongEnough: boolean): UnknownUnused | undefined {
    if (!usage.isOn) return 'uncounted';
    return isLongEnough && createdAt <= now() - daysNeeded() * dayMs ? undefined : 'new';
  }

  function daysNeeded(): number {
    return Math.max(1, Math.min(leastDays, usage.mostDays - 1));
  }

  function isFresh({ id, createdAt, scopes }: ClientRecord): boolean {
    const one = known.get(id);
    // Another client of this id has a history of its own.
    if (one && one.createdAt !== createdAt) known.delete(id);
    return one?.createdAt === createdAt && one.granted === scopes.join(' ') && one.at > now() - freshMs;
  }

  async function workOut(client: ClientRecord): Promise<void> {
    waiting.delete(client.id);
    const { id, createdAt, scopes: granted } = client;
    const scopes = await unusedOf(client, unusedDays);
    known.delete(id);
    known.set(id, { createdAt, granted: granted.join(' '), scopes, at: now() });
    if (known.size > mostKnown) known.delete(known.keys().next().value!);
  }

  async function workOff(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    try {
      for (const client of waiting.values()) await workOut(client);
    } catch {
      // Who looks next tries again.
      waiting.clear();
    } finally {
      isWorking = false;
    }
  }

  /** The same of all clients. */
  async function periodNow(): Promise<Period> {
    if (!period || period.until < now()) {
      const found = Promise.all([
        usage.isOn && usage.hasBefore(daysNeeded()),
        usage.gaps({ days: unusedDays }),
      ]).then(([isLongEnough, gaps]) => ({ isLongEnough, isComplete: gaps.length === 0 }));
      period = { until: now() + freshMs / 10, found };
      found.catch(() => {
        period = undefined;
      });
    }
    return period.found;
  }
}

interface Period {
  readonly isLongEnough: boolean;
  readonly isComplete: boolean;
}
