import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ProblemError, problemBody } from '../platform/errors.ts';

interface FailedCall {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Whether the end of this request on its connection is beyond doubt. */
  readonly isFramed: boolean;
  /** Whether nothing comes behind its head. */
  readonly isBodyless: boolean;
}

/** How long a refused body is still read and thrown away, so that its sender gets to read the error. */
const lingerMs = 1_000;

interface ErrorIds {
  readonly requestId: string;
  readonly decisionId: string;
}

/**
 * Answers with problem details (RFC 9457). The connection is closed when the request was badly
 * framed, and when its body has not arrived in full: what follows on it could be either.
 */
export function sendError(call: FailedCall, error: ProblemError, ids: ErrorIds): void {
  if (call.req.complete || call.isBodyless) send(call, error, ids);
  // What came in one packet with the head is read first: a short body that is here closes no connection.
  else setImmediate(send, call, error, ids);
}

function send(
  { req, res, isFramed, isBodyless }: FailedCall,
  error: ProblemError,
  { requestId, decisionId }: ErrorIds,
): void {
  if (res.headersSent) return;
  const body = problemBody(error, { request_id: requestId, decision_id: decisionId });
  const isWhole = req.complete || isBodyless;
  res.writeHead(error.problem.status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...error.headers,
    ...((!isFramed || !isWhole) && { Connection: 'close' }),
  });
  if (isWhole) {
    res.end(body);
    return;
  }
  res.write(body);
  endAfterLingering(req, res);
}

/**
 * Ends a reply to a request that has not arrived in full. Closing with unread bytes resets the connection,
 * and the sender would lose the reply (RFC 9112 §9.6).
 */
export function endAfterLingering(req: IncomingMessage, res: ServerResponse): void {
  const end = () => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, lingerMs);
  req.once('end', end);
  res.once('close', () => clearTimeout(timer));
  req.resume();
}
