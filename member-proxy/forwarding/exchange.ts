/** One call at the members: it is sent to one after the other until one answers, and the answer is passed on. */
import { Readable } from 'node:stream';
import type { Connection } from '../../http/client/attempt.ts';
import { UpstreamFailure } from '../../http/client/failure.ts';
import type { OutgoingBody } from '../../http/client/outgoing-body.ts';
import type { ReplyHead } from '../../http/client/reply-head.ts';
import type { ProblemError } from '../../platform/errors.ts';
import type { Member } from '../members/members.ts';
import { type HeldReply, isWorthHolding, readDrainSign } from './held-reply.ts';
import { isElsewhere, mayTryAgain, nextMember, type Turn } from './next-member.ts';
import { type FailedCall, type Lost, noMember, problemOf } from './upstream-errors.ts';
import { type Exchange, headFor, type ReplyListener, type UpstreamRequest } from './upstream-request.ts';

/**
 * Sends one request and relays the reply, asking the candidates in turn as long as no byte was sent, or the member
 * says that it does not take the call because it is going down (decision 19).
 */
export function startExchange(
  request: UpstreamRequest,
  listener: ReplyListener,
  candidates: readonly Member[],
): Exchange {
  const exchange = new MemberExchange(request, listener, candidates);
  exchange.begin();
  return exchange;
}

const none: readonly Lost[] = [];

/** A class, because there is one for each call: its methods are made once. */
class MemberExchange implements Exchange, Turn {
  readonly method: string;
  readonly body: OutgoingBody | undefined;
  readonly replyMs: number;
  readonly isWaiting: boolean;
  readonly caller: string;
  head = '';
  isSent = false;
  isWanted = true;
  connection: Connection | undefined;
  member: Member | undefined;
  readonly request: UpstreamRequest;
  private readonly listener: ReplyListener;
  candidates: readonly Member[];
  tried = 0;
  isRepeated = false;
  private isAnswered = false;
  private isOver = false;
  private held: HeldReply | undefined;
  /** Those that it could not be sent to. */
  private lost: readonly Lost[] = none;
  /** Whether the member is asked what its answer meant: nothing is under way there. */
  private isTryingNext = false;
  /** Of a poll alone, which may go on elsewhere; milliseconds. */
  private readonly startedAt: number;

  constructor(request: UpstreamRequest, listener: ReplyListener, candidates: readonly Member[]) {
    this.method = request.method;
    this.body = request.body;
    this.replyMs = request.replyMs;
    this.isWaiting = request.isWaiting;
    this.caller = request.caller;
    this.startedAt = request.isWaiting ? performance.now() : 0;
    this.request = request;
    this.listener = listener;
    this.candidates = candidates;
  }

  begin(): void {
    const member = nextMember(this);
    if (member === undefined) {
      this.end(noMember(this.lost));
      return;
    }
    this.head = headFor(this.request, member, this.waitedMs());
    this.tried += 1;
    this.member = member;
    this.held = undefined;
    this.isSent = false;
    this.connection = undefined;
    member.pending += 1;
    member.pool.send(this);
  }

  resume(): void {
    this.connection?.resume();
  }

  withdraw(): void {
    this.connection?.withdraw();
  }

  abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (!this.isTryingNext) this.leaveMember();
    this.discardBody();
  }

  onHead(head: ReplyHead): void {
    if (isWorthHolding(head)) {
      this.held = { head, chunks: [] };
      return;
    }
    this.isAnswered = true;
    this.request.onAnswer?.(head, this.member!);
    this.listener.onHead(head);
  }

  onData(chunk: Buffer): boolean {
    if (this.held === undefined) return this.listener.onData(chunk);
    this.held.chunks.push(chunk);
    return true;
  }

  onEnd(rest: Buffer | undefined): void {
    this.member!.pending -= 1;
    if (this.held !== undefined) {
      if (rest !== undefined) this.held.chunks.push(Buffer.from(rest));
      this.classify(this.held);
      return;
    }
    this.isOver = true;
    this.listener.onEnd(rest);
  }

  onFailure(failure: UpstreamFailure): void {
    const member = this.member!;
    member.pending -= 1;
    this.lost = [...this.lost, { member, failure }];
    if (!this.isAnswered && mayTryAgain(this, failure)) this.begin();
    else this.end(problemOf(failure, this.failedCall(member)));
  }

  onLate(): boolean {
    if (this.listener.onLate === undefined) return false;
    const failure = new UpstreamFailure('replyTimeout');
    this.listener.onLate(problemOf(failure, this.failedCall(this.member!)));
    return true;
  }

  private failedCall(member: Member): FailedCall {
    const { lost, isWaiting } = this;
    return { member, lost, isWaiting, isReading: this.request.isRepeatable };
  }

  private classify(held: HeldReply): void {
    const member = this.member!;
    const sign = readDrainSign(this.method, held);
    if (sign === 'rejected') member.leave('said');
    if (sign === 'none' || !isElsewhere(this)) this.giveBack(held);
    else if (sign === 'rejected' || member.isLeaving) this.begin();
    else void this.askWhatItMeant(member, held);
  }

  /** An answer without a body brought a poll no item that could come twice, and to delete twice is to delete. */
  private async askWhatItMeant(member: Member, held: HeldReply): Promise<void> {
    this.isTryingNext = true;
    const isLeaving = await member.askIfLeaving();
    this.isTryingNext = false;
    if (this.isOver) return;
    if (isLeaving && isElsewhere(this)) this.begin();
    else this.giveBack(held);
  }

  /** The member's answer is the caller's after all. */
  private giveBack({ head, chunks }: HeldReply): void {
    this.isAnswered = true;
    this.isOver = true;
    this.request.onAnswer?.(head, this.member!);
    this.listener.onHead(head);
    this.listener.onEnd(chunks.length === 0 ? undefined : Buffer.concat(chunks));
  }

  onSuspicion(): void {
    const suspicion = new UpstreamFailure('suspect');
    const isTrusting = this.candidates.some(({ isTrusted }) => isTrusted);
    if (this.isAnswered || !isTrusting || !mayTryAgain(this, suspicion)) return;
    this.leaveMember();
    this.begin();
  }

  /** Of a poll that has been at another member. */
  private waitedMs(): number {
    return this.isWaiting && this.tried > 0 ? performance.now() - this.startedAt : 0;
  }

  private leaveMember(): void {
    if (this.member === undefined) return;
    this.member.pending -= 1;
    this.member.pool.abort(this);
  }

  private end(problem: ProblemError): void {
    this.isOver = true;
    this.discardBody();
    this.listener.onFailure(problem);
  }

  /** Whoever sends the body must not wait for a reader that never comes. */
  private discardBody(): void {
    if (this.body?.content instanceof Readable) this.body.content.destroy();
  }
}
