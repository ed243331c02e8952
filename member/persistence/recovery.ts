import type { Maps } from '../data/maps.ts';
import type { Queues } from '../data/queues.ts';
import type { DataDirectory } from './directory.ts';
import { type Journal, openJournal, type Pack } from './journal.ts';
import type { Operation } from './operations.ts';
import type { StructureNumbers } from './recorder.ts';
import { purge, type StoreRecord } from './records.ts';
import { corruptionOf } from './store/lmdb-file.ts';
import { type Store, startStore } from './store/store.ts';
import type { Corruption } from './store/store-protocol.ts';

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
  readonly onMergeFailure: (error: Error) => void;
}

/** What one commit of the journal's operations takes at most. */
const commitBytes = 8 * 1024 * 1024;

/**
 * Reads the store and what the journal has beyond it into maps and queues. Nothing is written before
 * everything has been read.
 *
 * @throws {DamagedDataError} and leaves maps and queues empty
 */
export async function recoverData(deps: RecoveryDeps): Promise<Recovered> {
  const { directory, maps, queues } = deps;
  const journalCorruption = corruptionOf(directory.journalFile);
  if (journalCorruption !== undefined)
    throw new DamagedDataError(`${directory.journalFile}: ${journalCorruption}`);
  const store = startStore(deps.onMergeFailure);
  let journal: Journal | undefined;
  try {
    const { sequence: stored } = unlessCorrupt(await store.open(directory.store));
    journal = openJournal(directory.journal);
    const packs = journal.read()?.filter(({ first }) => first > stored);
    if (packs === undefined) throw new DamagedDataError(`${directory.journalFile}: an entry is damaged`);
    const { lastId } = unlessCorrupt(await store.prepareRead(packs));
    const { rubbish, ...loaded } = await load(store, deps, lastId);
    const sequence = await commitAll(store, [...packs, ...purgesAfter(packs, stored, rubbish)], stored);
    journal.clear();
    return { store, journal, sequence, ...loaded };
  } catch (error) {
    maps.reset();
    queues.reset();
    await journal?.close();
    await store.close();
    throw error;
  }
}

function unlessCorrupt<Answer extends object>(answer: Corruption | Answer): Answer {
  if ('corruption' in answer) throw new DamagedDataError(answer.corruption);
  return answer;
}

function purgesAfter(packs: readonly Pack[], stored: number, rubbish: readonly Operation[]): Pack[] {
  if (rubbish.length === 0) return [];
  return [{ first: lastOf(packs, stored) + 1, count: rubbish.length, bytes: Buffer.concat(rubbish) }];
}

/** @returns the number of the last operation that is in the store now */
async function commitAll(store: Store, packs: readonly Pack[], stored: number): Promise<number> {
  let part: Pack[] = [];
  let bytes = 0;
  for (const [at, pack] of packs.entries()) {
    part.push(pack);
    bytes += pack.bytes.length;
    if (bytes < commitBytes && at + 1 < packs.length) continue;
    await store.commit(part);
    part = [];
    bytes = 0;
  }
  return lastOf(packs, stored);
}

function lastOf(packs: readonly Pack[], stored: number): number {
  const last = packs.at(-1);
  return last === undefined ? stored : last.first + last.count - 1;
}

async function load(store: Store, { directory, maps, queues, keepsMap }: RecoveryDeps, lastId: number) {
  const numbers: StructureNumbers = { map: new Map(), queue: new Map(), last: lastId };
  const names = { map: new Map<number, string>(), queue: new Map<number, string>() };
  const rubbish = new Map<string, Operation>();
  let entries = 0;
  let items = 0;

  /** The names come first: their keys sort before all others. */
  function take(record: StoreRecord): void {
    if (record.kind === 'progress' || record.kind === 'log') return;
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
  return { numbers, entries, items, rubbish: [...rubbish.values()] };
}
