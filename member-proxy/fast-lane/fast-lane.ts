/**
 * A short way for plain calls. Node's parser and its two message objects take more processor time than all that is done
 * with such a call, so it is read here, by a reader that knows one form and no other (decision 12). Whatever is not of
 * that form goes to Node's server with its connection, which stays there. Imports nothing of ours: members have it too.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Lane } from './lane.ts';

/**
 * Calls come as the server's `request` event all the same. To be called before anything else takes the server's
 * connections over. A server for TLS is left as it is: there the lane would save little of what a call takes.
 *
 * @param paths  what the target of a request must match, without a flag
 */
export function openFastLane(server: Server, paths: RegExp): void {
  if ('setSecureContext' in server) return;
  const lanes = new Set<Lane>();
  const [serve] = server.listeners('connection');
  server.off('connection', serve as (socket: Socket) => void);
  server.on('connection', (socket: Socket) => {
    const lane = new Lane(server, socket, paths, () => serve!.call(server, socket));
    lanes.add(lane);
    lane.onLeft = () => lanes.delete(lane);
  });
  alsoClose(server, lanes);
}

/** Node's server knows nothing of connections that it was not given. */
function alsoClose(server: Server, lanes: ReadonlySet<Lane>): void {
  const { closeIdleConnections, closeAllConnections } = server;
  server.closeIdleConnections = () => {
    for (const lane of lanes) if (lane.isIdle) lane.close();
    closeIdleConnections.call(server);
  };
  server.closeAllConnections = () => {
    for (const lane of lanes) lane.close();
    closeAllConnections.call(server);
  };
}
