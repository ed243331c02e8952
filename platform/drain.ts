import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** After the last reply: for a sender that is in the middle of a request's head, or of a handshake. */
const lingerMs = 500;

/**
 * Prepares a server for an end that cuts nobody off (S81); call it before the first connection.
 *
 * While replies are owed, connections that are open stay so and are served: a monitor on one of them
 * sees that the console is not ready any more. Each new reply on them announces their end.
 *
 * @param startWaiting  starts requests that have come and wait for their turn: their replies are owed too
 *
 * @returns a function that stops accepting at once and resolves when every connection has closed;
 *   what is still open after `timeoutMs` is cut
 */
export function prepareDrain(server: Server, startWaiting: () => void): (timeoutMs: number) => Promise<void> {
  const sockets = new Set<Socket>();
  /** Replies owed, by connection: a reply that waits its turn on a broken one has no event of its own. */
  const owed = new Map<Socket, number>();
  let isDraining = false;
  let linger: NodeJS.Timeout | undefined;
  let end: Promise<void> | undefined;

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', ({ socket }, res) => {
    if (isDraining) res.shouldKeepAlive = false;
    if (!owed.has(socket)) {
      socket.once('close', () => {
        owed.delete(socket);
        endIdle();
      });
    }
    owed.set(socket, (owed.get(socket) ?? 0) + 1);
    res.once('close', () => {
      if (owed.has(socket)) owed.set(socket, owed.get(socket)! - 1);
      endIdle();
    });
  });

  return (timeoutMs) => {
    end ??= drain(timeoutMs);
    return end;
  };

  async function drain(timeoutMs: number): Promise<void> {
    isDraining = true;
    const deadline = setTimeout(cut, timeoutMs);
    await new Promise<void>((resolve) => {
      // The close() of an HTTP server would end idle connections before anyone has seen the 503.
      NetServer.prototype.close.call(server, () => resolve());
      endIdle();
    });
    clearTimeout(deadline);
    clearTimeout(linger);
    server.close(); // no connection is left; this ends Node's own timer for slow requests
  }

  function endIdle(): void {
    if (!isDraining || linger) return;
    startWaiting();
    if ([...owed.values()].some((count) => count > 0)) return;
    server.closeIdleConnections();
    linger = setTimeout(cut, lingerMs);
  }

  function cut(): void {
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  }
}
