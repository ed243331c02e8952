import type { IncomingMessage } from 'node:http';

/** The MIME type that a request carries, as sent; an empty one is none (docs/member-surface.md#maps). */
export function contentTypeOf(req: IncomingMessage): string | undefined {
  return req.headers['content-type'] || undefined;
}
