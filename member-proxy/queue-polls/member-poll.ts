/** One poll at a member: begun for one caller, and answered for whoever waits when the answer comes. */

import type { ReplyHead } from '../../http/client/reply-head.ts';
import type { ProblemError } from '../../platform/errors.ts';
import type { Call } from '../call.ts';
import { startExchange } from '../forwarding/exchange.ts';
import type { Exchange, ReplyListener, UpstreamRequest } from '../forwarding/upstream-request.ts';
import type { Member } from '../members/members.ts';
import { type CopyRoom, ItemCopy } from './item-copy.ts';

export interface MemberPollEvents {
  /** @returns who gets the item that begins to arrive */
  onItem(poll: MemberPoll): PollingCaller | undefined;
  /**
   * All of the item has come from the member.
   *
   * @param rest  its last piece, valid during the call only
   */
  onWhole(poll: MemberPoll, head: ReplyHead, copy: ItemCopy, rest: Buffer | undefined): void;
  /** An answer without an item has begun. @returns who gets it */
  onNone(poll: MemberPoll, status: number): PollingCaller | undefined;
  /** Broke off; within an item where there is a copy. */
  onBroken(
    poll: MemberPoll,
    error: ProblemError,
    head: ReplyHead | undefined,
    copy: ItemCopy | undefined,
  ): void;
  /** Not answered in time. What it brings in the end is for whoever waits then. */
  onLate(poll: MemberPoll, error: ProblemError): void;
  /** Comes last, whatever came before. */
  onOver(poll: MemberPoll): void;
}

/** One call that polls, from its start until it has a reply, or its caller has gone. */
export interface PollingCaller {
  readonly call: Call;
  readonly request: UpstreamRequest;
  readonly candidates: readonly Member[];
  readonly listener: ReplyListener;
  /** Monotonic milliseconds: when its seconds are over. */
  readonly deadline: number;
  /** The poll at a member that asks for it, or whose reply it is given. */
  poll: MemberPoll | undefined;
  /** Ends its wait, where the member's own answer will not come in time. */
  timer: NodeJS.Timeout | undefined;
  /** Whether it still waits for a reply to begin. */
  isWaiting: boolean;
}

export class MemberPoll implements ReplyListener {
  /** Who began it, the call of whom it has in the record. */
  readonly beganFor: PollingCaller;
  /** For whom it waits; nobody when he has gone or has been given something else. */
  owner: PollingCaller | undefined;
  /** Who is being given its reply. */
  recipient: PollingCaller | undefined;
  exchange: Exchange | undefined;
  isAnswered = false;
  isWithdrawn = false;
  isLate = false;
  isOver = false;
  private readonly room: CopyRoom;
  private readonly events: MemberPollEvents;
  private head: ReplyHead | undefined;
  private copy: ItemCopy | undefined;

  constructor(owner: PollingCaller, room: CopyRoom, events: MemberPollEvents) {
    this.beganFor = owner;
    this.owner = owner;
    this.room = room;
    this.events = events;
  }

  begin(): void {
    const { request, candidates } = this.beganFor;
    this.exchange = startExchange(request, this, candidates);
  }

  onHead(head: ReplyHead): void {
    this.head = head;
    this.isAnswered = true;
    if (head.status === 200) {
      this.copy = new ItemCopy(this.room);
      this.recipient = this.events.onItem(this);
    } else {
      this.recipient = this.events.onNone(this, head.status);
    }
    this.recipient?.listener.onHead(head);
  }

  onData(chunk: Buffer): boolean {
    this.copy?.add(chunk);
    return this.recipient === undefined || this.recipient.listener.onData(chunk);
  }

  onEnd(rest: Buffer | undefined): void {
    this.isOver = true;
    if (this.copy === undefined) this.recipient?.listener.onEnd(rest);
    else this.events.onWhole(this, this.head!, this.copy, rest);
    this.events.onOver(this);
  }

  onFailure(error: ProblemError): void {
    this.isOver = true;
    this.events.onBroken(this, error, this.head, this.copy);
    this.events.onOver(this);
  }

  onLate(error: ProblemError): void {
    this.isLate = true;
    this.events.onLate(this, error);
  }
}
