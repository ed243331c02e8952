/** The store in PostgreSQL, and the directory of this console beside it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Secret } from '../platform/secret.ts';
import { ownLocalDirectory } from './storage/embedded/local-directory.ts';
import type { StorageLog } from './storage/engine/storage-log.ts';
import { openPostgresStorage } from './storage/postgres/open.ts';
import type { Storage } from './storage/storage.ts';

export interface SharedStoreDeps {
  readonly dataDir: string;
  readonly databaseUrl: Secret;
  readonly databaseListenUrl?: Secret | undefined;
  readonly role: 'console' | 'tool';
  readonly steady?: () => number;
  readonly log: StorageLog;
}

/** `EX_TEMPFAIL`: for a service manager that starts again what has failed, and leaves alone what has ended as it was asked to. */
const startAnewCode = 75;
/** Of the embedded store. */
const registryFile = 'registry.json';

/** @throws {StorageRejectedError | StorageUnavailableError} */
export async function openSharedStore(deps: SharedStoreDeps): Promise<Storage> {
  const { dataDir, databaseUrl, databaseListenUrl, role, steady, log } = deps;
  const release = await ownLocalDirectory(dataDir, role, log);
  if (existsSync(join(dataDir, registryFile)))
    log.warn(
      { dataDir },
      'there is an embedded store in the data directory: it is not used, CONSOLE_DATABASE_URL is',
    );
  const end = createEnd(log);
  try {
    const storage = await openPostgresStorage({
      url: databaseUrl.reveal(),
      ...(databaseListenUrl && { listenUrl: databaseListenUrl.reveal() }),
      log,
      ...(steady && { steady }),
      onGap: () =>
        end(
          'this console was away for longer than changes are kept: it ends, and has to be started anew',
          startAnewCode,
        ),
      // Started anew it would say the same.
      onNewer: (message) => end(`This console ends. ${message}`, 0),
    });
    return {
      ...storage,
      close: () => storage.close().finally(release),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** @returns ends this process in order, and says why: once */
function createEnd(log: StorageLog): (why: string, exitCode: number) => void {
  let isEnding = false;
  return (why, exitCode) => {
    if (isEnding) return;
    isEnding = true;
    log.warn({}, why);
    process.exitCode = exitCode;
    process.kill(process.pid, 'SIGTERM');
  };
}
