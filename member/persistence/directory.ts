import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from './private-files.ts';

/** Where a member's data lies: everything that it has promised is in the store or in the journal. */
export interface DataDirectory {
  readonly store: string;
  readonly journal: string;
  readonly storeFile: string;
  readonly journalFile: string;
  /** A place for a store that is made anew. */
  readonly salvaged: string;
  /**
   * Moves files out of the way and deletes nothing.
   *
   * @param names  those that are there are moved, together
   * @returns where to
   */
  setAside(...names: readonly ('store' | 'journal' | 'salvaged')[]): string;
  /** Makes the salvaged store the one in use. */
  useSalvaged(): void;
}

/** @param now  epoch milliseconds */
export function dataDirectory(baseDir: string, now: () => number): DataDirectory {
  const path = (name: string) => join(baseDir, name);
  return {
    store: path('store'),
    journal: path('journal'),
    storeFile: join(path('store'), 'data.mdb'),
    journalFile: join(path('journal'), 'data.mdb'),
    salvaged: path('salvaged'),
    setAside(...names) {
      const target = join(baseDir, 'set-aside', String(now()));
      makePrivateDirectory(target);
      for (const name of names) if (existsSync(path(name))) renameSync(path(name), join(target, name));
      return target;
    },
    useSalvaged: () => renameSync(path('salvaged'), path('store')),
  };
}
