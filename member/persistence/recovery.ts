import { copyFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Change } from '../data/changes.ts';
import type { Maps } from '../data/maps.ts';
import type { Queues } from '../data/queues.ts';
import { type ChangeLog, openChangeLog } from './change-log.ts';
import type { DataDirectory, DataFile } from './directory.ts';
import type { LastRun } from './instance.ts';
import { createParkedChanges, type ParkedChanges } from './parked-changes.ts';
import { makePrivateDirectory } from './private-files.ts';
import { type Reading, readOperations } from './read-file.ts';

/** What was read back, and where it goes on. */
export interface Recovered {
  readonly log: ChangeLog;
  readonly stateBytes: number;
  readonly parked: ParkedChanges;
  readonly entries: number;
  readonly items: number;
}

/** A file that is not as this member left it; nothing has been written to it. */
export class DamagedDataError extends Error {
  override readonly name = 'DamagedDataError';
}

export interface RecoveryDeps {
  readonly directory: DataDirectory;
  readonly lastRun: LastRun;
  readonly maps: Pick<Maps, 'replay' | 'replayed' | 'reset'>;
  readonly queues: Pick<Queues, 'replay' | 'replayed' | 'reset'>;
  /** Whether a map is persisted now; what was written while it was stays where it is. */
  readonly persistsMap: (map: string) => boolean;
  /** Hears of bytes at the end that were cut off. @param copy  where they are still, if they may have been confirmed */
  readonly onCut: (bytes: number, copy: string | undefined) => void;
}

/**
 * Reads state and logs into maps and queues. Nothing is written before everything has been read.
 *
 * @throws {DamagedDataError} and leaves maps and queues empty
 */
export async function recoverData(deps: RecoveryDeps): Promise<Recovered> {
  const { directory, maps, queues, persistsMap } = deps;
  const parked = createParkedChanges();

  function take(change: Change): void {
    if ('queue' in change ? queues.replay(change) : persistsMap(change.map) && maps.replay(change)) return;
    parked.add(change);
  }

  try {
    const { last, lost, cutBytes, stateBytes, logBytes } = await readAll(deps, take);
    if (cutBytes > 0 || lost.length > 1) deps.onCut(cutBytes, copyLost(deps, lost));
    const entries = maps.replayed();
    const items = queues.replayed();
    makePrivateDirectory(directory.data);
    const log = await openChangeLog(directory, last && { ...last, bytes: logBytes });
    return { log, stateBytes, parked, entries, items };
  } catch (error) {
    maps.reset();
    queues.reset();
    throw error;
  }
}

async function readAll({ directory, lastRun }: RecoveryDeps, take: (change: Change) => void) {
  const files = directory.files();
  let last: { readonly number: number; readonly end: number } | undefined;
  let [stateBytes, logBytes, cutBytes] = [0, 0, 0];
  let lost: readonly DataFile[] = [];
  for (const [at, file] of files.entries()) {
    if (isGap(files, at)) throw new DamagedDataError(`${file.path}: the log before it is missing`);
    const reading = await readOperations(file.path, take);
    if (file.kind === 'state') stateBytes = reading.bytes;
    else logBytes += reading.wholeBytes;
    last = { number: file.number, end: reading.wholeBytes };
    if (reading.isEnded) continue;
    if (file.kind === 'state' || !mayEndSo(reading, lastRun, at === files.length - 1))
      throw new DamagedDataError(`${file.path}: ${corruptionOf(reading)}`);
    cutBytes = reading.bytes - reading.wholeBytes;
    lost = files.slice(at);
    break; // what is behind was flushed after it, and so was not
  }
  if (files.length === 1 && files[0]!.kind === 'state')
    throw new DamagedDataError(`${files[0]!.path}: the log behind it is missing`);
  return { last, lost, stateBytes, logBytes, cutBytes };
}

/** A state has all up to its number, so that the log behind it has the next one; each log follows the one before. */
function isGap(files: readonly DataFile[], at: number): boolean {
  const [file, before] = [files[at]!, files[at - 1]];
  return file.kind === 'log' && file.number !== (before?.number ?? 0) + 1;
}

/**
 * A killed process leaves a log without its end, and of a write that it was in the middle of, and so has not confirmed,
 * a part. After a stop of the machine anything may be there that had not been flushed.
 */
function mayEndSo({ isCutShort }: Reading, lastRun: LastRun, isLast: boolean): boolean {
  return lastRun === 'stopped with the machine' || (lastRun === 'killed' && isLast && isCutShort);
}

function corruptionOf({ bytes, wholeBytes, isCutShort }: Reading): string {
  return isCutShort ? `its end is missing, at byte ${bytes}` : `damaged at byte ${wholeBytes}`;
}

/** What was not flushed when the machine stopped may have been confirmed: a copy stays. */
function copyLost({ directory, lastRun }: RecoveryDeps, lost: readonly DataFile[]): string | undefined {
  if (lastRun !== 'stopped with the machine') return undefined;
  const target = directory.setAside();
  for (const { path } of lost) copyFileSync(path, join(target, basename(path)));
  for (const { path } of lost.slice(1)) rmSync(path);
  return target;
}
