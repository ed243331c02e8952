import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateDirectory } from './private-files.ts';

/**
 * Where a member's data lies. `<n>.state` has everything up to the end of log n, and each `<n>.log` the changes
 * since: the newest state and the logs behind it are the data. What has become old is removed, and may be there still.
 */
export interface DataDirectory {
  readonly data: string;
  log(number: number): string;
  state(number: number): string;
  /** The files that count, in their order. */
  files(): readonly DataFile[];
  /** The files that no longer count. */
  stale(): readonly string[];
  /** What a former version has left, which is read once. */
  readonly former: { readonly store: string; readonly journal: string; readonly isThere: boolean };
  /** A place for data that is made anew. */
  readonly renewed: string;
  /**
   * Moves files out of the way and deletes nothing.
   *
   * @param names  those that are there are moved, together
   * @returns where to
   */
  setAside(...names: readonly ('data' | 'store' | 'journal' | 'renewed')[]): string;
  /** Makes the renewed data the one in use. */
  useRenewed(): void;
}

export interface DataFile {
  readonly path: string;
  readonly kind: 'state' | 'log';
  readonly number: number;
}

const ownName = /^(\d{10})\.(state|log)(\..*\.tmp)?$/;

/** @param now  epoch milliseconds */
export function dataDirectory(baseDir: string, now: () => number): DataDirectory {
  const path = (name: string) => join(baseDir, name);
  const data = path('data');
  const nameOf = (number: number, kind: DataFile['kind']) => `${String(number).padStart(10, '0')}.${kind}`;

  function all(): readonly DataFile[] {
    if (!existsSync(data)) return [];
    return readdirSync(data)
      .sort()
      .flatMap((name) => {
        const [, number, kind, temporary] = ownName.exec(name) ?? [];
        if (number === undefined || temporary !== undefined) return [];
        return [{ path: join(data, name), kind: kind as DataFile['kind'], number: Number(number) }];
      });
  }

  function files(): readonly DataFile[] {
    const state = all().findLast(({ kind }) => kind === 'state');
    const logs = all().filter(({ kind, number }) => kind === 'log' && number > (state?.number ?? 0));
    return state === undefined ? logs : [state, ...logs];
  }

  return {
    data,
    log: (number) => join(data, nameOf(number, 'log')),
    state: (number) => join(data, nameOf(number, 'state')),
    files,
    stale() {
      const counting = files().map(({ path }) => path);
      const own = readdirSync(data).filter((name) => ownName.test(name));
      return own.map((name) => join(data, name)).filter((one) => !counting.includes(one));
    },
    former: {
      store: path('store'),
      journal: path('journal'),
      get isThere() {
        return !existsSync(data) && existsSync(join(path('store'), 'data.mdb'));
      },
    },
    renewed: path('renewed'),
    setAside(...names) {
      const target = join(baseDir, 'set-aside', String(now()));
      makePrivateDirectory(target);
      for (const name of names) if (existsSync(path(name))) renameSync(path(name), join(target, name));
      return target;
    },
    useRenewed: () => renameSync(path('renewed'), data),
  };
}
