/** What no two rows of a file may share, as the store sees it too. */
import { foldedName, shapeOf } from '../storage/name-keys.ts';
import type { GrowingCollection } from '../storage/record-store.ts';
import type { ClientRecord, UserRecord } from '../storage/records.ts';

/** @returns words that say what is the same, then what it is */
export function keysOf(
  collection: GrowingCollection,
  record: UserRecord | ClientRecord,
  hasId: boolean,
): readonly string[] {
  if (collection === 'clients') return namesOf(record.id);
  const { username, id, federated } = record as UserRecord;
  return [
    ...namesOf(username),
    ...(hasId ? [`id ${id}`] : []),
    ...(federated ? [`person ${JSON.stringify([federated.provider, federated.subject])}`] : []),
  ];
}

/** Why a row is left out that has a key of an earlier one. */
export function repeatedKey(key: string, line: number): string {
  if (key.startsWith('name ')) return `its name stands in line ${line} already, or looks like the one there`;
  return `its ${key.startsWith('id ') ? 'id' : 'person of an identity provider'} stands in line ${line} already`;
}

function namesOf(name: string): readonly string[] {
  return [...new Set([foldedName(name), shapeOf(name)])].map((key) => `name ${key}`);
}
