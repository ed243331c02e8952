/** The way back: the store as the release before wrote it, in a directory of its own. */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ProblemError, problems } from '../../../../platform/errors.ts';
import { syncDirectory, syncPath } from '../../../../platform/files/durable-file.ts';
import type { ClientRecord, ProviderRecord, UserRecord } from '../../records.ts';
import type { RegistryState } from '../../registry-state.ts';
import { type Environment, type LmdbKey, openEnvironment } from '../lmdb/lmdb-environment.ts';
import { recordFormerFormat } from '../lmdb/store-format.ts';
import { createRegistryText } from '../registry/registry-text.ts';
import { storeFiles } from '../store-files.ts';
import { formerShape } from './former-registry.ts';
import { createNewRecords, type NewRecords } from './new-records.ts';

export interface DowngradeDeps {
  readonly environment: Environment;
  readonly registry: RegistryState;
  /** Must not exist yet. */
  readonly directory: string;
  /** Of its registry. */
  readonly mostBytes?: number;
}

/** Beyond some 512 MB the release before cannot read its registry, and much earlier it stops for seconds. */
const mostBytesOfFormer = 400 * 1000 * 1000;

/**
 * Everything is gathered beside `directory` and renamed at the end.
 *
 * @throws {ProblemError} `conflict` when that release could not open it
 */
export async function downgradeTo({
  environment,
  registry,
  directory,
  mostBytes = mostBytesOfFormer,
}: DowngradeDeps): Promise<void> {
  if (existsSync(directory)) throw new Error(`${directory} exists already`);
  const gathering = `${resolve(directory)}.${process.pid}.partial`;
  const files = storeFiles(gathering);
  await mkdir(files.artifacts, { recursive: true, mode: 0o700 });
  try {
    chmodSync(gathering, 0o700);
    await writeRegistry(files.registry, formerText(registry, createNewRecords(environment)), mostBytes);
    for (const file of [files.artifactsData, files.artifactsLock]) closeSync(openSync(file, 'wx', 0o600));
    await copyArtifacts(environment, files.artifacts);
    await rm(files.artifactsLock, { force: true });
    await syncPath(files.artifactsData);
    for (const path of [files.artifacts, gathering]) await syncDirectory(path);
    await rename(gathering, directory);
    await syncDirectory(dirname(resolve(directory)));
  } catch (error) {
    await rm(gathering, { recursive: true, force: true });
    throw error;
  }
}

async function* formerText(registry: RegistryState, records: Pick<NewRecords, 'all'>) {
  const text = createRegistryText(formerShape.version);
  yield text.start();
  yield text.open('users');
  for await (const user of records.all('users')) yield text.record(asFormer(user, registry));
  yield text.close();
  yield text.open('clients');
  for await (const client of records.all('clients')) yield text.record(client satisfies ClientRecord);
  yield text.close();
  for (const [collection, rest] of Object.entries(registry)) {
    yield text.open(collection);
    const former = collection === 'providers' ? asFormerProvider : asItIs;
    for (const record of rest.values()) yield text.record(former(record));
    yield text.close();
  }
  yield text.end();
}

/** That release knows only from the account itself since when what was issued to it counts. */
function asFormer(user: UserRecord, { providers }: RegistryState): UserRecord {
  const provider = user.federated && providers.get(user.federated.provider);
  const since = Number(provider?.accountsValidFrom ?? 0);
  return since > user.tokensValidFrom ? { ...user, tokensValidFrom: since } : user;
}

/** That release takes no field of a provider that it does not know. */
function asFormerProvider(record: object): object {
  const { updatedAt: _at, owner: _owner, ...provider } = record as ProviderRecord;
  return provider;
}

const asItIs = (record: object) => record;

const sliceCharacters = 1024 * 1024;

async function writeRegistry(file: string, parts: AsyncIterable<string>, mostBytes: number): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  let bytes = 0;
  let slice = '';
  const flush = async () => {
    bytes += Buffer.byteLength(slice);
    if (bytes > mostBytes) throw tooLarge();
    await handle.writeFile(slice);
    slice = '';
  };
  try {
    for await (const part of parts) {
      slice += part;
      if (slice.length >= sliceCharacters) await flush();
    }
    await flush();
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function tooLarge(): ProblemError {
  return new ProblemError(
    problems.conflict,
    'The registry would pass 400 MB, which the release before does not read. Nothing was written.',
  );
}

const artifactDatabases = ['artifacts', 'artifact-index'] as const;

/** Only those: what else is in there is of today, and so is who has it open. */
async function copyArtifacts(from: Environment, directory: string): Promise<void> {
  const to = openEnvironment(directory);
  try {
    for (const name of artifactDatabases) {
      const [source, target] = [from.bytes(name), to.bytes(name)];
      for await (const slice of slicesOf(from, source)) {
        await to.write(() => {
          for (const { key, value } of slice) target.put(key, value);
        });
      }
    }
    await recordFormerFormat(to);
  } finally {
    await to.close();
  }
}

const sliceEntries = 1000;

type Bytes = ReturnType<Environment['bytes']>;

async function* slicesOf(environment: Environment, source: Bytes) {
  let last: LmdbKey | undefined;
  for (;;) {
    const from: LmdbKey = last ?? [];
    const slice = environment.read(() =>
      [...source.under([], { from, limit: sliceEntries })].map(({ key, value }) => ({
        key,
        value: Buffer.from(value),
      })),
    );
    yield slice.filter(({ key }) => last === undefined || key.join('\0') !== last.join('\0'));
    if (slice.length < sliceEntries) return;
    last = slice.at(-1)!.key;
  }
}
