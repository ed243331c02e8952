/**
 * A storage over another one, that holds what is changed: for a dry run, which throws it away, and for several
 * operations that are one change. Services that work on it see what they have done.
 */

import type { RecordCommit } from '../record-engine.ts';
import { createRecordLoader } from '../record-loader.ts';
import type { ClientRecord, UserRecord } from '../records.ts';
import { type Storage, StorageUnavailableError } from '../storage.ts';
import { createStagedArtifacts } from './staged-artifacts.ts';
import type { StagedRecord } from './staged-keys.ts';
import { asWrite, createStagedRecords } from './staged-records.ts';
import { createStagedRegistry } from './staged-registry.ts';

export interface StagedStorage extends Storage {
  /** What has been read of what lies beneath, as it was then. */
  expected(): RecordCommit['expected'];
  /**
   * Makes all of it durable, or nothing, and then does what follows from it to the artifacts.
   *
   * @returns false when something that it was decided on is not so any more: nothing has changed
   * @throws {LastAdministratorError}
   * @throws {DuplicateRecordError}
   * @throws {StorageUnavailableError}
   */
  commit(): Promise<boolean>;
  /**
   * What a commit of it would come to now; nothing is changed.
   *
   * @throws {LastAdministratorError | DuplicateRecordError | StorageUnavailableError} as {@link StagedStorage.commit}
   */
  checkCommit(): Promise<void>;
}

export interface StagedStorageOptions {
  /** Each change throws at once what its commit would; else {@link StagedStorage.commit} does for all of them. */
  readonly checksEach: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createStagedStorage(base: Storage, { checksEach, now }: StagedStorageOptions): StagedStorage {
  const registry = createStagedRegistry(base.registry);
  const artifacts = createStagedArtifacts(base.artifacts, now);
  const counting = new Map<string, StagedRecord>();
  const records = createStagedRecords({ base: base.records, registry, artifacts, onStaged });

  /** Only of what decides whether there is an administrator, and whose name is whose: the rest cannot fail. */
  async function onStaged(own: readonly StagedRecord[]): Promise<void> {
    const before = new Map(counting);
    for (const one of own) {
      if (counts(one)) counting.set(`${one.collection} ${one.id}`, one);
    }
    if (!checksEach) return;
    try {
      await checkCommit();
    } catch (error) {
      counting.clear();
      for (const [key, one] of before) counting.set(key, one);
      throw error;
    }
  }

  async function checkCommit(): Promise<void> {
    if (counting.size === 0) return;
    const writes = [...counting.values()].map(asWrite);
    const part = { ...registry.part(), expected: [] };
    await base.records.commit({ ...nothing, writes, registry: part, isDry: true });
  }

  return {
    registry,
    artifacts,
    records,
    loader: createRecordLoader(records),
    checkWritable: base.checkWritable,
    countDamaged: async () => 0,
    lastDamageCount: base.lastDamageCount,
    fillIndexes: async () => 0,
    check: base.check,
    backup: notHere,
    downgrade: notHere,
    close: async () => {},
    expected: () => records.pending().expected,
    async commit() {
      const part = registry.part();
      const commit: RecordCommit = {
        ...records.pending(),
        ...(part.writes.length > 0 && { registry: part }),
      };
      if (!(await base.records.commit(commit))) return false;
      await artifacts.replay();
      return true;
    },
    checkCommit,
  };
}

/** Nothing of it lasts, and each change is checked as if it did. @param now  epoch milliseconds */
export function createDryStorage(storage: Storage, now: () => number): Storage {
  return createStagedStorage(storage, { checksEach: true, now });
}

const nothing: RecordCommit = { expected: [], writes: [], artifacts: [] };

function counts({ collection, before, record }: StagedRecord): boolean {
  if (collection !== 'users') return false;
  const [was, is] = [before, record] as readonly (UserRecord | undefined)[];
  if (!was) return true;
  if (isAdministrator(was) && !isAdministrator(is)) return true;
  return (
    is !== undefined && (was.username !== is.username || was.federated?.subject !== is.federated?.subject)
  );
}

function isAdministrator(user: UserRecord | ClientRecord | undefined): boolean {
  const { disabled = true, isInvited = false, roles = [] } = (user ?? {}) as Partial<UserRecord>;
  return !disabled && !isInvited && roles.includes('Admin');
}

async function notHere(): Promise<never> {
  throw new StorageUnavailableError('this is not done with what is not kept');
}
