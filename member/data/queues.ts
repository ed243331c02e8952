import type { MemberLimits, QueueConfig } from '../config/config.ts';
import { createDeque, type Deque } from './deque.ts';
import { costOf, type Memory, type StoredValue } from './memory.ts';

/** One poll that waits. */
export interface Waiter {
  /** Whether its connection still stands; one that does not gets nothing and is dropped. */
  isLive(): boolean;
  /** Hands over the item, or `undefined` when the member stops. Called at most once. */
  give(item: StoredValue | undefined): void;
}

/** The queues of this member, each made when its first item or waiter comes (spec §2.2, §4.2). */
export interface Queues {
  /** Whether any configuration matches `queue`; if not, every call on it is 400. */
  isConfigured(queue: string): boolean;
  size(queue: string): number;
  /** Gives the item to the poll that has waited longest, else stores it at the tail. */
  offer(queue: string, item: StoredValue): 'taken' | 'full' | 'unconfigured' | 'no memory';
  take(queue: string): StoredValue | undefined;
  /** Returns an item that could not be sent: to the next waiter, else to the head. */
  putBack(queue: string, item: StoredValue): void;
  /** Waits for an item behind all earlier waiters; `false` when too many wait already. */
  wait(queue: string, waiter: Waiter): boolean;
  stopWaiting(queue: string, waiter: Waiter): void;
  /** Ends every wait without an item; later ones end at once. For a member that stops. */
  endWaits(): void;
}

export interface QueuesDeps {
  /** The configuration that matches a name, `undefined` when none does. */
  readonly configOf: (queue: string) => QueueConfig | undefined;
  readonly memory: Memory;
  readonly limits: Pick<MemberLimits, 'waiters' | 'waitersPerQueue'>;
}

export function createQueues({ configOf, memory, limits }: QueuesDeps): Queues {
  const queues = new Map<string, LiveQueue>();
  let waiting = 0;
  let isEnding = false;

  function open(name: string): LiveQueue | undefined {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const config = configOf(name);
    return config && { maxSize: config.maxSize || Infinity, items: createDeque(), waiters: new Set() };
  }

  function dropIfIdle(name: string, { items, waiters }: LiveQueue): void {
    if (items.size === 0 && waiters.size === 0) queues.delete(name);
  }

  function stopWaiting(name: string, queue: LiveQueue, waiter: Waiter): void {
    if (queue.waiters.delete(waiter)) waiting -= 1;
    dropIfIdle(name, queue);
  }

  function nextLiveWaiter(name: string, queue: LiveQueue): Waiter | undefined {
    for (const waiter of queue.waiters) {
      stopWaiting(name, queue, waiter);
      if (waiter.isLive()) return waiter;
    }
    return undefined;
  }

  return {
    isConfigured: (name) => queues.has(name) || configOf(name) !== undefined,
    size: (name) => queues.get(name)?.items.size ?? 0,

    offer(name, item) {
      const queue = open(name);
      if (queue === undefined) return 'unconfigured';
      const waiter = nextLiveWaiter(name, queue);
      if (waiter !== undefined) {
        waiter.give(item);
        return 'taken';
      }
      if (queue.items.size >= queue.maxSize) return 'full';
      if (!memory.tryTake(costOf('', item))) return 'no memory';
      queue.items.push(item);
      queues.set(name, queue);
      return 'taken';
    },

    take(name) {
      const queue = queues.get(name);
      const item = queue?.items.shift();
      if (queue === undefined || item === undefined) return undefined;
      memory.give(costOf('', item));
      dropIfIdle(name, queue);
      return item;
    },

    putBack(name, item) {
      const queue = open(name);
      if (queue === undefined) return;
      const waiter = nextLiveWaiter(name, queue);
      if (waiter !== undefined) {
        waiter.give(item);
        return;
      }
      memory.take(costOf('', item));
      queue.items.unshift(item);
      queues.set(name, queue);
    },

    wait(name, waiter) {
      const queue = open(name);
      if (queue === undefined || waiting >= limits.waiters) return false;
      if (queue.waiters.size >= limits.waitersPerQueue) return false;
      if (isEnding) {
        waiter.give(undefined);
        return true;
      }
      queue.waiters.add(waiter);
      queues.set(name, queue);
      waiting += 1;
      return true;
    },

    stopWaiting(name, waiter) {
      const queue = queues.get(name);
      if (queue !== undefined) stopWaiting(name, queue, waiter);
    },

    endWaits() {
      isEnding = true;
      for (const [name, queue] of queues) {
        for (const waiter of queue.waiters) {
          stopWaiting(name, queue, waiter);
          waiter.give(undefined);
        }
      }
    },
  };
}

interface LiveQueue {
  /** Infinity when unbounded. */
  readonly maxSize: number;
  readonly items: Deque<StoredValue>;
  /** In order of arrival; while one waits there are no items. */
  readonly waiters: Set<Waiter>;
}
