import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How those hear of it who are refused. */
export interface OverloadAnswers {
  /** Says that there is no room, and closes. @param req  undefined when none has been read */
  reject(socket: Socket, what: 'connections' | 'requests', req?: IncomingMessage): void;
  /** The caller does not read; the connection is closed after this. */
  onUnread(socket: Socket): void;
}
