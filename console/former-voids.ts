/**
 * Marks for what the release before had made void: it looked each token's account and client up, so it wrote none.
 * Grants of accounts that were removed are revoked one by one, as they were then.
 */

import { type Party, putVoidMark, type VoidMark, voidMarkSeconds } from './accounts/void-marks.ts';
import type { ClientRecord, UserRecord } from './storage/records.ts';

type Written = Parameters<Parameters<typeof putVoidMark>[0]['putArtifact']>;

/** @param now  epoch milliseconds */
export function formerVoids(now: number) {
  return (collection: 'users' | 'clients', record: UserRecord | ClientRecord) => {
    const voidMark = collection === 'users' ? ofUser(record as UserRecord) : ofClient(record as ClientRecord);
    const written: { kind: string; id: string; artifact: Written[1] }[] = [];
    if (voidMark.until * 1000 > now) {
      putVoidMark(
        { putArtifact: ({ kind, id }, artifact) => void written.push({ kind, id, artifact }) },
        voidMark,
      );
    }
    return written;
  };
}

function ofUser({ id, disabled, tokensValidFrom }: UserRecord): VoidMark {
  return voidFrom('account', id, Math.floor(tokensValidFrom / 1000) + 1, disabled);
}

function ofClient({ id, disabled, createdAt, tokensValidFrom = createdAt }: ClientRecord): VoidMark {
  return voidFrom('client', id, Math.floor(tokensValidFrom / 1000), disabled);
}

function voidFrom(party: Party, id: string, from: number, disabled: boolean): VoidMark {
  return { party, id, ...(disabled ? {} : { from }), until: from + voidMarkSeconds };
}
