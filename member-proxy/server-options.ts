import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Problem, ProblemError, problemBody, problems } from '../console/errors.ts';
import { replyInTurn } from './in-order.ts';

/** Options of the HTTP server that carries the proxy (S63, S64). */
export const serverOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  /** Whole request, body included; a body that stops arriving is ended much earlier by the proxy. */
  requestTimeout: 300_000,
  keepAliveTimeout: 65_000,
  /** How often the two timeouts are looked after; Node's own half minute would make 10 s up to 40. */
  connectionsCheckingInterval: 1_000,
  insecureHTTPParser: false,
  noDelay: true,
} as const satisfies ServerOptions;

const targetBytes = 8 * 1024;

/** What the parser's error codes mean; anything else is a malformed request. */
const meanings: Readonly<Record<string, readonly [Problem, string]>> = {
  HPE_HEADER_OVERFLOW: [problems.headersTooLarge, 'The header fields are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [problems.requestTimeout, 'The request took too long to arrive'],
};
const malformed = [problems.invalidRequest, 'The request is not valid HTTP/1.1'] as const;

/** A parser error as `clientError` brings it. */
interface ParserError extends Error {
  readonly code?: string;
  /** The bytes of the last read. */
  readonly rawPacket?: Buffer;
}

/**
 * Answers what the HTTP parser refused, and closes (S63: 400; S64: 408, 414, 431). For the server's
 * `clientError` event.
 */
export function answerClientError(error: ParserError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const reply = replyUnderWay(socket);
  if (reply !== undefined) {
    closeAfter(reply, socket);
    return;
  }
  const [problem, detail] = isTargetTooLong(error)
    ? [problems.uriTooLong, `The request target is longer than ${targetBytes} bytes`]
    : (meanings[error.code ?? ''] ?? malformed);
  endWith(socket, new ProblemError(problem, detail));
}

/** Refuses to become a tunnel (S59). For the server's `connect` event, without which Node would hang up. */
export function answerConnect(_req: IncomingMessage, socket: Duplex): void {
  endWith(socket, new ProblemError(problems.methodNotAllowed, 'CONNECT is not known here'));
}

/**
 * Holds a server to a number of open connections and answers 503 on those above it (S64); Node's
 * own `maxConnections` would close them without a word. To be called before the server listens.
 */
export function capConnections(server: Server, maxConnections: number): void {
  const event = 'setSecureContext' in server ? 'secureConnection' : 'connection';
  const [serve] = server.listeners(event);
  let open = 0;
  server.off(event, serve as (socket: Socket) => void);
  server.on(event, (socket: Socket) => {
    if (open >= maxConnections) {
      socket.on('error', () => socket.destroy());
      socket.resume();
      endWith(
        socket,
        new ProblemError(problems.busy, 'Too many connections are open', { headers: { 'Retry-After': '1' } }),
      );
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    serve!.call(server, socket);
  });
}

/**
 * The reply that this connection is busy with, unless it is still owed to the very request that went
 * wrong. A second reply in its middle would be taken for part of it.
 */
function replyUnderWay(socket: Duplex): ServerResponse | undefined {
  const reply = replyInTurn(socket);
  return reply && (reply.headersSent || reply.req.complete) ? reply : undefined;
}

/** The reply is finished, for it answers a request that was in order; what came behind it is not read. */
function closeAfter(reply: ServerResponse, socket: Duplex): void {
  if (reply.writableFinished) {
    socket.end();
    return;
  }
  reply.once('finish', () => socket.end());
}

function isTargetTooLong({ code, rawPacket }: ParserError): boolean {
  const firstLine = rawPacket?.indexOf('\r\n') ?? 0;
  return code === 'HPE_HEADER_OVERFLOW' && (firstLine === -1 || firstLine > targetBytes);
}

/** How long a refused sender gets to read the refusal, and to be done with sending. */
const lingerMs = 1_000;

function endWith(socket: Duplex, refusal: ProblemError): void {
  const { status, title } = refusal.problem;
  const requestId = randomUUID();
  const body = problemBody(refusal, { request_id: requestId });
  const fields = {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...refusal.headers,
    Connection: 'close',
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${head.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
