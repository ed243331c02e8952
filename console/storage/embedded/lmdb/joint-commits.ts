/**
 * A commit that changes the registry too. They are two files: so what the registry is to become is written down by the
 * commit of the records, then made, then forgotten; a start that finds it makes it.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { artifactKey } from '../../digest.ts';
import { type RecordCommit, type RegistryPart, registeredVersion } from '../../record-engine.ts';
import type { RecordChange } from '../../record-store.ts';
import type { Collection, RegistryWrite } from '../../records.ts';
import { collectionVersion } from '../../registry-writes.ts';
import type { Registry, RegistryTransaction } from '../../storage.ts';
import type { ArtifactEntries } from './artifact-entries.ts';
import type { Environment } from './lmdb-environment.ts';

const kind = 'RegistryChange';
const id = 'unfinished';

/** What it was before tells whether it is done already, or something came after it. */
type UnfinishedWrite = RegistryWrite & { readonly was: string };

export interface JointCommitsDeps {
  readonly environment: Environment;
  readonly registry: Pick<Registry, 'update' | 'all'>;
  readonly artifacts: Pick<ArtifactEntries, 'unset'>;
  /** While no other change of the registry is under way. */
  readonly tryIt: (commit: RecordCommit) => Promise<'overtaken' | 'ordered' | readonly RecordChange[]>;
}

const patienceMs = 1000;

/** @returns as `RecordEngine.commit` */
export function createJointCommits({ environment, registry, artifacts, tryIt }: JointCommitsDeps) {
  return async (commit: RecordCommit, part: RegistryPart): Promise<boolean> => {
    let writes: readonly UnfinishedWrite[] | undefined;
    const done = registry.update(
      (transaction) => writes && finish(transaction, writes),
      async () => {
        const isCurrent = part.expected.every(
          ({ collection, version }) => collectionVersion(registry, collection) === version,
        );
        if (!isCurrent) return;
        const asked = part.writes.map((write) => ({ ...write, was: versionOf(registry, write) }));
        const pending = { kind, id, artifact: { payload: { writes: asked } } };
        const outcome = await tryIt({ ...commit, artifacts: [...commit.artifacts, pending] });
        if (outcome !== 'overtaken') writes = asked;
      },
    );
    await done.catch((error: unknown) => {
      if (!writes) throw error;
      return untilDone(writes);
    });
    if (!writes) return false;
    await environment.write(() => artifacts.unset(kind, artifactKey(id)));
    return true;
  };

  /** The records are durable: there is no way back, and whoever waits is told when it is whole. */
  async function untilDone(writes: readonly UnfinishedWrite[]): Promise<void> {
    for (;;) {
      await delay(patienceMs, undefined, { ref: false });
      const isDone = await registry
        .update((transaction) => finish(transaction, writes))
        .then(
          () => true,
          () => false,
        );
      if (isDone) return;
    }
  }
}

/** For the start. */
export async function finishRegistryChange(
  environment: Environment,
  { entries, unset }: Pick<ArtifactEntries, 'entries' | 'unset'>,
  registry: Pick<Registry, 'update'>,
): Promise<void> {
  const found = environment.read(() => entries.get([kind, artifactKey(id)]));
  if (!found) return;
  const { writes } = found.payload as { readonly writes: readonly UnfinishedWrite[] };
  await registry.update((transaction) => finish(transaction, writes));
  await environment.write(() => unset(kind, artifactKey(id)));
}

function finish(transaction: RegistryTransaction, writes: readonly UnfinishedWrite[]): void {
  for (const { collection, id: record, was, ...write } of writes) {
    if (versionOf(transaction, { collection, id: record }) !== was) continue;
    if (write.record) transaction.put(collection, write.record);
    else transaction.remove(collection, record);
  }
}

function versionOf(
  { all }: { all(collection: Collection): ReadonlyMap<string, object> },
  { collection, id: of }: RegistryWrite,
): string {
  return registeredVersion(all(collection).get(of) as never);
}
