import type { MemberLog } from '../log.ts';
import type { WanChange } from './change.ts';
import type { RejectedChanges, RejectedReason } from './rejected-changes.ts';
import { type Target, TooLargeError } from './target.ts';

/** Hands changes over until each has been taken, or can never be. */
export interface Delivery {
  /** Changes that the target can never take: they were given up, and the log has map, length of the key and reason. */
  readonly dropped: number;
  /**
   * @param via  the clusters that the changes have passed
   * @param onDropped  hears of the changes that are given up, before the next ones are sent
   * @throws {TargetError} when the target does not take them now; some may have arrived
   */
  send(
    changes: readonly WanChange[],
    via: readonly string[],
    onDropped?: (dropped: readonly WanChange[]) => void,
  ): Promise<void>;
}

export interface DeliveryDeps {
  readonly target: Pick<Target, 'send'>;
  /** Names the publisher in the log. */
  readonly about: object;
  readonly log: MemberLog;
}

export function createDelivery({ target, about, log }: DeliveryDeps): Delivery {
  let dropped = 0;
  let linesLeft = linesPerMinute;
  let minute = 0;

  async function send(
    changes: readonly WanChange[],
    via: readonly string[],
    onDropped: (dropped: readonly WanChange[]) => void = () => {},
  ): Promise<void> {
    let rejected: readonly RejectedChanges[];
    try {
      rejected = await target.send(changes, via);
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error;
      return sendSmaller(changes, via, onDropped);
    }
    const given = rejected.filter(({ index }) => changes[index] !== undefined);
    if (given.length === 0) return;
    for (const { index, reason } of given) drop(changes[index]!, reason);
    onDropped(given.map(({ index }) => changes[index]!));
  }

  /** A request that is too large may hold changes that are not: it is halved until those that are have been found. */
  async function sendSmaller(
    changes: readonly WanChange[],
    via: readonly string[],
    onDropped: (dropped: readonly WanChange[]) => void,
  ): Promise<void> {
    const [only] = changes;
    if (only !== undefined && changes.length === 1) {
      drop(only, 'too large');
      onDropped(changes);
      return;
    }
    const middle = changes.length >> 1;
    await send(changes.slice(0, middle), via, onDropped);
    await send(changes.slice(middle), via, onDropped);
  }

  function drop({ map, key }: WanChange, reason: RejectedReason): void {
    dropped += 1;
    if (!mayReport()) return;
    const keyBytes = key === undefined ? undefined : Buffer.byteLength(key);
    log.error(
      { ...about, map: map.slice(0, longestNamed), keyBytes, reason, dropped },
      'a change that the WAN target can never take is dropped',
    );
  }

  /** A target with limits that fit nothing must not fill the disk with lines; `dropped` goes on counting. */
  function mayReport(): boolean {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== minute) linesLeft = linesPerMinute;
    minute = now;
    linesLeft -= 1;
    return linesLeft >= 0;
  }

  return {
    get dropped() {
      return dropped;
    },
    send,
  };
}

const linesPerMinute = 100;
const longestNamed = 200;
