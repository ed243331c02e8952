/** Commits of records: what waits is one LMDB transaction, each commit in it a part that goes through or does not. */

import type { RecordCommit } from '../../record-engine.ts';
import type { RecordChange } from '../../record-store.ts';
import type { Registry } from '../../storage.ts';
import { applyCommit, type CommitOutcome } from '../commits/apply-commit.ts';
import type { LargeCommits } from '../commits/large-commits.ts';
import type { ArtifactEntries } from './artifact-entries.ts';
import { createJointCommits } from './joint-commits.ts';
import type { Environment } from './lmdb-environment.ts';
import type { RecordAnswers } from './record-answers.ts';
import type { RecordDatabases } from './record-databases.ts';

export interface RecordCommitsDeps {
  readonly environment: Environment;
  readonly databases: RecordDatabases;
  readonly answers: RecordAnswers;
  readonly artifacts: Pick<ArtifactEntries, 'put' | 'unset'>;
  readonly registry: Pick<Registry, 'update' | 'all'>;
  /** Takes what is much off this thread. */
  readonly large: LargeCommits;
  /** Told when it is durable, in the order of the commits. */
  readonly onCommitted: (changes: readonly RecordChange[]) => void;
}

/** @returns as `RecordEngine.commit` */
export function createRecordCommits(deps: RecordCommitsDeps): (commit: RecordCommit) => Promise<boolean> {
  const { environment, onCommitted } = deps;
  const inOrder = createOrdered(deps.registry);

  async function tryIt(commit: RecordCommit, isOrdered: boolean): Promise<CommitOutcome> {
    if (commit.isDry) return tryDry(commit);
    const large = await deps.large.tryIt(commit, isOrdered);
    if (large) return large;
    const outcome = await environment.write(() => applyCommit(deps, commit, isOrdered));
    if (Array.isArray(outcome) && outcome.length > 0) onCommitted(outcome);
    return outcome;
  }

  /** Written and taken back, so that nothing is checked otherwise than in earnest. */
  async function tryDry(commit: RecordCommit): Promise<CommitOutcome> {
    const back = new TakenBack();
    let outcome: CommitOutcome = [];
    const written = environment.write(() => {
      outcome = applyCommit(deps, commit, true);
      throw back;
    });
    await written.catch((error: unknown) => {
      if (error !== back) throw error;
    });
    return outcome;
  }

  const withRegistry = createJointCommits({ ...deps, tryIt: (commit) => tryIt(commit, true) });

  return async (commit) => {
    if (commit.registry && !commit.isDry) return withRegistry(commit, commit.registry);
    const isOfRegistry = commit.expected.some(({ query }) => query.by === 'registry');
    const first = isOfRegistry && !commit.isDry ? 'ordered' : await tryIt(commit, false);
    const outcome = first === 'ordered' ? await inOrder(() => tryIt(commit, true)) : first;
    return outcome !== 'overtaken';
  };
}

class TakenBack extends Error {}

/**
 * Runs work in the order of the registry's changes: none is under way meanwhile. What waits for one runs together, so
 * that it shares a transaction.
 */
function createOrdered(registry: Pick<Registry, 'update'>): <T>(work: () => Promise<T>) => Promise<T> {
  let waiting: (() => Promise<unknown>)[] = [];

  async function run(): Promise<void> {
    const started = waiting;
    waiting = [];
    await Promise.all(started.map((work) => work()));
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push(() => work().then(resolve, reject));
      // What the registry has to say comes too late for who is done, and is the answer for who was never asked.
      if (waiting.length === 1) registry.update(() => {}, run).catch(reject);
    });
}
