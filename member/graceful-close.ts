import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

const checkIntervalMs = 20;

/**
 * Prepares a server for being closed without cutting a reply; call it before the first connection.
 * Node's own `close` cuts connections whose reply is written but not yet sent to a slow reader.
 *
 * @param timeoutMs  after this long what is still open is cut
 * @returns a function that stops listening and resolves when the last connection has closed
 */
export function prepareClose(server: Server, timeoutMs: number): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  function closeIdle(): void {
    const isSending = [...sockets].some((socket) => socket.writableLength > 0);
    if (!isSending) server.closeIdleConnections();
  }

  return async function close() {
    const checking = setInterval(closeIdle, checkIntervalMs);
    const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
    await new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
      closeIdle();
    });
    clearInterval(checking);
    clearTimeout(deadline);
    server.close(); // no connection is left to cut; this ends Node's own timer for slow requests
  };
}
