/** Writes what another store held, as it was there. */
import { digest } from '../../digest.ts';
import { countKeysOf, indexKeysOf } from '../../engine/record-indexes.ts';
import type { StoreItems } from '../../migration/store-contents.ts';
import type { GrowingCollection, GrowingRecords } from '../../record-store.ts';
import type { Queries } from '../database.ts';
import { countName } from '../records/record-rows.ts';
import { carryOut } from '../records/record-writes.ts';
import { writeRegistry } from '../registry-postgres.ts';
import { moveStatements as sql } from './move-statements.ts';

/** Below the number of every change that is made here later. */
const version = 0;

export async function putMovedRecords<C extends GrowingCollection>(
  queries: Queries,
  collection: C,
  records: readonly GrowingRecords[C][],
): Promise<void> {
  const counts = new Map<string, number>();
  for (const record of records)
    for (const name of countKeysOf(collection, record).map(countName))
      counts.set(name, (counts.get(name) ?? 0) + 1);
  const plan = {
    changes: records.map((record) => ({ collection, id: record.id, record })),
    unindexed: [],
    indexed: records.flatMap((record) => indexKeysOf(collection, record)),
    counts,
  };
  await carryOut(queries, plan, version);
}

export async function putMovedArtifacts(
  queries: Queries,
  items: readonly StoreItems['artifacts'][],
): Promise<void> {
  if (items.length === 0) return;
  const keyOf = (text: string | undefined) => (text === undefined ? null : digest(text));
  const rows = items.map(({ kind, key, artifact, uidOrder }) => {
    const { payload, grantId, uid, accountId, expiresAt = null, consumedAt = null } = artifact;
    const isOwned = [grantId, uid, accountId].some((owner) => owner !== undefined);
    return [
      kind,
      key,
      JSON.stringify(payload),
      isOwned ? JSON.stringify({ grantId, uid, accountId }) : null,
      ...[grantId, uid, accountId].map(keyOf),
      uid === undefined ? null : uidOrder,
      expiresAt,
      consumedAt,
    ];
  });
  await queries.run(
    sql.putArtifacts,
    rows[0]!.map((_, column) => rows.map((row) => row[column])),
  );
}

/** One after the other: their order is that of their numbers. */
export async function putMovedRegistry(
  queries: Queries,
  items: readonly StoreItems['registry'][],
): Promise<void> {
  for (const { collection, record } of items)
    await writeRegistry(queries, [{ collection, id: record.id, record }]);
}
