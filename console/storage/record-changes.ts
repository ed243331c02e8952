/**
 * A change of records: what it has read and what it wants written is handed to the engine as data, so that it can be
 * decided in another process, or by a database. Whoever was overtaken decides again on the newest state.
 */

import {
  nameOfQuery,
  type RecordAnswer,
  type RecordCommit,
  type RecordEngine,
  type RecordQuery,
  type RecordWrite,
} from './record-engine.ts';
import type {
  GrowingCollection,
  GrowingRecords,
  RecordTransaction,
  RegisteredCollection,
  RegisteredRecords,
} from './record-store.ts';
import type { UserRecord } from './records.ts';
import { StorageUnavailableError } from './storage.ts';

/** More than callers that change one record at the same time; then something else is wrong. */
const mostAttempts = 200;

/** As {@link RecordStore.change}. */
export async function changeRecords<T>(
  engine: RecordEngine,
  work: (transaction: RecordTransaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const draft = createDraft(engine);
    const result = await draft.run(work);
    const commit = draft.commit();
    const isEmpty = commit.writes.length === 0 && commit.artifacts.length === 0;
    if (isEmpty || (await engine.commit(commit))) return result;
  }
  throw new StorageUnavailableError('the records are changed by too many at the same time');
}

function createDraft(engine: RecordEngine) {
  const expected = new Map<string, { readonly query: RecordQuery; readonly version: string }>();
  const writes = new Map<string, RecordWrite>();
  const artifacts: RecordCommit['artifacts'][number][] = [];
  let isOpen = true;

  async function ask(query: RecordQuery): Promise<RecordAnswer> {
    if (!isOpen) throw new TypeError('the change has ended');
    const answer = await engine.ask(query);
    const key = nameOfQuery(query);
    // Of two readings the first counts: whatever came between them is noticed.
    if (!expected.has(key)) expected.set(key, { query, version: answer.version });
    return answer;
  }

  function write(change: RecordWrite): void {
    if (!isOpen) throw new TypeError('the change has ended');
    writes.set(`${change.collection} ${change.id}`, change);
  }

  const transaction: RecordTransaction = {
    async get<C extends GrowingCollection>(collection: C, id: string) {
      const own = writes.get(`${collection} ${id}`);
      const found = own ?? (await ask({ by: 'id', collection, id }));
      return found.record as GrowingRecords[C] | undefined;
    },
    userByName: async (name) => (await ask({ by: 'name', name })).record as UserRecord | undefined,
    userByLink: async (provider, subject) =>
      (await ask({ by: 'link', provider, subject })).record as UserRecord | undefined,
    isNameTaken: async (name) => (await ask({ by: 'look', name })).version === 'yes',
    hasUsers: async () => (await ask({ by: 'any-user' })).version === 'yes',
    registered: async <C extends RegisteredCollection>(collection: C, id: string) =>
      (await ask({ by: 'registry', collection, id })).record as RegisteredRecords[C] | undefined,
    put: (collection, record) =>
      write({ collection, id: record.id, record: JSON.parse(JSON.stringify(record)) }),
    remove: (collection, id) => write({ collection, id }),
    putArtifact: (name, artifact) => void artifacts.push({ ...name, artifact }),
  };

  return {
    async run<T>(work: (transaction: RecordTransaction) => Promise<T>): Promise<T> {
      try {
        return await work(transaction);
      } finally {
        isOpen = false;
      }
    },
    commit: (): RecordCommit => ({
      expected: [...expected.values()],
      writes: [...writes.values()],
      artifacts,
    }),
  };
}
