import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const key = Symbol('request id');

/** Client address and request id, which every audit line has. */
export type About = (ctx: { readonly req: IncomingMessage }) => {
  readonly source: string;
  readonly requestId: string;
};

interface Identified {
  [key]?: string;
}

/** Gives the request the id that its log lines, its error and `X-Request-Id` share. */
export function assignRequestId(req: IncomingMessage, id: string): string {
  (req as IncomingMessage & Identified)[key] = id;
  return id;
}

/** @returns the id given by {@link assignRequestId} */
export function requestIdOf(req: IncomingMessage): string {
  return (req as IncomingMessage & Identified)[key] ?? 'none';
}

/** Short, unique over processes, and cheap: a random stem and a counter. */
export function createRequestIds(): () => string {
  const stem = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${stem}-${(count++).toString(36)}`;
}
