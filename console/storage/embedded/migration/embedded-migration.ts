/** Opens an embedded store to be moved from, or a directory that another store is moved into. */
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ProblemError, problems } from '../../../../platform/errors.ts';
import { syncDirectory, writeTemporary } from '../../../../platform/files/durable-file.ts';
import type { StorageLog } from '../../engine/storage-log.ts';
import type {
  StoreContents,
  StoreItems,
  StorePart,
  StorePlace,
  StoreTarget,
} from '../../migration/store-contents.ts';
import { openArtifactEntries } from '../lmdb/artifact-entries.ts';
import { type Environment, openEnvironment } from '../lmdb/lmdb-environment.ts';
import { putNewRecords } from '../lmdb/put-records.ts';
import { openRecordDatabases } from '../lmdb/record-databases.ts';
import { checkStore } from '../lmdb/store-check.ts';
import { ownStore } from '../lmdb/store-owner.ts';
import { ownLocalDirectory } from '../local-directory.ts';
import { type OpenStorageOptions, openStorage } from '../open.ts';
import { migrationFile, prepareStoreFiles, storeFiles } from '../store-files.ts';
import { embeddedContents } from './embedded-contents.ts';

export interface EmbeddedMigrationOptions extends Pick<OpenStorageOptions, 'artifactsOf' | 'onTakeOver'> {
  readonly dataDir: string;
  readonly log: StorageLog;
}

/** @throws {StorageRejectedError} `locked` while a console runs, or why it cannot be read */
export async function openEmbeddedSource({
  dataDir,
  log,
  ...options
}: EmbeddedMigrationOptions): Promise<StoreContents> {
  const files = prepareStoreFiles(dataDir, log);
  const release = await ownStore(files.dataDir, 'tool');
  try {
    return embeddedContents(await openOwned({ dataDir, log, ...options, isHalfMigrated: false }, release));
  } catch (error) {
    await release();
    throw error;
  }
}

const placeKey = ['migration'];

/**
 * @param source  names the store that is moved, without a secret
 * @throws {ProblemError} `conflict` where there is a store already, or a part of another one
 */
export async function openEmbeddedTarget(
  { dataDir, log }: EmbeddedMigrationOptions,
  source: string,
): Promise<StoreTarget> {
  const directory = resolve(dataDir);
  rejectStore(directory);
  const release = await ownLocalDirectory(directory, 'tool', log);
  try {
    const files = storeFiles(realpathSync(directory));
    await begin(files.dataDir, source);
    const opened = await openOwned({ dataDir: files.dataDir, log, isHalfMigrated: true }, release);
    return { ...embeddedContents(opened), ...writerOf(opened, files.dataDir) };
  } catch (error) {
    await release();
    throw error;
  }
}

async function openOwned(
  options: EmbeddedMigrationOptions & { readonly isHalfMigrated: boolean },
  release: () => Promise<void>,
) {
  const storage = await openStorage({ ...options, role: 'tool' });
  // The process has it open already: this is the same one.
  const environment = openEnvironment(storeFiles(realpathSync(options.dataDir)).artifacts);
  const { registry } = storage;
  const close = () => environment.close().finally(storage.close).finally(release);
  return { environment, registry, close };
}

function rejectStore(directory: string): void {
  if (existsSync(join(directory, migrationFile))) return;
  const found = ['registry.json', 'artifacts'].find((name) => existsSync(join(directory, name)));
  if (found === undefined) return;
  throw new ProblemError(
    problems.conflict,
    `There is a store in ${directory} already (${found}): name a directory without one, or move it away.`,
  );
}

/** First of all: from then on no console starts there. */
async function begin(directory: string, source: string): Promise<void> {
  const file = join(directory, migrationFile);
  if (existsSync(file)) {
    if ((JSON.parse(readFileSync(file, 'utf8')) as { readonly source?: unknown }).source === source) return;
    throw new ProblemError(
      problems.conflict,
      `There is a part of another store in ${directory}: remove registry.json, artifacts and ${migrationFile} there, and begin anew.`,
    );
  }
  await rename(await writeTemporary(file, [`${JSON.stringify({ source })}\n`]), file);
  await syncDirectory(directory);
}

type Opened = Awaited<ReturnType<typeof openOwned>>;

function writerOf({ environment, registry }: Opened, directory: string) {
  const databases = openRecordDatabases(environment);
  const artifacts = openArtifactEntries(environment);
  const places = environment.database<StorePlace>('store');

  function put<P extends StorePart>(part: P, items: readonly StoreItems[P][]): void {
    if (part === 'users' || part === 'clients') putNewRecords(databases, part, items as never);
    if (part !== 'artifacts') return;
    for (const { kind, key, artifact, uidOrder } of items as readonly StoreItems['artifacts'][])
      artifacts.set(kind, key, artifact.uid === undefined ? artifact : { ...artifact, uidOrder });
  }

  async function putRegistry(items: readonly StoreItems['registry'][]): Promise<void> {
    await (registry as Opened['registry']).update((transaction) => {
      for (const { collection, record } of items) transaction.put(collection, record as never);
    });
  }

  return {
    place: environment.read(() => places.get(placeKey)),
    async write<P extends StorePart>(part: P, items: readonly StoreItems[P][], place: StorePlace) {
      if (part === 'registry') await putRegistry(items as readonly StoreItems['registry'][]);
      await environment.write(() => {
        put(part, items);
        places.put(placeKey, place);
      });
    },
    check: () => checkStore(environment),
    async finish() {
      await forgetPlace(environment);
      rmSync(join(directory, migrationFile));
      await syncDirectory(directory);
    },
  };
}

async function forgetPlace(environment: Environment): Promise<void> {
  const places = environment.database<StorePlace>('store');
  await environment.write(() => places.remove(placeKey));
}
