/** Replies of handlers that do without Koa: everything is written in one piece, length known. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OAuthError, type ProblemError, problemBody } from '../../platform/errors.ts';

export type Headers = Readonly<Record<string, string>>;

/** @param body  JSON text; it is not serialised again */
export function sendJson(res: ServerResponse, status: number, body: string, headers: Headers = {}): void {
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  if (headers.Connection === 'close' && !res.req.complete) endAfterLingering(res, body);
  else res.end(body);
}

/** Tokens and errors about them are never stored (RFC 6749 §5.1). */
export const noStore: Headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** RFC 6749 §5.2. */
export function sendOAuthError(res: ServerResponse, error: OAuthError): void {
  const body = JSON.stringify({ error: error.code, error_description: error.message });
  sendJson(res, error.status, body, { ...noStore, ...error.headers });
}

/** RFC 9457 §3. */
export function sendProblem(res: ServerResponse, error: ProblemError, requestId: string): void {
  sendJson(res, error.problem.status, problemBody(error, { request_id: requestId }), {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    ...error.headers,
  });
}

/** What an OAuth endpoint says instead of an error that nobody named: its text stays in the log (S86). */
export function asOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error;
  return new OAuthError('server_error', 'an unexpected error was logged with this request id', {
    cause: error,
  });
}

function endAfterLingering(res: ServerResponse, body: string): void {
  res.write(body);
  void readAway(res.req).then(() => res.end());
}

/** How long a refused body is still read and thrown away. */
const lingerMs = 1_000;

/**
 * Resolves when what is left of a refused body has come, or so long has passed: closing with unread bytes resets the connection,
 * and the sender would lose the error (RFC 9112 §9.6).
 */
export function readAway(req: IncomingMessage, mostMs = lingerMs): Promise<void> {
  if (req.complete) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, mostMs);
    for (const event of ['end', 'close'])
      req.once(event, () => {
        clearTimeout(timer);
        resolve();
      });
    req.resume();
  });
}
