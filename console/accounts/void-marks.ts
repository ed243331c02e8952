/**
 * What was made void, told to everybody who checks tokens: a token names its account and its client, and nobody looks
 * these up for each call. A mark is written by the commit that voids (S34), and is kept for as long as a token from
 * before could live.
 */
import type { RecordTransaction } from '../storage/record-store.ts';
import type { ArtifactStore } from '../storage/storage.ts';

export type Party = 'account' | 'client';

export interface VoidMark {
  readonly party: Party;
  readonly id: string;
  /** Epoch seconds: what was issued before is void. Absent: everything is, of a party that is gone or disabled. */
  readonly from?: number | undefined;
  /** Epoch seconds; afterwards the mark says nothing that a token's age does not. */
  readonly until: number;
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
