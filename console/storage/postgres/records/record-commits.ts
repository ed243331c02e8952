/** Commits of records: what they were decided on still holds, or they are decided again. */
import { isAdministratorKey } from '../../engine/record-indexes.ts';
import type { RecordCommit } from '../../record-engine.ts';
import { LastAdministratorError, type RecordChange } from '../../record-store.ts';
import { collectionVersion, providersAfter } from '../../registry-writes.ts';
import { announcedNames, putArtifacts } from '../artifacts-postgres.ts';
import type { ChangedNames } from '../change-log.ts';
import type { Queries } from '../database.ts';
import type { Commits } from '../ordered-commits.ts';
import { namesOf, type PostgresRegistry, writeRegistry } from '../registry-postgres.ts';
import { createReads, type Reads } from './record-rows.ts';
import { carryOut, planWrites, type RecordPlan } from './record-writes.ts';

export interface RecordCommitsDeps {
  readonly commits: Commits;
  readonly registry: PostgresRegistry;
  readonly emitRecords: (changes: readonly RecordChange[]) => void;
  readonly emitPuts: (puts: RecordCommit['artifacts']) => void;
}

/** @returns as `RecordEngine.commit` */
export function createRecordCommits(deps: RecordCommitsDeps): (commit: RecordCommit) => Promise<boolean> {
  const { commits, registry, emitRecords, emitPuts } = deps;
  return async (commit) => {
    let isCurrent = false;
    const writes = commit.registry?.writes ?? [];
    await commits.commit(async (queries, seq) => {
      const reads = createReads(queries, registry);
      isCurrent = await isAsExpected(commit, reads, registry);
      if (!isCurrent) return undefined;
      const plan = await planWrites(reads, commit.writes);
      await writeAll({ queries, reads, commit, plan, seq, registry });
      if (commit.isDry) return undefined;
      return {
        names: namesOfCommit(commit, plan),
        emit() {
          registry.apply(writes);
          if (plan.changes.length > 0) emitRecords(plan.changes as readonly RecordChange[]);
          emitPuts(commit.artifacts);
        },
      };
    });
    return isCurrent;
  };
}

async function isAsExpected(
  { expected, registry: part }: RecordCommit,
  reads: Reads,
  registry: PostgresRegistry,
): Promise<boolean> {
  for (const { query, version } of expected) {
    if ((await reads.answer(query)).version !== version) return false;
  }
  const ofRegistry = part?.expected ?? [];
  return ofRegistry.every(({ collection, version }) => collectionVersion(registry, collection) === version);
}

interface WriteDeps {
  readonly queries: Queries;
  readonly reads: Reads;
  readonly commit: RecordCommit;
  readonly plan: RecordPlan;
  readonly seq: number;
  readonly registry: PostgresRegistry;
}

/** @throws {LastAdministratorError | DuplicateRecordError} */
async function writeAll({ queries, reads, commit, plan, seq, registry }: WriteDeps): Promise<void> {
  const ofRegistry = commit.registry?.writes ?? [];
  const takesAdministrator =
    ofRegistry.some(({ collection }) => collection === 'providers') ||
    plan.unindexed.some(isAdministratorKey);
  const hadAdministrator = takesAdministrator && (await reads.hasAdministrator());
  await carryOut(queries, plan, seq);
  const providers = providersAfter(registry, ofRegistry);
  if (hadAdministrator && !(await reads.hasAdministrator(undefined, providers)))
    throw new LastAdministratorError();
  await writeRegistry(queries, ofRegistry);
  await putArtifacts(queries, commit.artifacts);
}

function namesOfCommit({ registry, artifacts }: RecordCommit, { changes }: RecordPlan): ChangedNames {
  return {
    ...(registry && { registry: namesOf(registry.writes) }),
    ...(changes.length > 0 && { records: changes.map(({ collection, id }) => [collection, id] as const) }),
    ...announcedNames(artifacts),
  };
}
