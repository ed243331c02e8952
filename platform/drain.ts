import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/**
 * After the last reply: for a sender that is in the middle of a request's head, or of a handshake, and for one that sends on
 * an idle connection before it learns that this ends. A load balancer that finds such a connection broken may neither
 * repeat the call here, where nobody listens any more, nor elsewhere, since it has been sent.
 */
const lingerMs = 500;
/** Where they come faster than they are accepted. */
const longestAcceptingMs = 500;

export interface Drain {
  /** From now on each reply ends its connection: who calls looks for another place. New ones are taken as before. */
  announceEnd(): void;
  /**
   * Accepts what waits to be accepted, and nothing more. Resolves when every connection has closed; what is still open after
   * `timeoutMs` is cut.
   */
  drain(timeoutMs: number): Promise<void>;
}

/**
 * Prepares a server for an end that cuts nobody off (S81); call it before the first connection.
 *
 * While replies are owed, and a moment longer, connections that are open stay so and are served: a monitor on one of them
 * sees that the console is not ready any more. Each new reply on them announces their end. After that moment only those
 * stay that owe a reply still.
 *
 * @param startWaiting  starts requests that have come and wait for their turn: their replies are owed too
 */
export function prepareDrain(server: Server, startWaiting: () => void): Drain {
  /** By socket, as it came: over TLS, requests have another one. */
  const peers = new Map<Socket, string>();
  /** Replies owed, by connection: a reply that waits its turn on a broken one has no event of its own. */
  const owed = new Map<Socket, number>();
  let accepted = 0;
  let isAnnounced = false;
  let isDraining = false;
  let linger: NodeJS.Timeout | undefined;
  let end: Promise<void> | undefined;

  server.on('connection', (socket: Socket) => {
    accepted++;
    peers.set(socket, peerOf(socket));
    socket.once('close', () => peers.delete(socket));
  });
  server.prependListener('request', ({ socket }, res) => {
    if (isAnnounced) res.shouldKeepAlive = false;
    if (!owed.has(socket)) {
      socket.once('close', () => {
        owed.delete(socket);
        lingerUnlessOwed();
      });
    }
    owed.set(socket, (owed.get(socket) ?? 0) + 1);
    res.once('close', () => {
      if (owed.has(socket)) owed.set(socket, owed.get(socket)! - 1);
      lingerUnlessOwed();
    });
  });

  return {
    announceEnd() {
      isAnnounced = true;
    },
    drain(timeoutMs) {
      end ??= drain(timeoutMs);
      return end;
    },
  };

  async function drain(timeoutMs: number): Promise<void> {
    isAnnounced = true;
    const wasOwed = isOwed();
    await acceptWaiting();
    isDraining = true;
    const deadline = setTimeout(cut, timeoutMs);
    await new Promise<void>((resolve) => {
      // The close() of an HTTP server would end idle connections before anyone has seen the 503.
      NetServer.prototype.close.call(server, () => resolve());
      if (wasOwed) lingerUnlessOwed();
      else startLinger();
    });
    clearTimeout(deadline);
    clearTimeout(linger);
    server.close(); // no connection is left; this ends Node's own timer for slow requests
  }

  /**
   * A port that closes resets the connections that wait to be accepted, of which each turn of the event loop may accept
   * one: until a turn has met none.
   */
  async function acceptWaiting(): Promise<void> {
    const until = performance.now() + longestAcceptingMs;
    await setImmediate(); // the turn that is under way may have met its one
    for (let before = -1; accepted !== before && performance.now() < until; ) {
      before = accepted;
      await setImmediate();
    }
  }

  function lingerUnlessOwed(): void {
    if (isDraining && !linger && !isOwed()) startLinger();
  }

  function isOwed(): boolean {
    startWaiting();
    return [...owed.values()].some((count) => count > 0);
  }

  function startLinger(): void {
    linger = setTimeout(endIdle, lingerMs);
  }

  /** What has come meanwhile is answered: its reply ends its connection. */
  function endIdle(): void {
    server.closeIdleConnections();
    const owing = new Set([...owed].flatMap(([socket, count]) => (count > 0 ? [peerOf(socket)] : [])));
    for (const [socket, peer] of peers) if (!owing.has(peer)) socket.destroy();
  }

  function cut(): void {
    server.closeAllConnections();
    for (const socket of peers.keys()) socket.destroy();
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
