/** What a member keeps on the disk: every change before it is confirmed, read back at the start, copied for backups. */
import { existsSync } from 'node:fs';
import type { MapConfig, PersistenceConfig } from '../config/config.ts';
import { ChangeNotDurableError, type ChangeRecorder, memoryOnly } from '../data/changes.ts';
import type { MemberLog } from '../log.ts';
import { type Backups, createBackups } from './backups.ts';
import { dataDirectory } from './directory.ts';
import { takeInstance } from './instance.ts';
import { openJournal, readablePacks } from './journal.ts';
import { createRecorder } from './recorder.ts';
import type { StructureKind } from './records.ts';
import { DamagedDataError, type Recovered, type RecoveryDeps, recoverData } from './recovery.ts';
import { corruptionOf } from './store/lmdb-file.ts';
import { startStore } from './store/store.ts';
import { tightenData } from './store/tighten.ts';
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
  recover(into: Pick<RecoveryDeps, 'maps' | 'queues'>): Promise<void>;
  /** Resolves when the files have been looked at: read back, or found damaged. Rejects when neither could be. */
  readonly examined: Promise<void>;
  /** Moves damaged files aside and starts empty; `false` when nothing waits for that. */
  forceStart(): boolean;
  /** Starts with what can be read of damaged files, and moves them aside; `false` as above. */
  partialStart(): boolean;
  /** Starts a backup; `false` before the recovery is over and while another one is being written. */
  backUp(): boolean;
  interruptBackup(): Promise<void>;
  /** Resolves when everything promised is in the store. */
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

const failureToldEveryMs = 10_000;

type Decision = 'force' | 'partial';

/** @throws {PersistenceRefusedError} when the directory cannot be used, by another member's right for example */
export function openPersistence({ config, mapConfigOf, log, now }: PersistenceDeps): Persistence {
  tightenData({ baseDir: config.baseDir, backupDir: config.backupDir, log });
  const instance = takeInstance(config.baseDir);
  const directory = dataDirectory(config.baseDir, now);
  let recorder: ChangeRecorder = closedRecorder;
  let damage: string | undefined;
  let decide: ((decision: Decision) => void) | undefined;
  let open:
    | { readonly recovered: Recovered; readonly writes: WriteQueue; readonly backups: Backups }
    | undefined;
  let failureToldAt = Number.NEGATIVE_INFINITY;
  let hasExamined = () => {};
  let hasFailed = (_error: unknown) => {};
  const examined = new Promise<void>((resolve, reject) => {
    hasExamined = resolve;
    hasFailed = reject;
  });
  examined.catch(() => {}); // whoever waits for it hears of it

  /** A journal that was never flushed may be damaged after the machine stopped; the store is not. */
  function dropLostJournal(): void {
    const corruption = instance.hasMachineRestarted ? corruptionOf(directory.journalFile) : undefined;
    if (corruption === undefined) return;
    const target = directory.setAside('journal');
    log.warn(
      { target, flaw: corruption },
      'the machine stopped within a period: writes since the last flush are lost',
    );
  }

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

  async function salvage(): Promise<void> {
    directory.setAside('salvaged');
    const thread = startStore();
    const salvaged = existsSync(directory.storeFile)
      ? await thread.salvage(directory.storeFile, directory.salvaged)
      : undefined;
    await thread.close();
    const packs = existsSync(directory.journalFile) ? readablePacks(directory.journalFile) : [];
    const operations = packs.reduce((sum, { count }) => sum + count, 0);
    const target = directory.setAside('store', 'journal');
    if (salvaged !== undefined) directory.useSalvaged();
    const journal = openJournal(directory.journal);
    journal.append(packs);
    await journal.close();
    log.warn(
      { ...salvaged, operations, target },
      'partial start: damaged files were moved aside; unless isCurrent, entries that were removed may be back',
    );
  }

  async function carryOut(decision: Decision): Promise<void> {
    damage = undefined;
    if (decision === 'partial') return salvage();
    const target = directory.setAside('store', 'journal');
    log.warn({ target }, 'forced start without data: damaged files were moved aside');
  }

  function start(recovered: Recovered): void {
    const { store, journal, numbers, sequence, entries, items } = recovered;
    const writes = createWriteQueue({
      journal,
      store,
      sequence,
      periodMillis: config.periodMillis,
      onFailure: reportFailure,
    });
    recorder = createRecorder({ numbers, writes, safetyOf });
    const backups = createBackups({
      backupDir: config.backupDir,
      log,
      now,
      async copy(target, interruption) {
        await writes.settle();
        if (interruption.aborted) return false;
        interruption.addEventListener('abort', () => void store.interrupt());
        return store.backUp(target);
      },
    });
    open = { recovered, writes, backups };
    log.info({ baseDir: config.baseDir, entries, items }, 'persisted data read back');
  }

  /** A disk that is full fails many times a second. */
  function reportFailure(error: unknown, where: Safety): void {
    if (now() - failureToldAt < failureToldEveryMs) return;
    failureToldAt = now();
    log.error({ err: error, where }, 'data could not be persisted: writes are refused');
  }

  function onMergeFailure(error: Error): void {
    log.warn(
      { err: error },
      'the log on the disk could not be merged: nothing is lost, and it will be tried again',
    );
  }

  function keepsMap(name: string): boolean {
    return mapConfigOf(name)?.persistence.enabled ?? false;
  }

  function safetyOf(structure: StructureKind, name: string): Safety | undefined {
    const map = structure === 'map' ? mapConfigOf(name)?.persistence : undefined;
    if (structure === 'map' && !map?.enabled) return undefined;
    return config.durability === 'sync' || map?.fsync ? 'store' : 'journal';
  }

  return {
    recorder: {
      record: (change, apply) => recorder.record(change, apply),
      note: (change) => recorder.note(change),
    },
    get damage() {
      return damage;
    },
    examined,

    async recover({ maps, queues }) {
      dropLostJournal();
      for (;;) {
        try {
          start(await recoverData({ directory, maps, queues, keepsMap, onMergeFailure }));
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
      await open?.writes.close();
      recorder = closedRecorder;
      await open?.recovered.journal.close();
      await open?.recovered.store.close();
      await instance.release();
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
  note: memoryOnly.note,
};
