/** Denials of what never becomes a call: bytes that are no HTTP, a head too long or too slow, a connection too many. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { OverloadAnswers } from '../http/server/overload/answers.ts';
import { TimeSlicer } from '../http/server/overload/time-slicer.ts';
import { type Problem, ProblemError, problemBody, problems } from '../platform/errors.ts';
import { pathOf } from './call.ts';
import type { DeniedCall } from './denied-call.ts';

export interface GuardDeps {
  /** Gets each denial before the caller does. @returns its decision id */
  readonly onDenial: (denied: DeniedCall) => string;
}

export interface Guard extends OverloadAnswers {
  /** For the server's `checkExpectation`: Node would answer a bare 417. */
  readonly rejectExpectation: RequestListener;
}

const targetBytes = 8 * 1024;

/** Thousands may be so at once, for they may all have begun at once. */
const tooSlow = 'ERR_HTTP_REQUEST_TIMEOUT';
/** Milliseconds of one turn of the event loop that their refusals may take. */
const turnMs = 0.5;

/** What the parser's error codes mean; anything else is a malformed request. */
const meanings: Readonly<Record<string, readonly [Problem, string]>> = {
  HPE_HEADER_OVERFLOW: [problems.headersTooLarge, 'The header fields are larger than 16 KiB'],
  [tooSlow]: [problems.requestTimeout, 'The request took too long to arrive'],
};
const malformed = [problems.invalidRequest, 'The request is not valid HTTP/1.1'] as const;

/** A parser error as `clientError` brings it. */
interface ParserError extends Error {
  readonly code?: string;
  /** The bytes of the last read. */
  readonly rawPacket?: Buffer;
  /** How many of them were in order. */
  readonly bytesParsed?: number;
}

/** Which request was refused, as far as that can be told. */
type Asked = Pick<DeniedCall, 'method' | 'path'>;

const nothingRead: Asked = { method: '', path: '' };

/**
 * Answers what Node would close without a word, and in the form of every other denial (S59, S63, S64). To be
 * called before the server listens.
 *
 * @returns the answers to those for whom there is no room, and to those who expect something that nobody knows
 */
export function guardConnections(server: Server, { onDenial }: GuardDeps): Guard {
  const timeSlicer = new TimeSlicer(turnMs);
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    if (error.code !== tooSlow) answerClientError(error, socket);
    else timeSlicer.later(() => answerClientError(error, socket));
  });
  // Node would hang up on it.
  server.on('connect', ({ method = '', url = '' }: IncomingMessage, socket: Duplex) => {
    const denial = new ProblemError(problems.methodNotAllowed, 'CONNECT is not known here');
    endWith(socket, denial, { method, path: pathOf({ url }) });
  });
  return {
    reject(socket, what, req) {
      socket.on('error', () => socket.destroy());
      socket.resume();
      endWith(socket, new ProblemError(problems.busy, tooMany[what], retrySoon), askedOf(req));
    },
    onUnread(socket) {
      const denial = new ProblemError(problems.replyStalled, 'The caller takes nothing of the reply');
      report(socket, denial, askedOf(currentReply(socket)?.req), randomUUID());
    },
    rejectExpectation(req) {
      const denial = new ProblemError(
        problems.expectationFailed,
        'The only expectation known here is 100-continue',
      );
      req.resume();
      endWith(req.socket, denial, askedOf(req));
    },
  };

  /** What the HTTP parser refused (S63: 400; S64: 408, 414, 431). */
  function answerClientError(error: ParserError, socket: Duplex): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const reply = currentReply(socket);
    // A second reply in the middle of one would be taken for part of it.
    if (reply !== undefined && (reply.headersSent || reply.req.complete)) {
      closeAfter(reply, socket);
      return;
    }
    const [problem, detail] = isTargetTooLong(error)
      ? [problems.uriTooLong, `The request target is longer than ${targetBytes} bytes`]
      : (meanings[error.code ?? ''] ?? malformed);
    const asked = reply ? askedOf(reply.req) : requestLineIn(error);
    endWith(socket, new ProblemError(problem, detail), asked);
  }

  function endWith(socket: Duplex, denial: ProblemError, asked: Asked = nothingRead): void {
    const { status, title } = denial.problem;
    const requestId = randomUUID();
    const decisionId = report(socket, denial, asked, requestId);
    const body = problemBody(denial, { request_id: requestId, decision_id: decisionId });
    const fields = {
      'Content-Type': 'application/problem+json',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...denial.headers,
      Connection: 'close',
    };
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${title}\r\n${head.join('')}\r\n${body}`);
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }

  /** @returns the decision id */
  function report(socket: Duplex, denial: ProblemError, asked: Asked, requestId: string): string {
    return onDenial(deniedOf(denial, { ...asked, requestId, source: addressOf(socket) }));
  }
}

const tooMany = {
  connections: 'Too many connections are open',
  requests: 'Too many requests wait already',
} as const;
const retrySoon = { headers: { 'Retry-After': '1' } };

/** The reply that a connection is busy with; there is no public way to it, and Node's own handlers ask the same field. */
function currentReply(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}

function askedOf(req: IncomingMessage | undefined): Asked {
  if (req === undefined) return nothingRead;
  const { method = '', url = '' } = req;
  return { method, path: pathOf({ url }) };
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

/** Characters of a target that are looked at. */
const longestSearched = 2_000;

/** Only where it is beyond doubt that what went wrong began with it: there may be more than one request in a read. */
function requestLineIn({ rawPacket, bytesParsed = rawPacket?.length }: ParserError): Asked {
  const before = rawPacket?.subarray(0, bytesParsed) ?? Buffer.alloc(0);
  if (before.includes('\r\n\r\n')) return nothingRead;
  const start = rawPacket?.toString('latin1', 0, longestSearched) ?? '';
  const [, method, url] = /^([A-Z]{1,32}) (\/[\x21-\x7e]*)/.exec(start) ?? [];
  return method && url ? { method, path: pathOf({ url }) } : nothingRead;
}

/** The peer's own: fields that a proxy in front has set were not read. */
function addressOf(socket: Duplex): string | undefined {
  return (socket as Partial<Socket>).remoteAddress;
}

function deniedOf(
  { problem, message }: ProblemError,
  known: Pick<DeniedCall, 'method' | 'path' | 'requestId' | 'source'>,
): DeniedCall {
  return {
    ...known,
    traceId: undefined,
    rule: undefined,
    member: undefined,
    status: problem.status,
    code: problem.code,
    reason: message,
    caller: undefined,
  };
}

/** How long a refused sender gets to read the denial, and to be done with sending. */
const lingerMs = 1_000;
