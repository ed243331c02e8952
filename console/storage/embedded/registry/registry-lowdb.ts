/**
 * The registry on one JSON file, kept by lowdb through an adapter that acknowledges only what is durable.
 * The event loop waits for no disk: what is written is written and synced by other threads, a slice at a time,
 * while everybody reads the state that was durable last.
 */

import { closeSync, fstatSync, openSync, readFile, renameSync, type Stats, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type Adapter, Low } from 'lowdb';
import { createSerial } from '../../../../platform/async/serial.ts';
import {
  dropStaleTemporaries,
  syncDirectory,
  UnsyncedDirectoryError,
  writeTemporary,
} from '../../../../platform/files/durable-file.ts';
import { hasProcess } from '../../../../platform/process/process-identity.ts';
import { createListeners } from '../../engine/listeners.ts';
import type { StorageLog } from '../../engine/storage-log.ts';
import type { Collection } from '../../records.ts';
import { changeState, differingCollections, emptyState, type RegistryState } from '../../registry-state.ts';
import { type Registry, StorageUnavailableError } from '../../storage.ts';
import { followFile } from '../follow-file.ts';
import { formatRegistry, parseRegistry } from './registry-format.ts';
import { corrupt } from './registry-text.ts';

export interface FileRegistryDeps {
  /** Path of `registry.json`. */
  readonly file: string;
  /**
   * Runs `work` while no other process, and nothing else in this one, writes to the data directory. It is on
   * the event loop, so it must not wait for a disk.
   */
  readonly exclusive: <T>(work: () => T) => Promise<T>;
  /** Whether this data directory is known to have had a registry: then a missing file is no new store. */
  readonly isExpected: boolean;
  readonly log?: StorageLog | undefined;
}

export interface FileRegistry extends Registry {
  /** The newest durable state, when every change that was asked for before is in it. */
  snapshot(): Promise<RegistryState>;
  /** Resolves when the change that is under way has ended. */
  close(): Promise<void>;
}

/**
 * Opens the registry, creating the file when the store is new.
 *
 * @throws {StorageRejectedError} `corrupt` or `newer`; the file is left as it is (S76)
 * @throws {StorageUnavailableError} when a new store cannot be written
 */
export async function openFileRegistry({
  file,
  exclusive,
  isExpected,
  log,
}: FileRegistryDeps): Promise<FileRegistry> {
  const adapter = createFileAdapter(file, exclusive);
  const low = new Low<RegistryState>(adapter, emptyState());
  const listeners = createListeners<ReadonlySet<Collection>>('registry', log);
  /** What everybody reads: durable, unlike what is being written. */
  let state = emptyState();
  const serialized = createSerial();

  dropStaleTemporaries(file, hasProcess);
  await low.read();
  if (!adapter.isLoaded()) {
    if (isExpected) throw corrupt(file, 'it is missing, although this store had one');
    await save(low, emptyState(), emptyState()).catch(async (error) => {
      if (!(error instanceof OvertakenError)) throw error;
      await low.read(); // another process was quicker
    });
  }
  state = low.data;

  /** One after the other: each change is made to the newest state. */
  /** Takes over what another process wrote. */
  async function catchUp(): Promise<void> {
    if (adapter.isCurrent()) return;
    const before = state;
    await low.read();
    state = low.data;
    const changed = differingCollections(before, state);
    if (changed.size > 0) listeners.emit(changed);
  }

  async function change<T>(work: Parameters<Registry['update']>[0]): Promise<T> {
    for (;;) {
      await unavailableUnless(catchUp);
      const { next, changed, result } = changeState(state, work);
      if (changed.size === 0) return result as T;
      try {
        await unavailableUnless(() => save(low, next, state));
      } catch (error) {
        if (error instanceof OvertakenError) continue;
        throw error;
      }
      state = next;
      listeners.emit(changed);
      return result as T;
    }
  }

  const follower = followFile(file, () => {
    if (adapter.isCurrent()) return;
    serialized(catchUp).catch((error) => {
      // What is in memory is still good; `update` refuses until the file is.
      log?.warn({ err: error }, 'the registry file was changed and cannot be read');
    });
  });

  return {
    get: (collection, id) => state[collection].get(id),
    all: (collection) => state[collection],
    update: (work, guard) =>
      serialized(async () => {
        await guard?.();
        return change(work);
      }),
    onChange: listeners.add,
    snapshot: () => serialized(() => catchUp().then(() => state)),
    async close() {
      follower.close();
      await serialized(async () => {});
      adapter.close();
    },
  };
}

/** Makes `next` durable, or leaves the disk as it was, which is `before` (S78). */
async function save(low: Low<RegistryState>, next: RegistryState, before: RegistryState): Promise<void> {
  low.data = next;
  try {
    await low.write();
  } catch (error) {
    low.data = before;
    if (error instanceof UnsyncedDirectoryError) await putBack(low);
    throw error;
  }
}

/** The new content is in place without being durable: a failed fsync is never success, so the old returns. */
async function putBack(low: Low<RegistryState>): Promise<void> {
  try {
    await low.write();
  } catch {
    // The first failure is the one to report; the file holds one of the two states, whole.
  }
}

async function unavailableUnless(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof OvertakenError) throw error;
    throw new StorageUnavailableError('the registry cannot be written', { cause: error });
  }
}

/** Another process wrote while this one was writing: its change comes first. */
class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

interface FileAdapter extends Adapter<RegistryState> {
  isLoaded(): boolean;
  /** Whether the file is still the one that was read or written last. */
  isCurrent(): boolean;
  close(): void;
}

/**
 * Keeps the version that it knows open. As long as it does, the file system cannot give that inode
 * number to a later version, so comparing the numbers tells reliably whether somebody else wrote.
 */
function createFileAdapter(file: string, exclusive: FileRegistryDeps['exclusive']): FileAdapter {
  let known: { readonly descriptor: number; readonly stats: Stats } | undefined;

  function retain(descriptor: number): void {
    if (known) closeSync(known.descriptor);
    known = { descriptor, stats: fstatSync(descriptor) };
  }

  function isCurrent(): boolean {
    const found = statSync(file, { throwIfNoEntry: false });
    const last = known?.stats;
    if (!found || !last) return found === undefined && last === undefined;
    return found.ino === last.ino && found.size === last.size && found.mtimeMs === last.mtimeMs;
  }

  return {
    async read() {
      const descriptor = openIfThere(file);
      if (descriptor === undefined) {
        if (known) throw corrupt(file, 'it is missing, although this store had one');
        return null;
      }
      try {
        const state = parseRegistry(await readDescriptor(descriptor), file);
        retain(descriptor);
        return state;
      } catch (error) {
        closeSync(descriptor);
        throw error;
      }
    },
    async write(state) {
      const temporary = await writeTemporary(file, [formatRegistry(state)]);
      try {
        await exclusive(() => {
          if (!isCurrent()) throw new OvertakenError();
          const descriptor = openSync(temporary, 'r');
          try {
            renameSync(temporary, file);
          } catch (error) {
            closeSync(descriptor);
            throw error;
          }
          retain(descriptor);
        });
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await syncDirectory(dirname(file)).catch((cause) => {
        throw new UnsyncedDirectoryError('the directory could not be synced', { cause });
      });
    },
    isLoaded: () => known !== undefined,
    isCurrent,
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

const readWhole = promisify(readFile);

/** From the version that was opened, even when another one takes its place meanwhile. */
function readDescriptor(descriptor: number): Promise<string> {
  return readWhole(descriptor, 'utf8');
}
