/** Records that have been changed in a staged storage, and by what they are found besides their ids. */
import { foldedName, shapeOf } from '../name-keys.ts';
import type { RecordQuery } from '../record-engine.ts';
import type { GrowingCollection } from '../record-store.ts';
import type { ClientRecord, UserRecord } from '../records.ts';

/** What has become of a record. */
export interface StagedRecord {
  readonly collection: GrowingCollection;
  readonly id: string;
  /** As the base has it. */
  readonly before: UserRecord | ClientRecord | undefined;
  /** Absent: it is removed. */
  readonly record: UserRecord | ClientRecord | undefined;
  /** Another one for each change of it. */
  readonly version: string;
}

interface RecordKeys {
  readonly folded: string;
  readonly shape: string;
  /** Of a user. */
  readonly name?: string;
  readonly link?: string;
}

export function createStagedKeys() {
  const names = new Map<string, string>();
  const links = new Map<string, string>();
  const folds = new Map<string, string>();
  const shapes = new Map<string, string>();
  const known = new Map<string, RecordKeys>();

  function each(
    { folded, shape, name, link }: RecordKeys,
    edit: (map: Map<string, string>, key: string) => void,
  ) {
    edit(folds, folded);
    edit(shapes, shape);
    if (name !== undefined) edit(names, name);
    if (link !== undefined) edit(links, link);
  }

  return {
    replace(staged: StagedRecord): void {
      const { collection, id } = staged;
      const owner = `${collection} ${id}`;
      const former = known.get(owner);
      if (former) each(former, (map, key) => map.get(key) === id && map.delete(key));
      known.delete(owner);
      if (!staged.record) return;
      const keys = keysOf(staged);
      known.set(owner, keys);
      each(keys, (map, key) => map.set(key, id));
    },
    isNameTaken: (name: string) => folds.has(foldedName(name)) || shapes.has(shapeOf(name)),
    /** @returns the id */
    userBy: (query: RecordQuery & { readonly by: 'name' | 'link' }): string | undefined =>
      query.by === 'name'
        ? names.get(foldedName(query.name))
        : links.get(linkOf({ provider: query.provider, subject: query.subject })),
  };
}

function keysOf({ collection, id, record }: StagedRecord): RecordKeys {
  if (collection === 'clients') return { folded: foldedName(id), shape: shapeOf(id) };
  const { username, federated } = record as UserRecord;
  const folded = foldedName(username);
  return { folded, shape: shapeOf(username), name: folded, ...(federated && { link: linkOf(federated) }) };
}

function linkOf({ provider, subject }: { readonly provider: string; readonly subject: string }): string {
  return JSON.stringify([provider, subject]);
}
