/**
 * The latest denials and changes, which every overview shows. They are looked for again only when there may be others: to
 * find five changes among a million entries takes as long as the rest of that page.
 */
import type { Entry } from '../entry.ts';
import type { AuditReader } from './questions.ts';

/** Of the trail that this process writes alone, or of what several consoles have written. */
export interface TrailVersions {
  /** Another one with each entry that may be of the kind, and with one that is erased. */
  readonly versions: () => Versions | Promise<Versions>;
  /** Resolves when all that was recorded can be read; at once while the disk takes nothing. */
  readonly written: () => Promise<void>;
  readonly isAvailable: () => boolean;
}

export type LatestKind = 'denials' | 'changes';
export type Versions = Readonly<Record<LatestKind, number>>;

interface Known {
  readonly version: number;
  readonly limit: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly entries: readonly Entry[];
}

/** Calls are most entries: what is changed is found by what it was done to. */
const changedKinds = ['user', 'client', 'role', 'idp'] as const;
/** Of each kind: not every entry of an object has changed something. */
const mostRead = 20;
/** What is removed for its age is gone after that at the latest. */
const longestKnownMs = 60_000;

export type LatestEntries = ReturnType<typeof createLatestEntries>;

/**
 * @param trail  absent where others write too: each question is asked anew
 * @param now    epoch milliseconds
 */
export function createLatestEntries(
  reader: AuditReader,
  trail: TrailVersions | undefined,
  now: () => number,
) {
  const known = new Map<LatestKind, Known>();
  const readers: Readonly<Record<LatestKind, (limit: number) => Promise<readonly Entry[]>>> = {
    denials: async (limit) => (await reader.ask('list', { filter: { outcome: 'denied' }, limit })).entries,
    changes: readChanges,
  };
  return {
    /** @param limit  at most 20. @throws {ProblemError} `busy` */
    async latest(kind: LatestKind, limit: number): Promise<readonly Entry[]> {
      if (!trail) return readers[kind](limit);
      const before = known.get(kind);
      const version = (await trail.versions())[kind];
      const isGood =
        before?.version === version && before.limit >= limit && now() - before.at < longestKnownMs;
      if (isGood) return before.entries.slice(0, limit);
      await trail.written();
      const entries = await readers[kind](limit);
      // What waits in memory for the disk is in none of these, and comes without another version.
      if (trail.isAvailable()) known.set(kind, { version, limit, at: now(), entries });
      return entries;
    },
  };

  async function readChanges(limit: number): Promise<readonly Entry[]> {
    const found = await Promise.all(
      changedKinds.map((objectKind) =>
        reader.ask('list', { filter: { objectKind, outcome: 'success' }, limit: mostRead }),
      ),
    );
    return found
      .flatMap(({ entries }) => entries)
      .filter(({ change }) => change !== undefined)
      .sort((one, other) => (one.time < other.time ? 1 : -1))
      .slice(0, limit);
  }
}
