/** Which entries of a filter are the newest: for whoever has a list of them open, and is to know how many have come since. */
import type { EntryFilter } from '../index/filter.ts';
import type { TrailVersions } from './latest-entries.ts';
import type { AuditReader } from './questions.ts';

export interface NewestEntries {
  /** Another one when there may be an entry more; the same for all who ask within a second. */
  version(): Promise<unknown>;
  /** @throws {ProblemError} `busy` */
  newest(filter: EntryFilter, limit: number): Promise<Newest>;
}

export interface Newest {
  /** The newest first. */
  readonly entries: readonly {
    /** As the API has it. */
    readonly id: string;
    readonly event: string;
  }[];
  /** There are no others. */
  readonly isAll: boolean;
}

/** A database is asked so seldom, however many lists are open. */
const freshMs = 1_000;

/**
 * @param trail  absent where nobody says what was written: then there may always be something
 * @param now    epoch milliseconds
 */
export function createNewestEntries(
  reader: AuditReader,
  trail: Pick<TrailVersions, 'versions' | 'written'> | undefined,
  now: () => number,
): NewestEntries {
  let known: { readonly at: number; readonly version: Promise<number> } | undefined;

  return {
    version() {
      if (!trail) return Promise.resolve(now());
      if (known && Math.abs(now() - known.at) < freshMs) return known.version;
      const version = Promise.resolve(trail.versions()).then(({ entries }) => entries);
      known = { at: now(), version };
      return version;
    },
    async newest(filter, limit) {
      await trail?.written();
      const { entries, next } = await reader.ask('list', { filter, limit });
      return {
        entries: entries.map(({ writer, seq, event }) => ({ id: `${writer}-${seq}`, event })),
        isAll: next === undefined,
      };
    },
  };
}
