/** A public JSON document that changes seldom: serialised then, and not when it is asked for. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Document {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DocumentOptions {
  readonly contentType: string;
  /** Seconds for which whoever has it need not ask again. */
  readonly maxAgeSeconds: number;
}

export function createDocument(content: object, { contentType, maxAgeSeconds }: DocumentOptions): Document {
  const body = JSON.stringify(content);
  return {
    body,
    headers: {
      'Content-Type': contentType,
      ETag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      'Cache-Control': `public, max-age=${maxAgeSeconds}`,
      // A registered page gets one field more, so a cache must not hand out what another caller got.
      Vary: 'Origin',
      'X-Content-Type-Options': 'nosniff',
    },
  };
}

/** Answers GET and HEAD, with 304 for who has it already (RFC 9110 §13.1.2). */
export function sendDocument(req: IncomingMessage, res: ServerResponse, { body, headers }: Document): void {
  if (isKnown(req.headers['if-none-match'], headers.ETag!)) {
    res.writeHead(304, headers).end();
    return;
  }
  res.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  res.end(body); // Node leaves it out for HEAD
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
