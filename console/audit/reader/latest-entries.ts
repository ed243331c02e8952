/**
 * The latest denials and changes, which every overview shows. They are looked for again only when there may be others: to
 * find five changes among a million entries takes as long as the rest of that page.
 */
import type { Entry } from '../entry.ts';
import type { Place } from '../index/entry-list.ts';
import type { EntryFilter } from '../index/filter.ts';
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
export interface Versions extends Readonly<Record<LatestKind, number>> {
  /** Another one with each entry. */
  readonly entries: number;
}

const filters: Readonly<Record<LatestKind, EntryFilter>> = {
  denials: { outcome: 'denied' },
  changes: { isChange: true },
};

interface Known {
  readonly version: number;
  readonly limit: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly entries: readonly Entry[];
}

/** Pages that are looked at for them, while an index of an earlier version does not know yet where changes are. */
const mostPages = 4;
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
  return {
    /** @param limit  at most 20. @throws {ProblemError} `busy` */
    async latest(kind: LatestKind, limit: number): Promise<readonly Entry[]> {
      if (!trail) return (await read(kind, limit)).entries;
      const before = known.get(kind);
      const version = (await trail.versions())[kind];
      const isGood =
        before?.version === version && before.limit >= limit && now() - before.at < longestKnownMs;
      if (isGood) return before.entries.slice(0, limit);
      await trail.written();
      const { entries, isAll } = await read(kind, limit);
      // What waits in memory for the disk is in none of these, and comes without another version.
      if (isAll && trail.isAvailable()) known.set(kind, { version, limit, at: now(), entries });
      return entries;
    },
  };

  /** @returns `isAll`: no more of the newest would be found by a longer look */
  async function read(kind: LatestKind, limit: number) {
    const entries: Entry[] = [];
    let from: Place | undefined;
    for (let page = 0; page < mostPages; page++) {
      const asked = { filter: filters[kind], limit: limit - entries.length, from };
      const { entries: found, next } = await reader.ask('list', asked);
      entries.push(...found);
      if (entries.length >= limit || !next) return { entries, isAll: true };
      from = next;
    }
    return { entries, isAll: false };
  }
}
