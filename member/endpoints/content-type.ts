import type { IncomingMessage } from 'node:http';

/** The MIME type that a request carries, as sent; an empty one is none (spec §2.1). */
export function contentTypeOf(req: IncomingMessage): string | undefined {
  return req.headers['content-type'] || undefined;
}
