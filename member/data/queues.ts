import type { MemberLimits, QueueConfig } from '../config/config.ts';
import { type ChangeRecorder, memoryOnly, type QueueChange } from './changes.ts';
import { createDeque, type Deque } from './deque.ts';
import { costOf, type Memory } from './memory.ts';
import { type HeldValue, hold, release, type StoredValue } from './values.ts';

/** An item on its way to a client; it is in the queue again when it is put back. */
export interface QueueItem extends HeldValue {
  /** Rises from item to item of a queue. */
  readonly number: number;
}

/** One poll that waits. */
export interface Waiter {
  /** Whether its connection still stands; one that does not gets nothing and is dropped. */
  isLive(): boolean;
  /** Hands over the item, or `undefined` when the member stops. Called at most once. */
  give(item: QueueItem | undefined): void;
}

/** The queues of this member, each made when its first item or waiter comes (docs/member-surface.md#queues). */
export interface Queues {
  /** Whether any configuration matches `queue`; if not, every call on it is 400. */
  isConfigured(queue: string): boolean;
  size(queue: string): number;
  /**
   * Gives the item to the poll that has waited longest, else stores it at the tail. Answers once the
   * item outlives the process, if the member persists.
   */
  offer(queue: string, item: StoredValue): OfferOutcome | Promise<OfferOutcome>;
  take(queue: string): QueueItem | undefined;
  /** Returns an item that could not be sent: to the next waiter, else to the head. */
  putBack(queue: string, item: QueueItem): void;
  /** The system has all of an item's reply: only now may it be forgotten. */
  delivered(queue: string, item: QueueItem): void;
  /** As {@link Queues.putBack}, for one that had been forgotten already. */
  takeBack(queue: string, item: QueueItem): void;
  /** Waits for an item behind all earlier waiters; `false` when too many wait already. */
  wait(queue: string, waiter: Waiter): boolean;
  stopWaiting(queue: string, waiter: Waiter): void;
  /**
   * Makes a change that was persisted, whatever room it takes; the items are there after {@link Queues.replayed}.
   *
   * @returns `false` when no configuration matches the queue
   */
  replay(change: QueueChange): boolean;
  /** After the last of them. @returns how many items there are */
  replayed(): number;
  /** Every item that is there or on its way to a client, as the changes that make them. */
  changes(): readonly QueueChange[];
  /** Forgets everything in memory, as if the member had just started. */
  reset(): void;
  /** The queues in use whose limit is not the one that the configuration has for them now; as for maps. */
  outdated(): readonly string[];
  /** Ends every wait without an item; later ones end at once. For a member that stops. */
  endWaits(): void;
}

export type OfferOutcome = 'taken' | 'full' | 'unconfigured' | 'no memory';

export interface QueuesDeps {
  /** The configuration that matches a name, `undefined` when none does. */
  readonly configOf: (queue: string) => QueueConfig | undefined;
  readonly memory: Memory;
  readonly limits: Pick<MemberLimits, 'waiters' | 'waitersPerQueue'>;
  readonly recorder?: ChangeRecorder;
}

export function createQueues({ configOf, memory, limits, recorder = memoryOnly }: QueuesDeps): Queues {
  const queues = new Map<string, LiveQueue>();
  let nextNumber = 1;
  let waiting = 0;
  let isEnding = false;
  /** On their way to a client, and on the disk until they have been delivered: by number. */
  const leaving = new Map<number, { readonly name: string; readonly item: QueueItem }>();
  const replaying = new Map<string, Map<number, QueueItem>>();

  function leave(name: string, item: QueueItem): void {
    memory.give(costOf('', item));
    if (recorder !== memoryOnly) leaving.set(item.number, { name, item });
  }

  function open(name: string): LiveQueue | undefined {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const config = configOf(name);
    return config && { maxSize: limitOf(config), items: createDeque(), coming: 0, waiters: new Set() };
  }

  function dropIfIdle(name: string, { items, waiters, coming }: LiveQueue): void {
    if (items.size === 0 && waiters.size === 0 && coming === 0) queues.delete(name);
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

  /** The memory for it has been taken. */
  function add(name: string, queue: LiveQueue, item: QueueItem, end: 'push' | 'unshift'): void {
    const waiter = nextLiveWaiter(name, queue);
    if (waiter === undefined) {
      queue.items[end](item);
      queues.set(name, queue);
      return;
    }
    leave(name, item);
    waiter.give(item);
  }

  function putBack(name: string, item: QueueItem): void {
    const queue = open(name);
    leaving.delete(item.number);
    if (queue === undefined) return;
    memory.take(costOf('', item));
    add(name, queue, item, 'unshift');
  }

  return {
    isConfigured: (name) => queues.has(name) || configOf(name) !== undefined,
    size: (name) => queues.get(name)?.items.size ?? 0,

    offer(name, value) {
      const queue = open(name);
      if (queue === undefined) return 'unconfigured';
      if (queue.items.size + queue.coming >= queue.maxSize + queue.waiters.size) return 'full';
      const { content, contentType } = hold(value);
      const item = { content, contentType, number: nextNumber };
      if (!memory.tryTake(costOf('', item))) return 'no memory';

      nextNumber += 1;
      queue.coming += 1;
      queues.set(name, queue);
      const settle = (): void => {
        queue.coming -= 1;
      };
      const apply = (): OfferOutcome => {
        settle();
        add(name, queue, item, 'push');
        return 'taken';
      };
      const change = { kind: 'offer', queue: name, number: item.number, item: value } as const;
      const outcome = recorder.record(change, apply);
      if (outcome instanceof Promise) return outcome.catch(giveBack);
      return outcome;

      function giveBack(error: unknown): never {
        settle();
        memory.give(costOf('', item));
        dropIfIdle(name, queue!);
        throw error;
      }
    },

    take(name) {
      const queue = queues.get(name);
      const item = queue?.items.shift();
      if (queue === undefined || item === undefined) return undefined;
      leave(name, item);
      dropIfIdle(name, queue);
      return item;
    },

    putBack,

    takeBack(name, item) {
      recorder.append(offerOf(name, item));
      putBack(name, item);
    },

    delivered(name, { number }) {
      leaving.delete(number);
      recorder.append({ kind: 'delivered', queue: name, number });
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

    replay(change) {
      const { queue: name, number } = change;
      nextNumber = Math.max(nextNumber, number + 1);
      if (configOf(name) === undefined) return false;
      const items = replaying.get(name) ?? new Map<number, QueueItem>();
      replaying.set(name, items);
      if (change.kind === 'offer') items.set(number, { ...hold(change.item), number });
      else items.delete(number);
      return true;
    },

    replayed() {
      let count = 0;
      for (const [name, items] of replaying) {
        const queue = open(name);
        if (queue === undefined || items.size === 0) continue;
        for (const item of [...items.values()].sort((a, b) => a.number - b.number)) {
          memory.take(costOf('', item));
          queue.items.push(item);
        }
        queues.set(name, queue);
        count += items.size;
      }
      replaying.clear();
      return count;
    },

    changes() {
      const queued = [...queues].flatMap(([name, { items }]) =>
        items.all().map((item) => offerOf(name, item)),
      );
      return [...queued, ...[...leaving.values()].map(({ name, item }) => offerOf(name, item))];
    },

    reset() {
      for (const { items } of queues.values()) {
        for (let item = items.shift(); item !== undefined; item = items.shift())
          memory.give(costOf('', item));
      }
      queues.clear();
      replaying.clear();
    },

    outdated: () =>
      [...queues].flatMap(([name, { maxSize }]) => {
        const config = configOf(name);
        return config === undefined || limitOf(config) === maxSize ? [] : [name];
      }),

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

function offerOf(queue: string, item: QueueItem): QueueChange {
  return { kind: 'offer', queue, number: item.number, item: release(item) };
}

function limitOf({ maxSize }: QueueConfig): number {
  return maxSize || Infinity;
}

interface LiveQueue {
  /** Infinity when unbounded. */
  readonly maxSize: number;
  readonly items: Deque<QueueItem>;
  /** Items that are recorded and not applied yet. */
  coming: number;
  /** In order of arrival; while one waits there are no items. */
  readonly waiters: Set<Waiter>;
}
