/** One call at the members: which of them is asked, when the next one is, and what its failure means. */
import { Readable } from 'node:stream';
import type { ProblemError } from '../console/errors.ts';
import type { OutgoingBody } from './body.ts';
import { noMember, problemOf } from './exchange-problems.ts';
import type { Member } from './members.ts';
import { withPrefix } from './prefix.ts';
import type { Attempt } from './upstream/attempt.ts';
import type { Connection } from './upstream/connection.ts';
import { UpstreamFailure } from './upstream/failure.ts';
import type { ReplyHead } from './upstream/reply-head.ts';
import { requestHead } from './upstream/request-head.ts';

export type { ReplyHead };

/** One request for a member. */
export interface UpstreamRequest {
  readonly method: string;
  /** The target as received, starting with `/svc`; each member gets it with its own first segment. */
  readonly sent: string;
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
  onData(piece: Buffer): boolean;
  /** @param rest  the last piece of the body, or all of it, valid during the call only; undefined when there is none */
  onEnd(rest: Buffer | undefined): void;
  /** May come after the head, when the reply breaks off. */
  onFailure(error: ProblemError): void;
}

export interface Exchange {
  /** The member that is answering, or was asked last. */
  readonly member: Member | undefined;
  resume(): void;
  /** Breaks the exchange off at once; its connection is not used again (S63, S70). */
  abort(): void;
}

/** Sends one request and relays the reply, asking the candidates in turn as long as no byte was sent. */
export function startExchange(
  request: UpstreamRequest,
  listener: ReplyListener,
  candidates: readonly Member[],
): Exchange {
  const exchange = new MemberExchange(request, listener, candidates);
  exchange.begin();
  return exchange;
}

/** A class, because there is one for each call: its methods are made once. */
class MemberExchange implements Exchange, Attempt {
  readonly method: string;
  readonly body: OutgoingBody | undefined;
  readonly replyMs: number;
  readonly isWaiting: boolean;
  readonly caller: string;
  head = '';
  isSent = false;
  connection: Connection | undefined;
  member: Member | undefined;
  private readonly request: UpstreamRequest;
  private readonly listener: ReplyListener;
  private candidates: readonly Member[];
  private tried = 0;
  private isRepeated = false;
  private isAnswered = false;
  private isOver = false;

  constructor(request: UpstreamRequest, listener: ReplyListener, candidates: readonly Member[]) {
    this.method = request.method;
    this.body = request.body;
    this.replyMs = request.replyMs;
    this.isWaiting = request.isWaiting;
    this.caller = request.caller;
    this.request = request;
    this.listener = listener;
    this.candidates = candidates;
  }

  begin(): void {
    this.preferOneWithRoom();
    const member = this.candidates[this.tried];
    if (member === undefined) {
      this.end(noMember());
      return;
    }
    this.tried += 1;
    this.head = this.headFor(member);
    this.member = member;
    this.isSent = false;
    this.connection = undefined;
    member.pending += 1;
    member.pool.send(this);
  }

  resume(): void {
    this.connection?.resume();
  }

  abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.leaveMember();
    this.discardBody();
  }

  onHead(head: ReplyHead): void {
    this.isAnswered = true;
    this.request.onAnswer?.(head, this.member!);
    this.listener.onHead(head);
  }

  onData(piece: Buffer): boolean {
    return this.listener.onData(piece);
  }

  onEnd(rest: Buffer | undefined): void {
    this.member!.pending -= 1;
    this.isOver = true;
    this.listener.onEnd(rest);
  }

  onFailure(failure: UpstreamFailure): void {
    this.member!.pending -= 1;
    if (!this.isAnswered && this.mayTryAgain(failure)) this.begin();
    else this.end(problemOf(failure, this.member!, this.isWaiting));
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
    if (!this.isSent) {
      const rest = this.candidates.slice(this.tried);
      return reason === 'busy' ? rest.some((member) => this.fits(member)) : rest.length > 0;
    }
    if (!this.request.isRepeatable || this.isRepeated) return false;
    if (reason !== 'hungUp' && reason !== 'suspect') return false;
    this.isRepeated = true;
    this.tried %= this.candidates.length;
    return true;
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
    const { method, sent, fields, body } = this.request;
    return requestHead({ method, path: withPrefix(sent, prefix), host: authority, fields, body });
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
