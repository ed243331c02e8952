import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that one connection may have in line before it is cut. */
const longestLine = 256;

/**
 * Starts a request only when the one before it on its connection has been answered (RFC 9112 §9.3.2). Sent to a
 * member at the same time, on connections of their own, a read could overtake the write that it was sent behind, and a
 * poll would take an item that cannot leave yet. Costs nothing where nobody sends ahead.
 */
export function inOrder(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Duplex, Waiting[]>();

  return function handleInTurn(req, res) {
    // A reply has its socket from the moment on at which all before it are through.
    if (res.socket !== null) {
      handle(req, res);
      return;
    }
    const line = lines.get(req.socket);
    if (line === undefined) {
      goOn(req.socket, [{ req, res }]);
    } else if (line.length < longestLine) {
      line.push({ req, res });
    } else {
      req.socket.destroy();
    }
  };

  /** Waits for the reply that is on its way, and starts what is first in line. */
  function goOn(socket: Duplex, line: Waiting[]): void {
    lines.set(socket, line);
    replyInTurn(socket)?.once('close', () => {
      const [first] = line;
      if (first === undefined || socket.destroyed) {
        lines.delete(socket);
      } else if (first.res.socket === null) {
        goOn(socket, line);
      } else {
        line.shift();
        goOn(socket, line);
        handle(first.req, first.res);
      }
    });
  }
}

interface Waiting {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The reply that a connection is busy with; there is no public way to it, and Node's own handlers ask the same field. */
export function replyInTurn(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
