/** The callers that poll one queue, the polls at members for them, and the items that nobody has taken. */

import type { ReplyHead } from '../../http/client/reply-head.ts';
import type { ProblemError } from '../../platform/errors.ts';
import type { CopyRoom, ItemCopy } from './item-copy.ts';
import type { PollingCaller } from './member-poll.ts';
import { MemberPoll, type MemberPollEvents } from './member-poll.ts';
import type { QueueItem } from './queue-item.ts';
import { createWaitingCallers } from './waiting-callers.ts';

/** Polls of one queue that wait at members at a time; further callers are given what these bring, and their places. */
const mostPolls = 16;
/** A member's own answer to a poll whose time is over may come so much before it, milliseconds. */
const earlyMs = 100;

export interface QueueLine {
  readonly isIdle: boolean;
  /** Callers that wait for a reply to begin. */
  readonly count: number;
  join(caller: PollingCaller): void;
  /** He has gone, or has been refused. */
  leave(caller: PollingCaller): void;
  /** Gives an item to somebody who waits. @returns whether there was anybody */
  handOn(item: QueueItem): boolean;
  /** Everybody who waits is answered that there is no item; what members bring in the end is given on as ever. */
  endWaits(): void;
  /** Withdraws or breaks off what waits at members for nobody. */
  polls(): readonly MemberPoll[];
}

export interface QueueLineDeps {
  readonly room: CopyRoom;
  /** Whether members end a poll whose connection is ended on this side, and say whether they had an item for it. */
  readonly canWithdraw: boolean;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Gives an item to a caller, and sees to it that it arrives. */
  readonly deliver: (item: QueueItem, caller: PollingCaller, rest: Buffer | undefined) => void;
  /** Nobody was there to take it. */
  readonly onUndelivered: (item: QueueItem) => void;
  readonly onBrokenItem: (item: QueueItem) => void;
  readonly onPollOver: () => void;
}

export function createQueueLine(deps: QueueLineDeps): QueueLine {
  const { room, canWithdraw, now, deliver, onUndelivered, onBrokenItem, onPollOver } = deps;
  /** Those without a poll of their own. */
  const waiting = createWaitingCallers();
  const polls: MemberPoll[] = [];
  let count = 0;
  /** Polls that members have not answered in time; they keep nobody else from asking. */
  let late = 0;
  let isFilling = false;
  /** Whose poll was given the last item. */
  let lastServed = '';
  const events: MemberPollEvents = { onItem, onWhole, onNone, onBroken, onLate, onOver };

  return {
    get isIdle() {
      return polls.length === 0 && waiting.isEmpty;
    },
    get count() {
      return count;
    },
    join(caller) {
      count += 1;
      const { isWaiting } = caller.request;
      const free = isWaiting ? polls.find(isFree) : undefined;
      if (free !== undefined) own(free, caller);
      else if (!isWaiting || polls.length - late < mostPolls) ask(caller);
      else wait(caller);
    },
    leave(caller) {
      const { poll } = caller;
      if (poll?.recipient === caller && !poll.isOver) {
        poll.recipient = undefined;
        poll.exchange?.resume(); // the rest of the item
      }
      release(caller);
    },
    handOn(item) {
      const caller = nextCaller();
      if (caller === undefined) return false;
      release(caller);
      caller.listener.onHead(item.head);
      deliver(item, caller, item.copy.bytes());
      return true;
    },
    endWaits() {
      for (let caller = nextCaller(); caller !== undefined; caller = nextCaller()) answerNone(caller);
    },
    polls: () => polls,
  };

  function isFree(poll: MemberPoll): boolean {
    const { owner, isAnswered, isWithdrawn, isLate, beganFor } = poll;
    return owner === undefined && !isAnswered && !isWithdrawn && !isLate && beganFor.request.isWaiting;
  }

  function ask(caller: PollingCaller): void {
    const poll = new MemberPoll(caller, room, events);
    caller.poll = poll;
    polls.push(poll);
    poll.begin();
  }

  /** Takes over a poll whose caller has gone. */
  function own(poll: MemberPoll, caller: PollingCaller): void {
    poll.owner = caller;
    poll.exchange!.isWanted = true;
    caller.poll = poll;
    limit(caller);
  }

  function wait(caller: PollingCaller): void {
    waiting.add(caller);
    limit(caller);
  }

  /** No member will say that his time is over. */
  function limit(caller: PollingCaller): void {
    caller.timer ??= setTimeout(() => answerNone(caller), caller.deadline - now());
  }

  function answerNone(caller: PollingCaller): void {
    release(caller);
    caller.listener.onHead(noItem);
    caller.listener.onEnd(undefined);
  }

  /** He waits no more; what waits for him does so for somebody else from now on. */
  function release(caller: PollingCaller): void {
    clearTimeout(caller.timer);
    if (caller.isWaiting) count -= 1;
    caller.isWaiting = false;
    if (waiting.remove(caller)) return;
    const { poll } = caller;
    if (poll?.owner !== caller) return;
    poll.owner = undefined;
    if (poll.isAnswered || poll.isOver) return;
    if (poll.exchange !== undefined) poll.exchange.isWanted = false;
    const next = poll.beganFor.request.isWaiting && !poll.isLate ? waiting.next() : undefined;
    if (next !== undefined) own(poll, next);
    else if (poll.exchange?.isSent === false) abandon(poll);
    else if (canWithdraw) withdraw(poll);
  }

  function abandon(poll: MemberPoll): void {
    poll.isOver = true;
    poll.exchange!.abort();
    onOver(poll);
  }

  function withdraw(poll: MemberPoll): void {
    poll.isWithdrawn = true;
    poll.exchange!.withdraw();
  }

  function nextCaller(): PollingCaller | undefined {
    return (
      waiting.next() ?? polls.find(({ owner, isAnswered }) => owner?.request.isWaiting && !isAnswered)?.owner
    );
  }

  /** Somebody without a poll of his own, when the owner of this one has had his turn. */
  function nextOther(owner: PollingCaller | undefined): PollingCaller | undefined {
    if (waiting.isEmpty || !owner?.request.isWaiting || owner.request.caller !== lastServed) return undefined;
    return waiting.next(lastServed);
  }

  function onItem(poll: MemberPoll): PollingCaller | undefined {
    const caller = nextOther(poll.owner) ?? poll.owner ?? nextCaller();
    if (caller === undefined) return undefined;
    lastServed = caller.request.caller;
    release(caller);
    caller.poll = poll;
    return caller;
  }

  function onWhole(poll: MemberPoll, head: ReplyHead, copy: ItemCopy, rest: Buffer | undefined): void {
    if (rest !== undefined) copy.add(Buffer.from(rest));
    const { recipient } = poll;
    const item = itemOf(poll, head, copy);
    if (recipient === undefined) onUndelivered(item);
    else deliver(item, recipient, rest);
  }

  function onNone(poll: MemberPoll, status: number): PollingCaller | undefined {
    const { owner } = poll;
    if (owner === undefined) return undefined;
    // A poll that he took over: its time is over, not his.
    if (status === 204 && owner !== poll.beganFor && owner.deadline - now() > earlyMs) return undefined;
    release(owner);
    owner.poll = poll;
    return owner;
  }

  function onBroken(poll: MemberPoll, ...[error, head, copy]: [ProblemError, ReplyHead?, ItemCopy?]): void {
    const { recipient, owner } = poll;
    if (copy !== undefined) onBrokenItem(itemOf(poll, head!, copy));
    const caller = recipient ?? owner;
    if (caller === undefined) return;
    release(caller);
    caller.listener.onFailure(error);
  }

  function onLate(poll: MemberPoll, error: ProblemError): void {
    late += 1;
    const { owner } = poll;
    if (owner !== undefined && owner !== poll.beganFor && owner.deadline - now() > earlyMs) {
      // A poll that he took over: its time is over, not his.
      poll.owner = undefined;
      poll.exchange!.isWanted = false;
      ask(owner);
    } else if (owner !== undefined) {
      release(owner);
      owner.listener.onFailure(error);
    }
    if (!isFilling) fill();
  }

  function onOver(poll: MemberPoll): void {
    const at = polls.indexOf(poll);
    if (at === -1) return;
    polls.splice(at, 1);
    if (poll.isLate) late -= 1;
    const { owner } = poll;
    poll.owner = undefined;
    if (owner?.isWaiting) ask(owner);
    if (!isFilling) fill();
    onPollOver();
  }

  /** Polls may be over as soon as they are begun, such as when no member is there: one after the other, not within each other. */
  function fill(): void {
    isFilling = true;
    while (!waiting.isEmpty && polls.length - late < mostPolls) ask(waiting.next()!);
    isFilling = false;
  }

  function itemOf({ exchange, beganFor }: MemberPoll, head: ReplyHead, copy: ItemCopy): QueueItem {
    return { head, copy, member: exchange?.member, askedBy: beganFor };
  }
}

/** What a member says to a poll whose time is over. */
const noItem: ReplyHead = {
  status: 204,
  reason: 'No Content',
  fields: [],
  bodyLength: 0,
  isLast: false,
  keepAliveSeconds: undefined,
};
