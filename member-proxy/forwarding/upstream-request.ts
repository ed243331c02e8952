/** What an exchange with a member is given, and what it gives back. */
import type { OutgoingBody } from '../../http/client/outgoing-body.ts';
import type { ReplyHead } from '../../http/client/reply-head.ts';
import { requestHead } from '../../http/client/request-head.ts';
import type { ProblemError } from '../../platform/errors.ts';
import type { Member } from '../members/members.ts';
import { withPrefix } from '../members/prefix.ts';
import type { EngineCall } from './engine-call.ts';
import { withSecondsLeft } from './poll-wait.ts';

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

/** The head as this member gets it. @param waitedMs  how long a poll has waited at others, milliseconds */
export function headFor(
  request: UpstreamRequest,
  { prefix, pool: { authority } }: Member,
  waitedMs: number,
): string {
  const { fields, body, atEngine } = request;
  const { method, sent } = (prefix === 'hazelcast' && atEngine) || request;
  const path = withPrefix(waitedMs === 0 ? sent : withSecondsLeft(sent, waitedMs), prefix);
  return requestHead({ method, path, host: authority, fields, body });
}
