/** What one entry of a collection is called, where it is not called as the collection is. */
const entryNames: Readonly<Record<string, string>> = {
  'endpoint-groups': 'endpoint-group',
  realms: 'realm',
  users: 'user',
  'member-list': 'member',
};

export function entryNameOf(collection: string): string {
  return entryNames[collection] ?? collection;
}

/** Entries that are known by a child, the first of these that is there, and not by a `name` attribute. */
export const namedByChild: Readonly<Record<string, readonly string[]>> = {
  'batch-publisher': ['publisher-id', 'cluster-name'],
};
