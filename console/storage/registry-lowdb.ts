/** The registry on one JSON file, kept by lowdb through an adapter that acknowledges only what is durable. */
import { closeSync, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { LowSync, type SyncAdapter } from 'lowdb';
import { dropStaleTemporaries, replaceFile, UnsyncedDirectoryError } from './durable-file.ts';
import { followFile } from './follow-file.ts';
import { createListeners } from './listeners.ts';
import type { StorageLog } from './permissions.ts';
import { corrupt, formatRegistry, parseRegistry } from './registry-format.ts';
import { changeState, differingCollections, emptyState, type RegistryState } from './registry-state.ts';
import { type Registry, StorageUnavailableError } from './storage.ts';

export interface FileRegistryDeps {
  /** Path of `registry.json`. */
  readonly file: string;
  /** Runs `work` while no other process, and nothing else in this one, writes to the data directory. */
  readonly exclusive: <T>(work: () => T) => Promise<T>;
  /** Whether this data directory is known to have had a registry: then a missing file is no new store. */
  readonly isExpected: boolean;
  readonly log?: StorageLog | undefined;
}

export interface FileRegistry extends Registry {
  /** The file's current content, whole; call it inside `exclusive`. */
  snapshot(): string;
  close(): void;
}

/**
 * Opens the registry, creating the file when the store is new.
 *
 * @throws {StorageRefusedError} `corrupt` or `newer`; the file is left as it is (S76)
 * @throws {StorageUnavailableError} when a new store cannot be written
 */
export async function openFileRegistry({
  file,
  exclusive,
  isExpected,
  log,
}: FileRegistryDeps): Promise<FileRegistry> {
  const adapter = createFileAdapter(file);
  const low = new LowSync<RegistryState>(adapter, emptyState());
  const listeners = createListeners(log);

  await exclusive(() => {
    low.read();
    dropStaleTemporaries(file);
    if (adapter.isLoaded()) return;
    if (isExpected) throw corrupt(file, 'it is missing, although this store had one');
    save(low, emptyState());
  });

  /** Takes over what another process wrote. */
  function catchUp(): void {
    if (adapter.isCurrent()) return;
    const before = low.data;
    low.read();
    listeners.tell(differingCollections(before, low.data));
  }

  const follower = followFile(file, () => {
    try {
      catchUp();
    } catch (error) {
      // What is in memory is still good; `update` refuses until the file is.
      log?.warn({ err: error }, 'the registry file was changed and cannot be read');
    }
  });

  return {
    get: (collection, id) => low.data[collection].get(id),
    all: (collection) => low.data[collection],
    update: (change) =>
      exclusive(() => {
        unavailableUnless(catchUp);
        const { next, changed, result } = changeState(low.data, change);
        if (changed.size === 0) return result;
        unavailableUnless(() => save(low, next));
        listeners.tell(changed);
        return result;
      }),
    onChange: listeners.add,
    snapshot() {
      catchUp();
      return formatRegistry(low.data);
    },
    close() {
      follower.close();
      adapter.close();
    },
  };
}

/** Makes `next` durable, or leaves memory and disk as they were (S78). */
function save(low: LowSync<RegistryState>, next: RegistryState): void {
  const before = low.data;
  low.data = next;
  try {
    low.write();
  } catch (error) {
    low.data = before;
    if (error instanceof UnsyncedDirectoryError) putBack(low);
    throw error;
  }
}

/** The new content is in place without being durable: a failed fsync is never success, so the old returns. */
function putBack(low: LowSync<RegistryState>): void {
  try {
    low.write();
  } catch {
    // The first failure is the one to report; the file holds one of the two states, whole.
  }
}

function unavailableUnless(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new StorageUnavailableError('the registry cannot be written', { cause: error });
  }
}

interface FileAdapter extends SyncAdapter<RegistryState> {
  isLoaded(): boolean;
  /** Whether the file is still the one that was read or written last. */
  isCurrent(): boolean;
  close(): void;
}

/**
 * Keeps the version that it knows open. As long as it does, the file system cannot give that inode
 * number to a later version, so comparing the numbers tells reliably whether somebody else wrote.
 */
function createFileAdapter(file: string): FileAdapter {
  let known: { readonly descriptor: number; readonly stats: Stats } | undefined;

  function keep(descriptor: number): void {
    if (known) closeSync(known.descriptor);
    known = { descriptor, stats: fstatSync(descriptor) };
  }

  return {
    read() {
      const descriptor = openIfThere(file);
      if (descriptor === undefined) {
        if (known) throw corrupt(file, 'it is missing, although this store had one');
        return null;
      }
      try {
        const state = parseRegistry(readFileSync(descriptor, 'utf8'), file);
        keep(descriptor);
        return state;
      } catch (error) {
        closeSync(descriptor);
        throw error;
      }
    },
    write(state) {
      keep(replaceFile(file, formatRegistry(state)));
    },
    isLoaded: () => known !== undefined,
    isCurrent() {
      const found = statSync(file, { throwIfNoEntry: false });
      const last = known?.stats;
      if (!found || !last) return false;
      return found.ino === last.ino && found.size === last.size && found.mtimeMs === last.mtimeMs;
    },
    close() {
      if (known) closeSync(known.descriptor);
      known = undefined;
    },
  };
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
