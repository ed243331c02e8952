/**
 * Polls of queues. A member takes an item out of its queue when it answers, and it answers a poll that has been broken
 * off as well, into nothing. So a poll that has been sent is kept until it is answered, whoever has left, and an item
 * that no caller took is given to the next poll of its queue, else offered back, else told to the record (S94).
 */

import { type Delivery, watchDelivery } from '../../http/server/delivery.ts';
import type { Call } from '../call.ts';
import type { Exchange, ReplyListener, UpstreamRequest } from '../forwarding/upstream-request.ts';
import type { ProxyLimits } from '../limits.ts';
import type { Member } from '../members/members.ts';
import { type CopyRoom, copyRoomBytes } from './item-copy.ts';
import type { PollingCaller } from './member-poll.ts';
import { putBack } from './put-back.ts';
import type { ItemRecord, QueueItem } from './queue-item.ts';
import { createQueueLine, type QueueLine } from './queue-line.ts';
import { queuePathOf } from './queue-path.ts';

export interface PollDesk {
  /**
   * Takes over a poll.
   *
   * @param waitMs  for how long it may wait
   */
  take(
    call: Call,
    request: UpstreamRequest,
    listener: ReplyListener,
    candidates: readonly Member[],
    waitMs: number,
  ): Exchange;
  /** Callers that wait for a reply to begin. */
  waiting(): number;
  /** The same by the path of their queue, as far as members agree which queue that is; none twice. */
  waitingByQueue(): ReadonlyMap<string, number>;
  /** Answers all of them that there is no item. */
  endWaits(): void;
  /**
   * Waits a short time for what is still at members and gives back what it brings. Nobody polls any more.
   *
   * @returns how many polls have been left at members
   */
  close(): Promise<number>;
}

export interface PollDeskDeps {
  readonly limits: Pick<ProxyLimits, 'replyMs'>;
  /** All there are, for items whose own member is gone. */
  readonly members: () => readonly Member[];
  /** See `QueueLineDeps`. */
  readonly canWithdraw: boolean;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly onItem: (record: ItemRecord) => void;
}

/** How long an item waits for the next poll of its queue before it is offered back, milliseconds. */
const nextPollMs = 250;
/** How often it is offered when it is refused, at most; it waits for the next poll in between. */
const mostOffers = 40;
/** For polls at members when the proxy stops, milliseconds. */
const lastAnswersMs = 3_000;
/** Above this many lines those are forgotten in which nobody stands. */
const mostLines = 1_000;

/** An item that waits for a poll, or to be offered back. */
interface Undelivered {
  readonly item: QueueItem;
  offers: number;
  timer: NodeJS.Timeout | undefined;
}

interface Line {
  readonly queue: QueueLine;
  readonly offerPath: string | undefined;
  undelivered: Undelivered[];
}

export function createPollDesk({ limits, members, canWithdraw, now, onItem }: PollDeskDeps): PollDesk {
  const room: CopyRoom = { left: copyRoomBytes };
  const lines = new Map<string, Line>();
  /** Items of which it is not known yet what becomes of them. */
  let unsettled = 0;
  let isClosing = false;
  let onQuiet: () => void = () => {};

  return {
    take(call, request, listener, candidates, waitMs) {
      const line = lineOf(call);
      const caller: PollingCaller = {
        call,
        request,
        candidates,
        listener,
        deadline: now() + waitMs,
        poll: undefined,
        timer: undefined,
        isWaiting: true,
      };
      const exchange: Exchange = {
        isWanted: true,
        get member() {
          return caller.poll?.exchange?.member;
        },
        get isSent() {
          return caller.poll?.exchange?.isSent ?? false;
        },
        resume: () => caller.poll?.exchange?.resume(),
        abort: () => line.queue.leave(caller),
        withdraw: () => line.queue.leave(caller),
      };
      call.exchange = exchange;
      const left = line.undelivered.shift();
      if (left === undefined) line.queue.join(caller);
      else transfer(line, left, caller);
      return exchange;
    },
    waiting() {
      let sum = 0;
      for (const { queue } of lines.values()) sum += queue.count;
      return sum;
    },
    endWaits() {
      for (const { queue } of lines.values()) queue.endWaits();
    },
    waitingByQueue() {
      const counts = new Map<string, number>();
      for (const { queue, offerPath } of lines.values()) {
        if (offerPath === undefined || queue.count === 0) continue;
        counts.set(offerPath, (counts.get(offerPath) ?? 0) + queue.count);
      }
      return counts;
    },
    async close() {
      isClosing = true;
      for (const line of lines.values()) {
        for (const left of line.undelivered.splice(0)) offerBack(line, left);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lastAnswersMs);
        onQuiet = () => {
          if (unsettled > 0 || [...lines.values()].some(({ queue }) => queue.polls().length > 0)) return;
          clearTimeout(timer);
          resolve();
        };
        onQuiet();
      });
      const left = [...lines.values()].flatMap(({ queue }) => queue.polls());
      for (const { exchange } of left) exchange?.abort();
      return left.length;
    },
  };

  function lineOf({ req, target, memberTarget }: Call): Line {
    const { key, offerPath } = queuePathOf(req.method!, target!, memberTarget);
    const known = lines.get(key);
    if (known !== undefined) return known;
    if (lines.size >= mostLines) forgetIdle();
    const queue = createQueueLine({
      room,
      canWithdraw,
      now,
      deliver: (item, caller, rest) => deliver(line, item, caller, rest),
      onUndelivered: (item) => giveOn(line, item),
      onBrokenItem: (item) => lose(item, 'the member broke off within it'),
      onPollOver: () => onQuiet(),
    });
    const line: Line = { queue, offerPath, undelivered: [] };
    lines.set(key, line);
    return line;
  }

  function forgetIdle(): void {
    for (const [key, { queue, undelivered }] of lines) {
      if (queue.isIdle && undelivered.length === 0) lines.delete(key);
    }
  }

  /** Sends the last bytes of an item, and waits for what comes back. */
  function deliver(line: Line, item: QueueItem, { call, listener }: PollingCaller, rest: Buffer | undefined) {
    unsettled += 1;
    watchDelivery(
      call.res,
      call.req.socket,
      () => listener.onEnd(rest),
      (delivery) => settle(line, item, delivery),
    );
  }

  function settle(line: Line, item: QueueItem, delivery: Delivery): void {
    unsettled -= 1;
    if (delivery === 'notTaken') giveOn(line, item);
    else if (delivery === 'unknown')
      lose(item, 'the caller reset the connection behind it, and may have read it or not');
    else item.copy.drop();
    if (isClosing) onQuiet();
  }

  function giveOn(line: Line, item: QueueItem): void {
    if (item.copy.bytes() === undefined) {
      lose(item, 'there was no room to keep it');
    } else if (line.queue.handOn(item)) {
      report('handedOn', item);
    } else {
      const left = { item, offers: 0, timer: undefined };
      if (isClosing) offerBack(line, left);
      else hold(line, left);
    }
  }

  function hold(line: Line, left: Undelivered): void {
    line.undelivered.push(left);
    left.timer = setTimeout(() => {
      line.undelivered = line.undelivered.filter((other) => other !== left);
      offerBack(line, left);
    }, nextPollMs);
  }

  function transfer(line: Line, { item, timer }: Undelivered, caller: PollingCaller): void {
    clearTimeout(timer);
    report('handedOn', item);
    caller.listener.onHead(item.head);
    deliver(line, item, caller, item.copy.bytes());
  }

  function offerBack(line: Line, left: Undelivered): void {
    clearTimeout(left.timer);
    const { item } = left;
    left.offers += 1;
    if (line.offerPath === undefined) {
      retry(line, left, 'members differ in what queue its path names');
      return;
    }
    unsettled += 1;
    putBack(item, line.offerPath, othersLike(item), limits, (result) => {
      unsettled -= 1;
      if (result === 'rejected') retry(line, left, 'no member took it back');
      else if (result === 'unknown') lose(item, 'no member has said whether it took it back');
      else {
        report('putBack', item);
        item.copy.drop();
      }
      if (isClosing) onQuiet();
    });
  }

  function retry(line: Line, left: Undelivered, reason: string): void {
    if (isClosing || left.offers >= mostOffers) lose(left.item, reason);
    else if (line.queue.handOn(left.item)) report('handedOn', left.item);
    else hold(line, left);
  }

  /** Members of the same set: they have the same credentials. */
  function othersLike({ member }: QueueItem): readonly Member[] {
    return members().filter(({ credentials }) => credentials === member?.credentials);
  }

  function lose(item: QueueItem, reason: string): void {
    report('lost', item, { reason, sha256: item.copy.sha256() });
    item.copy.drop();
  }

  function report(
    outcome: ItemRecord['outcome'],
    { askedBy: { call }, member, copy }: QueueItem,
    more: Pick<ItemRecord, 'reason' | 'sha256'> = {},
  ): void {
    onItem({
      outcome,
      path: call.req.url!,
      requestId: call.requestId,
      subject: call.caller?.subject,
      clientId: call.caller?.clientId,
      member: member?.address,
      size: copy.size,
      ...more,
    });
  }
}
