/**
 * What was made void, told to everybody who checks tokens: a token names its account and its client, and nobody looks
 * these up for each call. A mark is written by the commit that voids (S34), and is kept for as long as a token from
 * before could live.
 */
import type { RecordTransaction } from '../storage/record-store.ts';
import type { ArtifactStore, NamedArtifact } from '../storage/storage.ts';

export type Party = 'account' | 'client';

export interface VoidMark {
  readonly party: Party;
  readonly id: string;
  /** Epoch seconds: what was issued before is void. Absent: everything is, of a party that is gone or disabled. */
  readonly from?: number | undefined;
  /** Epoch seconds; afterwards the mark says nothing that a token's age does not. */
  readonly until: number;
}

/** What was issued to anybody of this kind before that time is void. */
export interface VoidFloor {
  readonly party: Party;
  /** Epoch seconds. */
  readonly before: number;
}

/** How long a mark says something, seconds: access tokens live an hour at most (CONSOLE_ACCESS_TOKEN_TTL). */
export const voidMarkSeconds = 3600 + 60;

const kind = 'VoidMark';

export function putVoidMark(transaction: Pick<RecordTransaction, 'putArtifact'>, voidMark: VoidMark): void {
  const { party, id, from, until } = voidMark;
  const payload = { party, id, until, ...(from === undefined ? {} : { from }) };
  transaction.putArtifact({ kind, id: `${party} ${id}` }, { payload, expiresAt: until });
}

/** @param limit  more are not read */
export async function listVoidMarks(
  artifacts: Pick<ArtifactStore, 'list'>,
  limit: number,
): Promise<readonly VoidMark[]> {
  const found = await artifacts.list(kind, limit);
  return found.map(({ artifact }) => artifact.payload as unknown as VoidMark);
}

const floorKind = 'VoidFloor';

/**
 * What a store gets that is put in the place of a newer one. Whom it does not know, and what has been made void since, only
 * the newer one could have said: so nothing counts that was issued before.
 *
 * @param now  epoch milliseconds
 */
export function floorsOfRestore(now: number): readonly NamedArtifact[] {
  const before = Math.floor(now / 1000) + 1;
  return (['account', 'client'] as const).map((party) => ({
    kind: floorKind,
    id: party,
    artifact: { payload: { party, before }, expiresAt: before + voidMarkSeconds },
  }));
}

export async function listVoidFloors(artifacts: Pick<ArtifactStore, 'list'>): Promise<readonly VoidFloor[]> {
  const found = await artifacts.list(floorKind, 2);
  return found.map(({ artifact }) => artifact.payload as unknown as VoidFloor);
}
