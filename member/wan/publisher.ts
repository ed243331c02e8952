import { setTimeout as wait } from 'node:timers/promises';
import { createSerial } from '../../platform/async/serial.ts';
import type { WanPublisherConfig } from '../config/config.ts';
import { createDeque } from '../data/deque.ts';
import type { StoredValue } from '../data/values.ts';
import type { MemberLog } from '../log.ts';
import { batchesOf } from './batches.ts';
import type { WanChange } from './change.ts';
import { createDelivery } from './delivery.ts';
import type { Target } from './target.ts';

/** Queues and sends; queues only; neither (docs/member-surface.md#wan). */
export type PublisherState = WanPublisherConfig['initialPublisherState'];

/** That something has changed. Its value is read when it is sent, so that a full queue holds no values. */
export interface QueuedChange {
  readonly map: string;
  /** `undefined`: the whole map was cleared. */
  readonly key: string | undefined;
  /** The clusters that it has passed, this one last. */
  readonly via: readonly string[];
}

/** Sends the changes of maps to one other cluster: in order, each at least once, a key's latest value only. */
export interface Publisher {
  readonly config: WanPublisherConfig;
  readonly state: PublisherState;
  /** Changes that the target has not acknowledged. */
  readonly queued: number;
  /** Changes given up because the target can never take them. */
  readonly dropped: number;
  /** Whether a write must be refused now, because its change could not be queued. */
  readonly rejectsWrites: boolean;
  offer(change: QueuedChange): void;
  setState(state: PublisherState): void;
  /** Forgets what is queued; what is being sent may still arrive. */
  clear(): void;
  /**
   * Sends past the queue, in any state, but never while the queue sends.
   *
   * @param read  makes the changes, at the moment when they are sent
   * @throws {TargetError} when the target has not taken them; what it can never take is dropped instead
   */
  sendNow(read: () => readonly WanChange[]): Promise<void>;
  /** Sends what is queued as long as the target takes it, 3 s at most, and stops. */
  close(): Promise<void>;
}

export interface PublisherDeps {
  readonly config: WanPublisherConfig;
  readonly target: Target;
  /** The name of this cluster. */
  readonly clusterName: string;
  /** What is stored under a key now. */
  readonly read: (map: string, key: string) => StoredValue | undefined;
  readonly log: MemberLog;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;
const drainMs = 3_000;

export function createPublisher({ config, target, clusterName, read, log }: PublisherDeps): Publisher {
  const queue = createDeque<QueuedChange>();
  const about = { publisherId: config.publisherId, target: config.targetEndpoints };
  const delivery = createDelivery({ target, about, log });
  let state = config.initialPublisherState;
  /** Taken from the queue and not yet acknowledged. */
  let batch: readonly QueuedChange[] = [];
  let failures = 0;
  let isDiscarding = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  /** One exchange with the target at a time: an older value must not overtake a newer one. */
  const inLine = createSerial();

  const queued = () => queue.size + batch.length;
  const isFull = () => queued() >= config.queueCapacity;

  function rejectsWrites(): boolean {
    const { queueFullBehavior } = config;
    if (state === 'STOPPED' || queueFullBehavior === 'DISCARD_AFTER_MUTATION' || !isFull()) return false;
    return state === 'REPLICATING' || queueFullBehavior === 'THROW_EXCEPTION';
  }

  function schedule(): void {
    if (state !== 'REPLICATING' || isClosed || queued() === 0) return;
    const delayMs = delayOf({ failures, isFilled: queue.size + batch.length >= config.batchSize, config });
    if (timer !== undefined && delayMs > 0) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      void inLine(sendBatch).then(() => {
        timer = undefined;
        schedule();
      });
    }, delayMs);
  }

  async function sendBatch(): Promise<void> {
    if (state !== 'REPLICATING') return;
    if (batch.length === 0) batch = takeBatch();
    let sending = batch;
    /** Whatever else fails, they are not sent again; a later write of the same key stands in the queue. */
    function forget(dropped: readonly WanChange[]): void {
      const keys = new Map<string, Set<string | undefined>>();
      for (const { map, key } of dropped) keys.set(map, (keys.get(map) ?? new Set()).add(key));
      const left = sending.filter(({ map, key }) => !keys.get(map)?.has(key));
      if (batch === sending) batch = left;
      sending = left;
    }
    const { via } = batch[0] ?? { via: [] };
    try {
      for (const part of batchesOf(latestOf(batch, read), config.batchSize)) {
        await delivery.send(part, via, forget);
      }
      if (batch === sending) batch = []; // unless it was cleared
      if (failures > 0) log.info({ ...about, queued: queued() }, 'WAN target takes changes again');
      failures = 0;
    } catch (error) {
      failures += 1;
      const reason = (error as Error).message;
      if (failures === 1) log.warn({ ...about, queued: queued(), reason }, 'WAN target takes no changes');
    }
  }

  /** The next changes that came the same way, so that one request can carry them. */
  function takeBatch(): readonly QueuedChange[] {
    const taken: QueuedChange[] = [];
    while (taken.length < config.batchSize) {
      const change = queue.shift();
      if (change === undefined) break;
      if (taken.length > 0 && !isSameWay(taken[0]!, change)) {
        queue.unshift(change);
        break;
      }
      taken.push(change);
    }
    return taken;
  }

  async function drain(): Promise<void> {
    while (queued() > 0 && state === 'REPLICATING' && failures === 0) await inLine(sendBatch);
  }

  return {
    config,
    get state() {
      return state;
    },
    get queued() {
      return queued();
    },
    get dropped() {
      return delivery.dropped;
    },
    get rejectsWrites() {
      return rejectsWrites();
    },
    offer(change) {
      if (state === 'STOPPED') return;
      // Where writes are refused instead, this one came when there was still room.
      if (isFull() && !rejectsWrites()) {
        if (!isDiscarding) log.warn(about, 'WAN queue is full: changes are discarded until there is room');
        isDiscarding = true;
        return;
      }
      isDiscarding = false;
      queue.push(change);
      schedule();
    },
    setState(to) {
      state = to;
      failures = 0;
      schedule();
    },
    clear() {
      while (queue.shift() !== undefined);
      batch = [];
    },
    sendNow: (readChanges) => inLine(() => delivery.send(readChanges(), [clusterName])),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const ended = new AbortController();
      await Promise.race([drain(), wait(drainMs, undefined, { signal: ended.signal }).catch(() => {})]);
      ended.abort();
      target.close();
      if (queued() > 0) log.warn({ ...about, queued: queued() }, 'the member ends with WAN changes not sent');
    },
  };
}

interface Urgency {
  readonly failures: number;
  readonly isFilled: boolean;
  readonly config: WanPublisherConfig;
}

/** A filled batch goes at once, another one waits to be filled, and a target that failed gets time. */
function delayOf({ failures, isFilled, config }: Urgency): number {
  if (failures > 0) return Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  return isFilled ? 0 : config.batchMaxDelayMillis;
}

function isSameWay(a: QueuedChange, b: QueuedChange): boolean {
  if (a.via === b.via) return true;
  return a.via.length === b.via.length && a.via.every((name, index) => name === b.via[index]);
}

/** Each key once, with what is stored under it now; what is gone by now is a removal. */
function* latestOf(
  changes: readonly QueuedChange[],
  read: PublisherDeps['read'],
): Generator<WanChange, void> {
  const sent = new Map<string, Set<string>>();
  for (const { map, key } of changes) {
    if (key === undefined) {
      sent.delete(map);
      yield { map, key, value: undefined };
      continue;
    }
    const keys = sent.get(map) ?? new Set();
    sent.set(map, keys);
    if (keys.has(key)) continue;
    keys.add(key);
    yield { map, key, value: read(map, key) };
  }
}
