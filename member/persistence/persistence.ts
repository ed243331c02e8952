/** What a member keeps on the disk: every change before it is confirmed, read back at the start, copied for backups. */
import type { MapConfig, PersistenceConfig } from '../config/config.ts';
import { type Change, ChangeNotDurableError, type ChangeRecorder, memoryOnly } from '../data/changes.ts';
import type { Maps } from '../data/maps.ts';
import type { Queues } from '../data/queues.ts';
import type { MemberLog } from '../log.ts';
import { type Backups, createBackups } from './backups.ts';
import type { ChangeLog } from './change-log.ts';
import { type Compaction, createCompaction } from './compaction.ts';
import { dataDirectory } from './directory.ts';
import { bringOverFormerData } from './former/former-data.ts';
import { takeInstance } from './instance.ts';
import { operationOf } from './operations.ts';
import { createRecorder } from './recorder.ts';
import { DamagedDataError, recoverData } from './recovery.ts';
import { salvage } from './salvage.ts';
import { tightenData } from './tighten.ts';
import { createWriteQueue, type Safety, type WriteQueue } from './write-queue.ts';

/** The member's data on the disk: written before a call is answered, read back at the start. */
export interface Persistence {
  /** Where maps and queues record their changes. */
  readonly recorder: ChangeRecorder;
  /** Why the member cannot start; `undefined` unless damaged files wait for a decision. */
  readonly damage: string | undefined;
  /**
   * Reads everything back. On damaged files it waits, touching nothing, until one of the two starts
   * below is called.
   */
  recover(into: { readonly maps: Maps; readonly queues: Queues }): Promise<void>;
  /** Resolves when the files have been looked at: read back, or found damaged. Rejects when neither could be. */
  readonly examined: Promise<void>;
  /** Moves damaged files aside and starts empty; `false` when nothing waits for that. */
  forceStart(): boolean;
  /** Starts with what can be read of damaged files, and moves them aside; `false` as above. */
  partialStart(): boolean;
  /** Starts a backup; `false` before the recovery is over and while another one is being written. */
  backUp(): boolean;
  interruptBackup(): Promise<void>;
  /** Resolves when everything promised is on the disk. */
  close(): Promise<void>;
}

export interface PersistenceDeps {
  readonly config: PersistenceConfig;
  /** The configuration of a map; a map may be left out of persistence. */
  readonly mapConfigOf: (map: string) => MapConfig | undefined;
  readonly log: MemberLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const failureReportEveryMs = 10_000;

/** What a member that has its data writes with. */
interface OpenData {
  readonly log: ChangeLog;
  readonly writes: WriteQueue;
  readonly compaction: Compaction;
  readonly backups: Backups;
}

type Decision = 'force' | 'partial';

/** @throws {PersistenceRejectedError} when the directory cannot be used, by another member's right for example */
export function openPersistence({ config, mapConfigOf, log, now }: PersistenceDeps): Persistence {
  tightenData({ baseDir: config.baseDir, backupDir: config.backupDir, log });
  const instance = takeInstance(config.baseDir);
  const directory = dataDirectory(config.baseDir, now);
  let recorder: ChangeRecorder = closedRecorder;
  let damage: string | undefined;
  let decide: ((decision: Decision) => void) | undefined;
  let open: OpenData | undefined;
  let failureReportedAt = Number.NEGATIVE_INFINITY;
  let hasExamined = () => {};
  let hasFailed = (_error: unknown) => {};
  const examined = new Promise<void>((resolve, reject) => {
    hasExamined = resolve;
    hasFailed = reject;
  });
  examined.catch(() => {}); // whoever waits for it hears of it

  function waitForDecision(error: DamagedDataError): Promise<Decision> {
    damage = error.message;
    log.error(
      { reason: error.message },
      'persisted data is damaged and left untouched: restore a backup, or call partialStart to keep what can be read, or forceStart to start empty; both move the damaged files aside',
    );
    hasExamined();
    return new Promise((resolve) => {
      decide = resolve;
    });
  }

  async function carryOut(decision: Decision): Promise<void> {
    damage = undefined;
    directory.setAside('renewed'); // what an earlier one has left
    const changes = decision === 'partial' ? await salvage(directory) : undefined;
    const target = directory.setAside('data', 'store', 'journal');
    if (changes === undefined) {
      log.warn({ target }, 'forced start without data: damaged files were moved aside');
      return;
    }
    directory.useRenewed();
    log.warn(
      { operations: changes, isCurrent: false, target },
      'partial start: damaged files were moved aside; entries that were removed may be back',
    );
  }

  async function start({ maps, queues }: { maps: Maps; queues: Queues }): Promise<void> {
    if (directory.former.isThere) await bringOverFormerData(directory);
    const { lastRun } = instance;
    const recovered = await recoverData({
      directory,
      lastRun,
      maps,
      queues,
      persistsMap,
      onCut,
    });
    const { log: changes, parked, stateBytes, entries, items } = recovered;
    instance.writes();
    const writes = createWriteQueue({
      log: changes,
      periodMillis: config.periodMillis,
      onFailure: reportFailure,
    });

    function* operations() {
      yield* parked.operations();
      for (const change of maps.changes()) if (persistsMap(change.map)) yield operationOf(change);
      for (const change of queues.changes()) yield operationOf(change);
    }
    const compaction = createCompaction({
      directory,
      log: changes,
      stateBytes,
      settle: writes.settle,
      operations,
      onFailure: onCompactionFailure,
    });
    const backups = createBackups({
      backupDir: config.backupDir,
      withFiles: (work) =>
        compaction.exclude(async () => {
          const { number: last } = await changes.turn();
          await changes.flush();
          await work(directory.files().filter(({ number }) => number <= last));
        }),
      log,
      now,
    });
    recorder = createRecorder({
      writes,
      safetyOf(change) {
        parked.supersede(change);
        return safetyOf(change);
      },
    });
    open = { log: changes, writes, compaction, backups };
    log.info({ baseDir: config.baseDir, entries, items }, 'persisted data read back');
  }

  function onCut(bytes: number, target: string | undefined): void {
    if (target === undefined) {
      log.warn({ bytes }, 'a write was cut short by the end of the process');
      return;
    }
    const flaw = `${bytes} bytes are no whole write`;
    log.warn(
      { target, flaw, bytes },
      'the machine stopped within a period: writes since the last flush are lost',
    );
  }

  /** A disk that is full fails many times a second. */
  function reportFailure(error: unknown, where: Safety): void {
    if (now() - failureReportedAt < failureReportEveryMs) return;
    failureReportedAt = now();
    log.error({ err: error, where }, 'data could not be persisted: writes are refused');
  }

  function onCompactionFailure(error: Error): void {
    log.warn(
      { err: error },
      'the state could not be written anew: nothing is lost, and it will be tried again',
    );
  }

  function persistsMap(name: string): boolean {
    return mapConfigOf(name)?.persistence.enabled ?? false;
  }

  function safetyOf(change: Change): Safety | undefined {
    const map = 'map' in change ? mapConfigOf(change.map)?.persistence : undefined;
    if ('map' in change && !map?.enabled) return undefined;
    return config.durability === 'sync' || map?.fsync ? 'disk' : 'system';
  }

  return {
    recorder: {
      record: (change, apply) => recorder.record(change, apply),
      append: (change) => recorder.append(change),
    },
    get damage() {
      return damage;
    },
    examined,

    async recover(into) {
      for (;;) {
        try {
          await start(into);
          hasExamined();
          return;
        } catch (error) {
          if (!(error instanceof DamagedDataError)) {
            hasFailed(error);
            throw error;
          }
          await carryOut(await waitForDecision(error));
        }
      }
    },

    forceStart: () => hasDecided('force'),
    partialStart: () => hasDecided('partial'),
    backUp: () => open?.backups.start() ?? false,
    interruptBackup: async () => open?.backups.interrupt(),

    async close() {
      await open?.backups.interrupt();
      await open?.compaction.close();
      await open?.writes.close();
      recorder = closedRecorder;
      if (await open?.log.close()) instance.release();
    },
  };

  function hasDecided(decision: Decision): boolean {
    if (decide === undefined) return false;
    decide(decision);
    decide = undefined;
    return true;
  }
}

/** Before the recovery and after the end nothing can be kept. */
const closedRecorder: ChangeRecorder = {
  record: () => Promise.reject(new ChangeNotDurableError('the member has not its data')),
  append: memoryOnly.append,
};
