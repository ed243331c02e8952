import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Maps } from '../data/maps.ts';
import type { MemberLog } from '../log.ts';
import { OperationFailedError } from '../operation-failed.ts';
import { batchesOf } from './batches.ts';
import type { WanChange } from './change.ts';
import { keysMissingIn } from './comparison.ts';
import { leavesOf } from './digest.ts';
import type { Publisher } from './publisher.ts';
import type { Target } from './target.ts';

/** docs/member-surface.md#wan */
export type Stage = 'STARTED' | 'IN_PROGRESS' | 'FINISHED' | 'FAILED';

/** One synchronisation or consistency check (docs/member-surface.md#wan). */
export interface Progress {
  readonly stage: Stage;
  /** Per cent of the entries. */
  readonly progress: number;
  readonly wanReplicationName: string;
  readonly wanPublisherId: string;
  /** Epoch milliseconds. */
  readonly creationTime: number;
}

/** A publisher with what operations on it need. */
export interface Destination {
  readonly replicationName: string;
  readonly publisher: Publisher;
  readonly target: Target;
}

/** Brings whole maps to another cluster, and finds what differs (docs/member-surface.md#wan). */
export interface Synchronizations {
  /**
   * Sends every entry of the maps, or, of a map that was checked before, only those that differed then or were
   * written since. What only the other cluster has stays there.
   *
   * @returns the UUID of the operation, which goes on by itself
   * @throws {OperationFailedError} while another operation of this publisher is under way
   */
  sync(destination: Destination, maps: readonly string[]): string;
  /** @param depth  levels of the Merkle tree to compare by. Otherwise as `sync`. */
  check(destination: Destination, map: string, depth: number): string;
  progressOf(uuid: string): Progress | undefined;
  /** A key was written: after a check it counts as differing. */
  recordChange(map: string, key: string | undefined): void;
}

export interface SynchronizationsDeps {
  readonly maps: Maps;
  readonly log: MemberLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Operations that are remembered; the oldest give way. */
const mostRemembered = 1_000;

export function createSynchronizations({ maps, log, now }: SynchronizationsDeps): Synchronizations {
  const operations = new Map<string, Operation>();
  const busy = new Set<Publisher>();
  /** What the last check of a map found, until a synchronisation has brought it over. */
  const differing = new Map<Publisher, Map<string, Set<string>>>();

  function start(
    destination: Destination,
    name: string,
    work: (operation: Operation) => Promise<void>,
  ): string {
    const { replicationName, publisher } = destination;
    const { publisherId } = publisher.config;
    if (busy.has(publisher)) {
      throw new OperationFailedError(
        `another synchronisation or check of publisher ${publisherId} is under way`,
      );
    }
    busy.add(publisher);
    const uuid = randomUUID();
    const operation: Operation = {
      stage: 'STARTED',
      done: 0,
      total: 0,
      fixed: { wanReplicationName: replicationName, wanPublisherId: publisherId, creationTime: now() },
    };
    remember(uuid, operation);
    log.info({ uuid, ...operation.fixed }, `WAN ${name} started`);
    void run(operation, uuid, name, work).finally(() => busy.delete(publisher));
    return uuid;
  }

  async function run(
    operation: Operation,
    uuid: string,
    name: string,
    work: (operation: Operation) => Promise<void>,
  ): Promise<void> {
    await nextTurn(); // the caller gets the UUID first
    operation.stage = 'IN_PROGRESS';
    try {
      await work(operation);
      operation.stage = 'FINISHED';
      log.info({ uuid, ...operation.fixed, entries: operation.done }, `WAN ${name} finished`);
    } catch (error) {
      operation.stage = 'FAILED';
      log.warn({ uuid, ...operation.fixed, reason: (error as Error).message }, `WAN ${name} failed`);
    }
  }

  function remember(uuid: string, operation: Operation): void {
    operations.set(uuid, operation);
    for (const oldest of operations.keys()) {
      if (operations.size <= mostRemembered) return;
      operations.delete(oldest);
    }
  }

  async function syncMap({ publisher }: Destination, map: string, operation: Operation): Promise<void> {
    const keys = differing.get(publisher)?.get(map);
    const changes = keys === undefined ? entriesAsChanges(maps, map) : keysAsChanges(maps, map, [...keys]);
    const parts = batchesOf(changes, publisher.config.batchSize);
    for (let isOver = false; !isOver; ) {
      // Read when it is its turn to be sent: what is read earlier could be older than what the queue has sent since.
      await publisher.sendNow(() => {
        const next = parts.next();
        isOver = next.done === true;
        operation.done += next.value?.length ?? 0;
        return next.value ?? [];
      });
    }
    differing.get(publisher)?.delete(map);
  }

  return {
    sync(destination, names) {
      return start(destination, 'synchronisation', async (operation) => {
        for (const map of names) {
          operation.total += differing.get(destination.publisher)?.get(map)?.size ?? maps.sizeOf(map);
        }
        for (const map of names) await syncMap(destination, map, operation);
      });
    },

    check(destination, map, depth) {
      const { publisher, target } = destination;
      return start(destination, 'consistency check', async (operation) => {
        const found = new Set<string>();
        const byMap = differing.get(publisher) ?? new Map<string, Set<string>>();
        differing.set(publisher, byMap.set(map, found)); // from here on writes count as differing
        try {
          operation.total = maps.sizeOf(map);
          const ours = await leavesOf(maps.entriesOf(map), depth);
          const comparison = await target.compare(map, ours);
          const missing = await keysMissingIn(comparison, maps.entriesOf(map), ours.depth);
          for (const key of missing) found.add(key);
          operation.done = operation.total;
          const about = { map, checkedEntries: operation.total, differingEntries: missing.size };
          log.info({ ...operation.fixed, ...about }, 'WAN consistency check compared');
        } catch (error) {
          byMap.delete(map);
          throw error;
        }
      });
    },

    progressOf(uuid) {
      const operation = operations.get(uuid);
      if (operation === undefined) return undefined;
      const { stage, fixed } = operation;
      return { stage, progress: percentOf(operation), ...fixed };
    },

    recordChange(map, key) {
      if (key === undefined) return; // nothing is left to send
      for (const byMap of differing.values()) byMap.get(map)?.add(key);
    },
  };
}

interface Operation {
  stage: Stage;
  done: number;
  total: number;
  readonly fixed: Omit<Progress, 'stage' | 'progress'>;
}

/** Never 100 before all is done, and always then (docs/member-surface.md#wan). */
function percentOf({ stage, done, total }: Operation): number {
  if (stage === 'FINISHED') return 100;
  return total === 0 ? 0 : Math.min(99, Math.floor((done * 100) / total));
}

function* entriesAsChanges(maps: Maps, map: string): Generator<WanChange, void> {
  for (const [key, value] of maps.entriesOf(map)) yield { map, key, value };
}

/** A key that has gone meanwhile is left out: its removal is the queue's to tell. */
function* keysAsChanges(maps: Maps, map: string, keys: readonly string[]): Generator<WanChange, void> {
  for (const key of keys) {
    const value = maps.peek(map, key);
    if (value !== undefined) yield { map, key, value };
  }
}
