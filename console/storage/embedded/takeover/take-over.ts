/**
 * A store of the release before, in which users and clients were part of `registry.json`, becomes one of today: once,
 * by the first process that owns it. Until the last rename the old registry is what counts, so whatever ends this
 * leaves a store that the next start takes over from the beginning; nothing of it does harm when it is done twice.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, linkSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory, syncPath, writeTemporary } from '../../../../platform/files/durable-file.ts';
import type { NamedArtifact } from '../../artifact.ts';
import { type GrowingCollection, type GrowingRecords, growingCollections } from '../../record-store.ts';
import { type ArtifactStore, StorageUnavailableError } from '../../storage.ts';
import type { Environment } from '../lmdb/lmdb-environment.ts';
import { originOfRecords, recordFormat } from '../lmdb/store-format.ts';
import { formatRegistry } from '../registry/registry-format.ts';
import { corrupt } from '../registry/registry-text.ts';
import type { StoreFiles } from '../store-files.ts';
import { backUpFormer, findBackupOf } from './former-backup.ts';
import { type FormerRegistry, parseFormerRegistry } from './former-registry.ts';
import { createNewRecords, type NewRecords } from './new-records.ts';
import { checkRoomFor } from './room.ts';

/** In this order; what a step names has been done, but for `loading`, which is told again and again. */
export type TakeOverStep =
  | 'checked'
  | 'backed_up'
  | 'cleared'
  | 'loading'
  | 'loaded'
  | 'compared'
  | 'recorded'
  | 'kept'
  | 'written'
  | 'replaced'
  | 'done';

export interface TakeOverProgress {
  readonly step: TakeOverStep;
  /** Users and clients that are in their new place. */
  readonly records: number;
  readonly of: number;
  /** Where the backup is, once there is one. */
  readonly backup?: string | undefined;
}

/** What a record of the release before says that today stands in an artifact of its own. */
export type ArtifactsOf = <C extends GrowingCollection>(
  collection: C,
  record: GrowingRecords[C],
) => readonly NamedArtifact[];

export interface TakeOverDeps {
  readonly files: StoreFiles;
  readonly environment: Environment;
  readonly artifacts: Pick<ArtifactStore, 'put'>;
  readonly artifactsOf: ArtifactsOf;
  readonly onProgress: (progress: TakeOverProgress) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const batchSize = 2000;

/**
 * @throws {StorageRejectedError} `corrupt` or `full`; nothing has changed
 * @throws {StorageUnavailableError} what counts is as it was
 */
export async function takeOver(deps: TakeOverDeps): Promise<void> {
  const { files, environment, now } = deps;
  const records = createNewRecords(environment);
  const text = await readFile(files.registry, 'utf8');
  const former = parseFormerRegistry(text, files.registry);
  const sum = createHash('sha256').update(text).digest('hex');
  rejectSecond(files, originOfRecords(environment));
  const of = growingCollections.reduce((total, collection) => total + former.records[collection].size, 0);
  let backup = await findBackupOf(files.dataDir, sum);
  const report = (step: TakeOverStep, done = of) => deps.onProgress({ step, records: done, of, backup });

  await checkRoomFor(files, backup === undefined ? 'withBackup' : 'withoutBackup');
  report('checked', 0);
  backup ??= await backUpFormer({ files, environment, text, now });
  report('backed_up', 0);
  await records.clear();
  report('cleared', 0);
  await load(deps, records, former, (done) => report('loading', done));
  report('loaded');
  await compare(records, former, files.artifactsData);
  report('compared');
  await recordFormat(environment, sum);
  report('recorded');
  await replaceRegistry(files, former, report);
  await recordFormat(environment);
  report('done');
}

/** Users and clients are there already and have changed since: an old registry must not bring theirs back. */
function rejectSecond({ registry, artifacts }: StoreFiles, origin: string | undefined): void {
  if (origin !== 'own') return;
  throw corrupt(
    registry,
    `it is of an earlier release, while ${artifacts} holds the users and clients of this one. To go back to the ` +
      'earlier release, see "npx console help storage downgrade"',
  );
}

async function load(
  { artifacts, artifactsOf }: TakeOverDeps,
  records: NewRecords,
  former: FormerRegistry,
  onBatch: (done: number) => void,
): Promise<void> {
  let done = 0;
  for (const collection of growingCollections) {
    const sorted = [...former.records[collection].values()].sort((one, other) =>
      one.id < other.id ? -1 : 1,
    );
    for (let from = 0; from < sorted.length; from += batchSize) {
      const batch = sorted.slice(from, from + batchSize);
      const beside = batch.flatMap((record) => artifactsOf(collection, record));
      await Promise.all(beside.map(({ kind, id, artifact }) => artifacts.put(kind, id, artifact)));
      await records.add(collection, batch);
      done += batch.length;
      onBatch(done);
    }
  }
}

/** Each record by its text: what is in the new place is what was in the old one, nothing missing and nothing more. */
async function compare(
  records: NewRecords,
  { records: former }: FormerRegistry,
  path: string,
): Promise<void> {
  for (const collection of growingCollections) {
    let found = 0;
    for await (const record of records.all(collection)) {
      const source = former[collection].get(record.id);
      if (JSON.stringify(source) !== JSON.stringify(record)) throw miswritten(path, collection);
      found++;
    }
    if (found !== former[collection].size) throw miswritten(path, collection);
  }
}

function miswritten(path: string, collection: string): StorageUnavailableError {
  return new StorageUnavailableError(
    `the ${collection} in ${path} are not those that were written there: look at the disk and the memory of this machine`,
  );
}

async function replaceRegistry(
  { registry, formerRegistry }: StoreFiles,
  { rest }: FormerRegistry,
  report: (step: TakeOverStep) => void,
): Promise<void> {
  saveAside(registry, formerRegistry);
  await syncPath(formerRegistry);
  await syncDirectory(dirname(registry));
  report('kept');
  const temporary = await writeTemporary(registry, [formatRegistry(rest)]);
  report('written');
  renameSync(temporary, registry);
  report('replaced');
  await syncDirectory(dirname(registry));
}

/** Under a second name, so that there is a registry at every moment; a copy where the file system has no such. */
function saveAside(file: string, as: string): void {
  rmSync(as, { force: true });
  try {
    linkSync(file, as);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
    copyFileSync(file, as);
  }
}
