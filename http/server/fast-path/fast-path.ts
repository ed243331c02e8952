/**
 * A short way for plain calls. Node's parser and its two message objects take more processor time than all that is done
 * with such a call, so it is read here, by a reader that knows one form and no other (decision 12). Whatever is not of
 * that form goes to Node's server with its connection, which stays there. Imports nothing of ours: members have it too.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { FastConnection, type FastPathDeps } from './fast-connection.ts';

/**
 * Takes a connection over.
 *
 * @param onHandOff  called once: with what has been read, when the connection is to be served in another way from here on,
 *   or without, when it has closed
 */
export type OpenFastConnection = (
  socket: Socket,
  onHandOff: (bytes: Buffer | undefined) => void,
) => FastConnection;

/**
 * Calls come as the server's `request` event all the same. Not for TLS: there it would save little of what a call takes.
 *
 * @param paths  what the target of a request must match, without a flag
 */
export function openFastPath(server: Server, paths: RegExp, deps: FastPathDeps): OpenFastConnection {
  const connections = new Set<FastConnection>();
  alsoClose(server, connections);
  return (socket, onHandOff) => {
    const connection: FastConnection = new FastConnection(server, socket, paths, deps, (bytes) => {
      connections.delete(connection);
      onHandOff(bytes);
    });
    connections.add(connection);
    return connection;
  };
}

/** Node's server knows nothing of connections that it was not given. */
function alsoClose(server: Server, connections: ReadonlySet<FastConnection>): void {
  const { closeIdleConnections, closeAllConnections } = server;
  server.closeIdleConnections = () => {
    for (const connection of connections) if (connection.isIdle) connection.close();
    closeIdleConnections.call(server);
  };
  server.closeAllConnections = () => {
    for (const connection of connections) connection.close();
    closeAllConnections.call(server);
  };
}
