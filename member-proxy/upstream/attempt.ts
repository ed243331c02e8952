import type { OutgoingBody } from '../body.ts';
import type { Connection } from './connection.ts';
import type { UpstreamFailure } from './failure.ts';
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
  onData(piece: Buffer): boolean;
  /** @param rest  the last piece of the body, valid during the call only */
  onEnd(rest: Buffer | undefined): void;
  onFailure(failure: UpstreamFailure): void;
  /** The member no longer answers its probes; who can ask another should. */
  onSuspicion(): void;
}
