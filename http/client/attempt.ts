import type { UpstreamFailure } from './failure.ts';
import type { OutgoingBody } from './outgoing-body.ts';
import type { ReplyHead } from './reply-head.ts';

/** One request on its way to one member, and whoever waits for the reply. Nothing is called after `onEnd` or `onFailure`. */
export interface Attempt {
  readonly method: string;
  /** From `requestHead`, as this member is to get it. */
  readonly head: string;
  readonly body: OutgoingBody | undefined;
  /** Longest wait for the head of the reply, milliseconds. */
  readonly replyMs: number;
  /** Whether it is a queue poll that may hold its connection, and a worker of the member, for hours. */
  readonly isWaiting: boolean;
  /** Whose it is: waiting calls are shared out between callers. */
  readonly caller: string;
  /** Whether a byte of it may have reached the member. */
  isSent: boolean;
  /** The connection that it has, from the moment it has one. */
  connection: Connection | undefined;

  onHead(head: ReplyHead): void;
  /** @returns false to be left alone until the connection's `resume` */
  onData(chunk: Buffer): boolean;
  /** @param rest  the last piece of the body, valid during the call only */
  onEnd(rest: Buffer | undefined): void;
  onFailure(failure: UpstreamFailure): void;
  /** Its time is over. @returns whether the reply is waited for all the same, for as long as a silence may last; once */
  onLate(): boolean;
  /** The member no longer answers its probes; who can ask another should. */
  onSuspicion(): void;
}

export interface Connection {
  /** What it is busy with. */
  readonly attempt: Attempt | undefined;
  /** How long it may be kept idle, milliseconds, when the member has said so. */
  readonly idleMs: number | undefined;
  /** When it became idle; the pool's own note. */
  idleSince: number;
  /** Sends a request, as soon as it is open. Only while it is not busy. */
  run(attempt: Attempt): void;
  /** Reads on after the reply has been left alone. */
  resume(): void;
  /** Ends this side: whatever the member has sent by then is read, and the connection not used again. */
  withdraw(): void;
  /** Closes at once, without a word to the attempt. */
  destroy(): void;
}
