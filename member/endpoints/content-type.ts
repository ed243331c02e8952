import type { IncomingMessage } from 'node:http';

/** The MIME type that a request carries, as sent; an empty one is none (spec §2.1). */
export function contentTypeOf(req: IncomingMessage): string | undefined {
  return req.headers['content-type'] || undefined;
}

const maxTypeLength = 256;
const visibleAscii = /^[\t\x20-\x7e]*$/;

/**
 * Whether a MIME type may be stored and later sent as a header field: at most 256 characters of
 * visible ASCII. Node's parser has refused CR and LF before, so they are looked for here as well.
 */
export function isStorableType(contentType: string | undefined): boolean {
  return contentType === undefined || (contentType.length <= maxTypeLength && visibleAscii.test(contentType));
}
