/**
 * What the command line and a running console say to each other: JSON values, one a line, through a socket in
 * the data directory. Whoever can open the socket may do all that the command line can do, so the directory's
 * permissions (0700) are the check.
 */

import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { ApiRequest } from '../operations/api-caller.ts';
import type { Reply, ReplyPart } from '../runner/command.ts';
import type { Failure } from '../runner/failure.ts';
import type { BulkQuestion } from './bulk-questions.ts';
import type { ConsoleKnowledge } from './store-knowledge.ts';

export const socketFile = 'console.sock';

/** Raised when an older program could no longer understand the other side. */
export const channelProtocol = 4;

/** What the console says. */
export type FromConsole =
  /** @param url  CONSOLE_URL */
  | {
      readonly kind: 'hello';
      readonly protocol: number;
      readonly version: string;
      readonly pid: number;
      readonly url?: string;
    }
  /** Wants the content of a file of the caller's, or of its standard input. */
  | { readonly kind: 'read'; readonly what: 'secret' | 'file'; readonly path: string }
  /** @param hasRest  parts follow, and then the end */
  | { readonly kind: 'reply'; readonly reply: Omit<Reply, 'rest'>; readonly hasRest: boolean }
  | { readonly kind: 'part'; readonly part: ReplyPart }
  | { readonly kind: 'end' }
  /** Of an operation whose answer goes on; the end follows. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'store'; readonly store: Omit<ConsoleKnowledge, 'dataDir' | 'pid'> }
  /** Of the question or operation before it. */
  | { readonly kind: 'answer'; readonly value: unknown };

/** What the command line says. */
export type FromCaller =
  | { readonly kind: 'run'; readonly argv: readonly string[]; readonly cwd: string; readonly actor: string }
  /** One operation; others follow, one after the other, until the connection ends. */
  | {
      readonly kind: 'operation';
      readonly id: string;
      readonly request: ApiRequest;
      /** `local:<user>`, as the caller claims. */
      readonly actor: string;
    }
  /** What `doctor`, which looks at the console from outside, has to know of its store and its settings. */
  | { readonly kind: 'look'; readonly isDeep: boolean }
  /** An import or export; questions follow, one after the other, until the connection ends. */
  | { readonly kind: 'bulk'; readonly actor: string }
  | { readonly kind: 'ask'; readonly question: BulkQuestion }
  | { readonly kind: 'content'; readonly text: string }
  /** It could not be read. */
  | { readonly kind: 'unread'; readonly message: string };

/** A message is at most a file of 256 KiB with every character escaped, or a list of 10,000 sessions, or a page of an export. */
export function send(socket: Socket, message: FromConsole | FromCaller): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Waits until what was sent has gone out, or the other side has left. @returns whether it is still there */
export async function drained(socket: Socket): Promise<boolean> {
  while (socket.writableNeedDrain && !socket.destroyed) {
    const over = new AbortController();
    const { signal } = over;
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(
      () => {},
    );
    over.abort();
  }
  return !socket.destroyed;
}

/** The messages of the other side, in order; ends, or throws, with the connection. */
export async function* messagesOf<M>(socket: Socket): AsyncGenerator<M, void> {
  let rest = '';
  for await (const text of socket.setEncoding('utf8')) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as M;
  }
}

export interface SocketPath {
  readonly path: string;
  /** Call it when the path is not needed any more: a server needs it until it is closed. */
  close(): void;
}

/** A path that is short enough: addresses of sockets end at 107 bytes, data directories do not. */
export function socketPath(dataDir: string): SocketPath {
  if (!existsSync('/proc/self/fd')) return { path: join(dataDir, socketFile), close() {} };
  const descriptor = openSync(dataDir, 'r');
  return { path: `/proc/self/fd/${descriptor}/${socketFile}`, close: () => closeSync(descriptor) };
}
