import type { ServerResponse } from 'node:http';
import type { HeldValue } from './data/values.ts';

/** The statuses that a member answers: the real engine's and 413 for what is over a size limit. */
export type EmptyStatus = 200 | 400 | 403 | 404 | 413 | 500 | 503;

const noBody = ['Content-Length', '0'];

/** A reply without a body, with `Content-Length: 0` (docs/member-surface.md#errors). */
export function replyEmpty(res: ServerResponse, status: EmptyStatus): void {
  res.writeHead(status, noBody);
  res.end();
}

/** 204: no mapping, or no item in time (docs/member-surface.md#errors). Without Content-Length, which RFC 9110 §8.6 forbids here. */
export function replyNoContent(res: ServerResponse): void {
  res.writeHead(204);
  res.end();
}

/** 200 with a stored value: its bytes, and the MIME type that it was sent with, if any (docs/member-surface.md#maps). */
export function replyValue(res: ServerResponse, { content, contentType }: HeldValue): void {
  const length = String(content.length);
  res.writeHead(
    200,
    contentType === undefined
      ? ['Content-Length', length]
      : ['Content-Type', contentType, 'Content-Length', length],
  );
  res.end(content, 'latin1'); // which is what text is held in
}

/**
 * 200 with a queue's item as text, and the type that it was offered with in a field of our own where that is another:
 * the console's proxy needs it to give an item back, and keeps the field to itself.
 */
export function replyItem(
  res: ServerResponse,
  content: HeldValue['content'],
  offeredType: string | undefined,
): void {
  const fields = ['Content-Type', 'text/plain', 'Content-Length', String(content.length)];
  if (offeredType !== 'text/plain') fields.push('Item-Type', offeredType ?? 'none');
  res.writeHead(200, fields);
  res.end(content, 'latin1');
}

export function replyText(res: ServerResponse, text: string): void {
  replyWith(res, 200, 'text/plain', text);
}

/** @param json  already serialised: compact, keys in the order of the specification */
export function replyJson(res: ServerResponse, json: string, status: 200 | 403 = 200): void {
  replyWith(res, status, 'application/json', json);
}

/** 200 with bytes of this product's own form. */
export function replyBytes(res: ServerResponse, bytes: Buffer): void {
  res.writeHead(200, ['Content-Type', 'application/octet-stream', 'Content-Length', String(bytes.length)]);
  res.end(bytes);
}

function replyWith(res: ServerResponse, status: number, contentType: string, text: string): void {
  res.writeHead(status, ['Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(text))]);
  res.end(text);
}
