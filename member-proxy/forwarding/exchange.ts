/** One call at the members: which of them is asked, when the next one is, and what its failure means. */
import { Readable } from 'node:stream';
import type { Attempt, Connection } from '../../http/client/attempt.ts';
import { UpstreamFailure } from '../../http/client/failure.ts';
import type { OutgoingBody } from '../../http/client/outgoing-body.ts';
import type { ReplyHead } from '../../http/client/reply-head.ts';
import { requestHead } from '../../http/client/request-head.ts';
import type { ProblemError } from '../../platform/errors.ts';
import type { Member } from '../members/members.ts';
import { withPrefix } from '../members/prefix.ts';
import type { EngineCall } from './engine-call.ts';
import { type HeldReply, isWorthHolding, readDrainSign } from './held-reply.ts';
import { withSecondsLeft } from './poll-wait.ts';
import { type Lost, noMember, problemOf } from './upstream-errors.ts';

export type { ReplyHead };

/** One request for a member. */
export interface UpstreamRequest {
  readonly method: string;
  /** The target as received, starting with `/svc`; each member gets it with its own first segment. */
  readonly sent: string;
  /** What the real engine gets instead, where it has the call under another name. */
  readonly atEngine: EngineCall | undefined;
  /** Names and values in turn. */
  readonly fields: string[];
  readonly body: OutgoingBody | undefined;
  /** Longest wait for the reply's head, milliseconds. */
  readonly replyMs: number;
  /** Whether it is a queue poll that may wait, of which a member takes so many at a time and no more. */
  readonly isWaiting: boolean;
  /** Whose it is. */
  readonly caller: string;
  /** Whether it may be sent again after it may have reached a member: a safe `GET` (S66). */
  readonly isRepeatable: boolean;
  /** Hears which member answers how, whoever the reply is for; undefined where nobody asks. */
  readonly onAnswer: ((head: ReplyHead, member: Member) => void) | undefined;
}

/** Hears the reply as it comes in. Nothing is called after `onEnd`, `onFailure` or an abort. */
export interface ReplyListener {
  onHead(head: ReplyHead): void;
  /** @returns false to be left alone until `resume` */
  onData(chunk: Buffer): boolean;
  /** @param rest  the last piece of the body, or all of it, valid during the call only; undefined when there is none */
  onEnd(rest: Buffer | undefined): void;
  /** May come after the head, when the reply breaks off. */
  onFailure(error: ProblemError): void;
  /** The member has not answered in time. Where this is there, its answer is waited for all the same. */
  onLate?(error: ProblemError): void;
}

export interface Exchange {
  /** The member that is answering, or was asked last. */
  readonly member: Member | undefined;
  /** Whether a byte of it may have reached that member. */
  readonly isSent: boolean;
  /** Whether somebody still waits for the reply: without one, no other member is asked. */
  isWanted: boolean;
  resume(): void;
  /** Says to the member that nothing more comes, and goes on to read what it may have sent by then. */
  withdraw(): void;
  /** Breaks the exchange off at once; its connection is not used again (S63, S70). */
  abort(): void;
}

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
class MemberExchange implements Exchange, Attempt {
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
  private readonly request: UpstreamRequest;
  private readonly listener: ReplyListener;
  private candidates: readonly Member[];
  private tried = 0;
  private isRepeated = false;
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
    this.preferOneWithRoom();
    const member = this.candidates[this.tried];
    if (member === undefined) {
      this.end(noMember(this.lost));
      return;
    }
    this.head = this.headFor(member);
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
    if (!this.isAnswered && this.mayTryAgain(failure)) this.begin();
    else this.end(problemOf(failure, member, this.isWaiting, this.lost));
  }

  onLate(): boolean {
    if (this.listener.onLate === undefined) return false;
    const failure = new UpstreamFailure('replyTimeout');
    this.listener.onLate(problemOf(failure, this.member!, this.isWaiting, this.lost));
    return true;
  }

  private classify(held: HeldReply): void {
    const member = this.member!;
    const sign = readDrainSign(this.method, held);
    if (sign === 'rejected') member.leave('said');
    if (sign === 'none' || !this.isElsewhere()) this.giveBack(held);
    else if (sign === 'rejected' || member.isLeaving) this.begin();
    else void this.askWhatItMeant(member, held);
  }

  /** An answer without a body brought a poll no item that could come twice, and to delete twice is to delete. */
  private async askWhatItMeant(member: Member, held: HeldReply): Promise<void> {
    this.isTryingNext = true;
    const isLeaving = await member.askIfLeaving();
    this.isTryingNext = false;
    if (this.isOver) return;
    if (isLeaving && this.isElsewhere()) this.begin();
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
    const isElsewhere = this.candidates.some(({ isTrusted }) => isTrusted);
    if (this.isAnswered || !isElsewhere || !this.mayTryAgain(suspicion)) return;
    this.leaveMember();
    this.begin();
  }

  /** Only when no byte was sent, or when sending it twice changes nothing (S66). */
  private mayTryAgain({ reason }: UpstreamFailure): boolean {
    if (!this.isWanted) return false;
    if (!this.isSent) {
      const rest = this.candidates.slice(this.tried);
      return reason === 'busy' ? rest.some((member) => this.fits(member)) : rest.length > 0;
    }
    // The real engine answers no poll that waits while it goes down, and an item that it took along is lost to all.
    if (this.isWaiting && reason === 'hungUp' && this.member!.isLeaving) return this.isElsewhere();
    if (!this.request.isRepeatable || this.isRepeated) return false;
    if (reason !== 'hungUp' && reason !== 'suspect') return false;
    this.isRepeated = true;
    this.tried %= this.candidates.length;
    return true;
  }

  /** Whether another member can be asked with all of the request. */
  private isElsewhere(): boolean {
    return this.isWanted && this.tried < this.candidates.length && !(this.body?.content instanceof Readable);
  }

  /** The next in turn may be busy, or have gone silent since the candidates were chosen. */
  private preferOneWithRoom(): void {
    const next = this.candidates[this.tried];
    if (next === undefined || this.fits(next)) return;
    const better = this.candidates.findIndex((member, i) => i > this.tried && this.fits(member));
    if (better === -1) return;
    const reordered = [...this.candidates];
    reordered[this.tried] = this.candidates[better]!;
    reordered[better] = next;
    this.candidates = reordered;
  }

  private fits({ isTrusted, pool }: Member): boolean {
    return isTrusted && pool.hasRoom(this);
  }

  private headFor({ prefix, pool: { authority } }: Member): string {
    const { fields, body, atEngine } = this.request;
    const { method, sent } = (prefix === 'hazelcast' && atEngine) || this.request;
    return requestHead({
      method,
      path: withPrefix(this.sentNow(sent), prefix),
      host: authority,
      fields,
      body,
    });
  }

  private sentNow(sent: string): string {
    if (!this.isWaiting || this.tried === 0) return sent;
    return withSecondsLeft(sent, performance.now() - this.startedAt);
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
