import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer } from 'node:net';
import { backlog, defaultOverloadLimits, type OverloadLimits } from '../http/server/overload/limits.ts';
import { createOverload, serializeCalls } from '../http/server/overload/overload.ts';
import { PortTakenError } from '../platform/port-taken-error.ts';
import { rejectMalformed } from './malformed.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How many ports to try, counting up from `port`. */
  readonly attempts: number;
}

/**
 * Opens a server on the first free port. It answers nothing until {@link answerWith}.
 *
 * @throws {PortTakenError} when all of the ports are taken
 */
export function listenOnFreePort(options: ListenOptions): Promise<Server> {
  return firstFree(options, createMemberServer);
}

/**
 * The same for a port at which nothing answers: each connection is closed without a byte.
 *
 * @throws {PortTakenError} when all of the ports are taken
 */
export function listenQuietly(options: ListenOptions): Promise<NetServer> {
  return firstFree(options, () => createNetServer((socket) => socket.destroy()));
}

async function firstFree<Kind extends NetServer>(options: ListenOptions, create: () => Kind): Promise<Kind> {
  const { host, port, attempts } = options;
  let cause: unknown;
  for (let attempt = 0; attempt < attempts && port + attempt <= 65_535; attempt += 1) {
    const server = create();
    try {
      await once(server.listen({ host, port: port + attempt, backlog }), 'listening');
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      cause = error;
    }
  }
  throw new PortTakenError(options, { cause });
}

export function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/** Hands every request to `answer`; one with `Expect` gets its 100 when the body is wanted (RFC 9110 §10.1.1). */
export function answerWith(server: Server, answer: RequestListener): void {
  const answerSerialized = serializeCalls(answer);
  server.on('request', answerSerialized);
  server.on('checkContinue', (req, res) => {
    // After a refusal nobody can tell whether the body still follows, so the connection ends with it.
    res.shouldKeepAlive = false;
    answerSerialized(req, res);
  });
}

/**
 * Those of the fast path: all that sets no field beside its reply. A connection that has left the fast path does not come
 * back, and a gateway sends calls on data over the connections that it has asked for the cluster's state.
 */
const plainPaths = /^\/(?:svc|hazelcast)\/(?!rest\/management\/cluster\/hotBackup)/;

function createMemberServer(): Server {
  const server = createServer({
    keepAliveTimeout: 75_000,
    headersTimeout: 10_000,
    requestTimeout: 120_000,
    maxHeaderSize: 64 * 1024,
  });
  rejectMalformed(server);
  createOverload({
    limits,
    kindOf: () => 'call',
    sourceOfConnection: () => undefined,
    sourceOfRequest: () => '',
    now: () => performance.now(),
  }).watch(server, plainPaths, {
    reject: (socket) => socket.end(replyOf('503 Service Unavailable')),
    onUnread() {},
  });
  return server;
}

/** Callers of a member are few, and trusted: these keep it from harm by those that are broken. */
const limits: OverloadLimits = {
  ...defaultOverloadLimits,
  connections: 50_000,
  connectionsPerSource: 50_000,
  // The proxy in front has shorter ones, and says more.
  bodyMs: 60_000,
  replyStallMs: 600_000,
};

function replyOf(statusLine: string): string {
  return `HTTP/1.1 ${statusLine}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
}
