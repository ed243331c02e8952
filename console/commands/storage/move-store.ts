/** Moves the store of the settings: out of the data directory into a database, or the other way round. */
import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { ProblemError, problems } from '../../../platform/errors.ts';
import { createProgress } from '../../bulk/progress.ts';
import type { Settings } from '../../settings/settings.ts';
import {
  type EmbeddedMigrationOptions,
  openEmbeddedSource,
  openEmbeddedTarget,
} from '../../storage/embedded/migration/embedded-migration.ts';
import { createTakeOverReport } from '../../storage/embedded/takeover/take-over-progress.ts';
import type { StoreContents, StorePart, StoreTarget } from '../../storage/migration/store-contents.ts';
import { type MigrationProgress, migrateStore } from '../../storage/migration/store-migration.ts';
import type { CollectionSum } from '../../storage/migration/store-sums.ts';
import {
  nameOfDatabase,
  openPostgresSource,
  openPostgresTarget,
} from '../../storage/postgres/migration/postgres-migration.ts';
import { StorageRejectedError } from '../../storage/storage.ts';
import type { MovedStore } from '../runner/command.ts';

export interface MoveDeps {
  readonly settings: Settings;
  readonly shell: {
    readonly stderr: Writable & { readonly isTTY?: boolean };
    cwd(): string;
  };
  /** For a store of the release before. */
  readonly artifactsOf: NonNullable<EmbeddedMigrationOptions['artifactsOf']>;
  readonly log: EmbeddedMigrationOptions['log'];
}

const setting = 'CONSOLE_DATABASE_URL';

/**
 * @param to        a directory, or the address of a database without a password
 * @param password  of that address; absent: the one of `CONSOLE_DATABASE_URL`, if that is the same otherwise
 * @throws {ProblemError | StorageRejectedError | StorageUnavailableError} the source is as it was
 */
export async function moveStore(
  deps: MoveDeps,
  to: string,
  password: string | undefined,
): Promise<MovedStore> {
  const { settings, shell, log } = deps;
  const isToDatabase = /^postgres(ql)?:/.test(to);
  const own = settings.databaseUrl?.reveal();
  if (isToDatabase) {
    const url = withPassword(to, password, own);
    const from = realOr(settings.dataDir);
    if (own !== undefined && nameOfDatabase(own) !== nameOfDatabase(url)) throw betweenDatabases();
    const source = () => embeddedSource(deps);
    const target = () => openPostgresTarget(url, from).catch(asOfAddress);
    return { from, to: nameOfDatabase(url), collections: await move(source, target, shell) };
  }
  if (own === undefined) throw betweenDirectories();
  const directory = isAbsolute(to) ? to : resolve(shell.cwd(), to);
  const from = nameOfDatabase(own);
  const target = () => openEmbeddedTarget({ dataDir: directory, log }, from);
  return { from, to: directory, collections: await move(() => openPostgresSource(own), target, shell) };
}

/** The source first: what cannot be read makes nothing anywhere. */
async function move(
  openSource: () => Promise<StoreContents>,
  openTarget: () => Promise<StoreTarget>,
  { stderr }: MoveDeps['shell'],
): Promise<readonly CollectionSum[]> {
  const source = await openSource();
  try {
    const target = await openTarget();
    const progress = createProgress({
      write: (text) => void stderr.write(text),
      isTerminal: stderr.isTTY === true,
      steady: () => performance.now(),
    });
    try {
      return await migrateStore(source, target, (at) => progress.report(inWords(at), at.done, at.of));
    } finally {
      progress.close();
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function embeddedSource({ settings: { dataDir }, shell: { stderr }, log, artifactsOf }: MoveDeps) {
  const say = (_fields: unknown, message: string) => void stderr.write(`${message}\n`);
  const onTakeOver = createTakeOverReport({ say, terminal: stderr });
  return openEmbeddedSource({ dataDir, log, artifactsOf, onTakeOver });
}

const partsInWords: Readonly<Record<StorePart, string>> = {
  users: 'users',
  clients: 'clients',
  artifacts: 'sessions, tokens and counters',
  registry: 'settings, roles, providers and keys',
};

function inWords({ step, part }: MigrationProgress): string {
  return step === 'checking' ? 'checking indexes' : `${step} ${partsInWords[part]}`;
}

function realOr(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return resolve(directory);
  }
}

/** @throws {ProblemError} */
function withPassword(to: string, password: string | undefined, own: string | undefined): string {
  const url = new URL(to);
  if (password !== undefined) url.password = encodeURIComponent(password);
  else if (own !== undefined && nameOfDatabase(own) === nameOfDatabase(to)) return own;
  return url.href;
}

/** What it says of the setting is said of the flag. */
function asOfAddress(error: unknown): never {
  if (!(error instanceof StorageRejectedError)) throw error;
  throw new StorageRejectedError(error.reason, error.message.replaceAll(setting, '--to'), {
    cause: error.cause,
  });
}

function betweenDatabases(): ProblemError {
  const detail = `The store is in PostgreSQL already (${setting}): it goes to another database by pg_dump and pg_restore.`;
  return new ProblemError(problems.conflict, detail);
}

function betweenDirectories(): ProblemError {
  const detail = `The store is in CONSOLE_DATA_DIR already: copy it by "npx console backup", or name the database to move from in ${setting}.`;
  return new ProblemError(problems.conflict, detail);
}
