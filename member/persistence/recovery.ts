import type { Maps } from '../data/maps.ts';
import type { Queues } from '../data/queues.ts';
import type { DataDirectory } from './directory.ts';
import { type Journal, openJournal } from './journal.ts';
import { flawOf } from './lmdb-file.ts';
import type { StructureNumbers } from './recorder.ts';
import { type Operation, purge, type StoreRecord } from './records.ts';
import { type Store, startStore } from './store.ts';

/** What was read back, opened and ready for writes. */
export interface Recovered {
  readonly store: Store;
  readonly journal: Journal;
  readonly numbers: StructureNumbers;
  /** Number of the last operation that is in the store. */
  readonly sequence: number;
  readonly entries: number;
  readonly items: number;
}

/** A file that is not as this member left it; nothing has been written to it. */
export class DamagedDataError extends Error {
  override readonly name = 'DamagedDataError';
}

export interface RecoveryDeps {
  readonly directory: DataDirectory;
  readonly maps: Pick<Maps, 'restore' | 'reset'>;
  readonly queues: Pick<Queues, 'restore' | 'reset'>;
  /** Whether a map is persisted now; what was written while it was stays where it is. */
  readonly keepsMap: (map: string) => boolean;
}

const operationsPerCommit = 5000;

/**
 * Reads the store and what the journal has beyond it into maps and queues.
 *
 * @throws {DamagedDataError} and leaves maps and queues empty
 */
export async function recoverData(deps: RecoveryDeps): Promise<Recovered> {
  const { directory, maps, queues } = deps;
  const journalFlaw = flawOf(directory.journalFile);
  if (journalFlaw !== undefined) throw new DamagedDataError(`${directory.journalFile}: ${journalFlaw}`);
  const store = startStore();
  let journal: Journal | undefined;
  try {
    const opened = await store.open(directory.store);
    if ('flaw' in opened) throw new DamagedDataError(opened.flaw);
    journal = openJournal(directory.journal);
    const sequence = await replay(journal, store, opened.sequence, directory);
    return { store, journal, sequence, ...(await load(store, deps, sequence)) };
  } catch (error) {
    maps.reset();
    queues.reset();
    await journal?.close();
    await store.close();
    throw error;
  }
}

async function replay(
  journal: Journal,
  store: Store,
  done: number,
  directory: DataDirectory,
): Promise<number> {
  const all = journal.read();
  if (all === undefined) throw new DamagedDataError(`${directory.journalFile}: an entry is damaged`);
  const open = all.filter(({ sequence }) => sequence > done);
  for (let at = 0; at < open.length; at += operationsPerCommit) {
    const part = open.slice(at, at + operationsPerCommit);
    await store.commit(
      part.map(({ operation }) => operation),
      part.at(-1)!.sequence,
    );
  }
  journal.clear();
  return Math.max(done, open.at(-1)?.sequence ?? 0);
}

async function load(store: Store, { directory, maps, queues, keepsMap }: RecoveryDeps, sequence: number) {
  const numbers: StructureNumbers = { map: new Map(), queue: new Map(), last: 0 };
  const names = { map: new Map<number, string>(), queue: new Map<number, string>() };
  const rubbish = new Map<string, Operation>();
  let entries = 0;
  let items = 0;

  /** The names come first: their keys sort before all others. */
  function take(record: StoreRecord): void {
    if (record.kind === 'progress') return;
    numbers.last = Math.max(numbers.last, record.id);
    if (record.kind === 'structure') {
      numbers[record.structure].set(record.name, record.id);
      names[record.structure].set(record.id, record.name);
      return;
    }
    const structure = record.kind === 'entry' ? 'map' : 'queue';
    const name = names[structure].get(record.id);
    if (name === undefined) {
      rubbish.set(`${structure} ${record.id}`, purge(structure, record.id));
    } else if (record.kind === 'entry') {
      if (!keepsMap(name)) return;
      maps.restore(name, record.key, record.value, record.writtenAt);
      entries += 1;
    } else {
      queues.restore(name, record.number, record.item);
      items += 1;
    }
  }

  for await (const records of store.records()) {
    for (const record of records) {
      if (record === undefined) throw new DamagedDataError(`${directory.storeFile}: a record is damaged`);
      take(record);
    }
  }
  if (rubbish.size > 0) await store.commit([...rubbish.values()], sequence);
  return { numbers, entries, items };
}
