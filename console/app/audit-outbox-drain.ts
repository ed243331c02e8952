/** What a kill has left in the outbox of the audit: written at the next start, but for what the audit has. */
import { join } from 'node:path';
import type { Logger } from '../../platform/log.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import { outboxIdsIn } from '../audit/outbox-ids.ts';
import type { ArtifactStore, ListedArtifact } from '../storage/storage.ts';
import { type OutboxRecord, outboxKind } from './audit-outbox.ts';

export interface OutboxDrainDeps {
  readonly dataDir: string;
  readonly artifacts: Pick<ArtifactStore, 'list' | 'removeByKey'>;
  readonly trail: Pick<AuditStore, 'addBodies' | 'synced'>;
  readonly log: Pick<Logger, 'warn'>;
}

const pageSize = 500;

/** Goes on by itself, and says in the log what it has written. @returns before anybody may put more there */
export async function startOutboxDrain(deps: OutboxDrainDeps): Promise<void> {
  const { log } = deps;
  const left = await listOutbox(deps.artifacts);
  if (left.length === 0) return;
  writeLeft(left, deps).then(
    (entries) => {
      if (entries > 0) log.warn({ entries }, 'entries of the audit that an end had held back are written');
    },
    // The store takes nothing, or is closed: the next start tries it again.
    (err: unknown) => log.warn({ err }, 'entries of the audit are still in the store'),
  );
}

async function writeLeft(
  left: readonly ListedArtifact[],
  { dataDir, artifacts, trail }: OutboxDrainDeps,
): Promise<number> {
  const records = left
    .map(({ artifact }) => artifact.payload as unknown as OutboxRecord)
    .sort((one, other) => one.at - other.at);
  const bodies = new Map<string, string>(
    records.flatMap(({ id, bodies }) => bodies.map((body, n) => [`${id}.${n}`, body] as const)),
  );
  const since = records[0]!.at;
  const there = await outboxIdsIn(join(dataDir, 'audit'), new Set(bodies.keys()), since);
  for (const id of there) bodies.delete(id);
  if (bodies.size > 0) trail.addBodies([...bodies.values()].join('\n'));
  await trail.synced();
  await Promise.all(left.map(({ key }) => artifacts.removeByKey(outboxKind, key)));
  return bodies.size;
}

/** All of them. */
export async function listOutbox(artifacts: Pick<ArtifactStore, 'list'>): Promise<readonly ListedArtifact[]> {
  const all: ListedArtifact[] = [];
  for (;;) {
    const page = await artifacts.list(outboxKind, pageSize, all.at(-1)?.key);
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}
