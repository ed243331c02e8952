import { chmodSync, existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { MemberLog } from '../log.ts';
import { PersistenceRejectedError } from './instance.ts';
import { privateDirectory, privateFile } from './private-files.ts';

export interface TightenDeps {
  readonly baseDir: string;
  readonly backupDir: string;
  readonly log: Pick<MemberLog, 'warn'>;
}

/**
 * Takes away what others may do with data that is there already, former versions' or copied here, and says so (S79).
 * Of the base directory only what is the member's is looked into, of the backup directory only this user's
 * backups, and those that cannot be made private are no reason not to start.
 *
 * @throws {PersistenceRejectedError} when some of the base directory belongs to another user, or cannot be made private
 */
export function tightenData({ baseDir, backupDir, log }: TightenDeps): void {
  if (process.platform === 'win32') return;
  try {
    const own = isOwnPlace(baseDir) ? openOne(baseDir, statSync(baseDir)) : [];
    tighten([...own, ...namedIn(baseDir, ownName).flatMap((path) => openBelow(path, statSync(path)))], log);
  } catch (cause) {
    if (cause instanceof PersistenceRejectedError) throw cause;
    throw new PersistenceRejectedError(`${baseDir} cannot be made private: ${(cause as Error).message}`, {
      cause,
    });
  }
  try {
    const backups = namedIn(backupDir, backupName).filter(isOwn);
    tighten(
      backups.flatMap((path) => openBelow(path, statSync(path))),
      log,
    );
  } catch (error) {
    // Others may have taken one away meanwhile; the member does not start on them.
    log.warn({ err: error, backupDir }, 'backups could not be made private');
  }
}

function tighten(open: readonly string[], log: TightenDeps['log']): void {
  for (const path of open) chmodSync(path, statSync(path).isDirectory() ? privateDirectory : privateFile);
  if (open.length === 0) return;
  const paths = open.slice(0, mostReported);
  log.warn({ count: open.length, paths }, 'others could reach persisted data: permissions tightened');
}

const mostReported = 20;
const ownName = /^(?:data|instance|journal|renewed|salvaged|set-aside|store)$/;
const backupName = /^backup-\d+$/;
/** What lets anybody else in. */
const forOthers = 0o077;

/** A place of others too (`/`, `/tmp`, a volume's root of another user) stays theirs: what is in it is private. */
function isOwnPlace(directory: string): boolean {
  if (!existsSync(directory) || dirname(resolve(directory)) === resolve(directory)) return false;
  return (statSync(directory).mode & 0o1000) === 0 && isOwn(directory);
}

function isOwn(path: string): boolean {
  return statSync(path).uid === process.getuid?.();
}

function namedIn(directory: string, name: RegExp): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((one) => name.test(one))
    .map((one) => join(directory, one));
}

/** What is open at `path` and below it, where no link is followed. */
function openBelow(path: string, stats: Stats): string[] {
  if (!stats.isDirectory() && !stats.isFile()) return [];
  if (stats.uid !== process.getuid?.()) {
    throw new PersistenceRejectedError(
      `${path} belongs to user id ${stats.uid}, but this process runs as user id ${process.getuid?.()}: start it as the owner, or give the data to this user`,
    );
  }
  const inner = stats.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [];
  return [...openOne(path, stats), ...inner.flatMap((one) => openBelow(one, lstatSync(one)))];
}

function openOne(path: string, { mode }: Stats): string[] {
  return (mode & forOthers) === 0 ? [] : [path];
}
