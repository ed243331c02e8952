/**
 * A commit of thousands of records is written by a thread: its transaction is one all the same, and whoever calls
 * meanwhile is answered. The thread opens the environment beside this one (LMDB shares it within a process), while
 * nothing is written here: so commits stay in order, and who reads sees what was before or what is after.
 */
import { Worker } from 'node:worker_threads';
import { createPauses } from '../../../../platform/async/pauses.ts';
import { programOf } from '../../../../platform/installation.ts';
import type { RecordCommit } from '../../record-engine.ts';
import { DuplicateRecordError, LastAdministratorError, type RecordChange } from '../../record-store.ts';
import { type Registry, StorageUnavailableError } from '../../storage.ts';
import type { Environment } from '../lmdb/lmdb-environment.ts';
import { type CommitOutcome, changeOf } from './apply-commit.ts';

export interface LargeCommitsDeps {
  readonly environment: Pick<Environment, 'directory' | 'withoutWrites'>;
  readonly registry: Pick<Registry, 'all'>;
  /** Told before anything else is written. */
  readonly onCommitted: (changes: readonly RecordChange[]) => void;
}

export interface LargeCommits {
  /** @returns undefined for one that is to be written here: it is small, or the thread could not begin */
  tryIt(commit: RecordCommit, isOrdered: boolean): Promise<CommitOutcome | undefined>;
}

/** In parts, so that no one of them holds up the thread that sends it. */
export type ForCommitThread =
  | { readonly type: 'part'; readonly part: Partial<Pick<RecordCommit, 'expected' | 'writes'>> }
  | {
      readonly type: 'commit';
      readonly rest: Pick<RecordCommit, 'artifacts' | 'registry'>;
      readonly isOrdered: boolean;
      /** As it is now. */
      readonly roles: ReturnType<Registry['all']>;
      readonly providers: ReturnType<Registry['all']>;
    };

/** `begins`: from here on what becomes of it is known only by its end. */
export type FromCommitThread =
  | { readonly type: 'begins' }
  /** @param unchanged  writes that removed what was not there, by number */
  | { readonly type: 'done'; readonly unchanged: readonly number[] }
  | { readonly type: 'overtaken' | 'ordered' | 'last-administrator' | 'name' | 'link' | 'failed' };

/** Records that are a few milliseconds' work. */
const mostHere = 200;
const partSize = 100;

export function createLargeCommits({ environment, registry, onCommitted }: LargeCommitsDeps): LargeCommits {
  return {
    async tryIt(commit, isOrdered) {
      if (commit.writes.length <= mostHere) return undefined;
      const thread = new Worker(programOf('console/storage/embedded/commits/commit-thread'), {
        workerData: environment.directory,
        name: 'commit',
      });
      // Sources cannot be loaded by a thread under every runner: then it ends before it has begun.
      const ended = new Promise<void>((resolve) => {
        thread.once('exit', () => resolve()).on('error', () => {});
      });
      try {
        await send(thread, commit);
        return await environment.withoutWrites(async () => {
          const outcome = await ask(thread, ended, {
            type: 'commit',
            rest: { artifacts: commit.artifacts, ...(commit.registry && { registry: commit.registry }) },
            isOrdered,
            roles: registry.all('roles'),
            providers: registry.all('providers'),
          });
          const result = resultOf(outcome, commit);
          if (Array.isArray(result) && result.length > 0) onCommitted(result);
          return result;
        });
      } finally {
        await thread.terminate();
      }
    },
  };
}

async function send(thread: Worker, { expected, writes }: RecordCommit): Promise<void> {
  const pause = createPauses(0.5);
  const post = (part: Extract<ForCommitThread, { type: 'part' }>['part']) => {
    thread.postMessage({ type: 'part', part } satisfies ForCommitThread);
    return pause();
  };
  for (let i = 0; i < expected.length; i += partSize) {
    await post({ expected: expected.slice(i, i + partSize) });
  }
  for (let i = 0; i < writes.length; i += partSize) await post({ writes: writes.slice(i, i + partSize) });
}

type Ended = Exclude<FromCommitThread, { readonly type: 'begins' }>;

/** @returns `failed` for what was not written */
function ask(thread: Worker, ended: Promise<void>, message: ForCommitThread): Promise<Ended> {
  let hasBegun = false;
  return new Promise<Ended>((resolve, reject) => {
    thread.on('message', (answer: FromCommitThread) => {
      if (answer.type === 'begins') hasBegun = true;
      else resolve(answer);
    });
    ended.then(() => {
      if (!hasBegun) resolve({ type: 'failed' });
      else reject(new StorageUnavailableError('the thread that writes a large commit has ended'));
    });
    thread.postMessage(message);
  });
}

/** @returns undefined for what failed: written here, it is told as any other failure */
function resultOf(outcome: Ended, { writes }: RecordCommit): CommitOutcome | undefined {
  switch (outcome.type) {
    case 'done': {
      const unchanged = new Set(outcome.unchanged);
      return writes.flatMap((write, i) => (unchanged.has(i) ? [] : [changeOf(write)]));
    }
    case 'last-administrator':
      throw new LastAdministratorError();
    case 'name':
    case 'link':
      throw new DuplicateRecordError(outcome.type);
    case 'failed':
      return undefined;
    default:
      return outcome.type;
  }
}
