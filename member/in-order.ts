import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection may have in line before it is cut. */
const longestLine = 256;

/**
 * Starts a request only when the one before it on its connection has been answered, as RFC 9112
 * §9.3.2 asks where not all of them are safe: a read behind a write sees it, and a poll is handed
 * no item while its reply cannot leave. Costs nothing where replies are written at once.
 */
export function inOrder(answer: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Exchange[]>();

  function start({ req, res }: Exchange, line: Exchange[]): void {
    answer(req, res);
    if (res.writableEnded) return;
    lines.set(req.socket, line);
    res.on('close', () => goOn(req.socket, line));
  }

  function goOn(socket: Socket, line: Exchange[]): void {
    lines.delete(socket);
    while (!lines.has(socket) && !socket.destroyed) {
      const next = line.shift();
      if (next === undefined) return;
      start(next, line);
    }
  }

  return function answerInOrder(req, res) {
    const socket = req.socket as EndingSocket;
    // Behind the last request of a connection nothing is answered, and so nothing is carried out (RFC 9112 §9.6).
    if (socket[isEnding]) return;
    if (!res.shouldKeepAlive) socket[isEnding] = true;
    const line = lines.get(req.socket);
    if (line === undefined) return start({ req, res }, []);
    if (line.length >= longestLine) req.socket.destroy();
    else line.push({ req, res });
  };
}

const isEnding = Symbol('isEnding');

interface EndingSocket extends Socket {
  [isEnding]?: boolean;
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}
