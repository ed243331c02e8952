/** Commits that other processes have to know of: one at a time among all of them, so each decides on the newest state. */
import type { ChangedNames, ChangeLog } from './change-log.ts';
import type { Database, Queries } from './database.ts';

export interface OrderedCommit {
  readonly names: ChangedNames;
  /** What this process is told, in the order of the commits. */
  readonly emit: () => void;
}

export interface Commits {
  /**
   * Runs `work` while nobody else commits, on the newest state, this process's memory included.
   *
   * @param work  @returns what has changed; undefined: nothing is to be
   * @returns whether something has changed
   */
  commit(work: (queries: Queries, seq: number) => Promise<OrderedCommit | undefined>): Promise<boolean>;
}

export interface CommitsDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly log: ChangeLog;
  /** One connection at a time waits for its turn among the processes: the others go on answering. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly notify: () => void;
  /** One that has failed may have come about all the same: then this process is told of it as others are. */
  readonly onDoubt: () => void;
}

class NothingToCommit extends Error {}

export function createCommits({ database, log, inTurn, notify, onDoubt }: CommitsDeps): Commits {
  return {
    commit: (work) =>
      inTurn(async () => {
        let taken = 0;
        try {
          await database.transaction(async (queries) => {
            taken = await log.take(queries);
            await log.advance(taken - 1, queries);
            const changed = await work(queries, taken);
            if (!changed) throw new NothingToCommit();
            await log.record(queries, taken, changed.names, changed.emit);
          });
        } catch (error) {
          log.forget(taken);
          if (error instanceof NothingToCommit) return false;
          onDoubt();
          throw error;
        }
        await log.advance(taken);
        notify();
        return true;
      }),
  };
}
