/** The head of a member's reply, read strictly: what two readers could read differently is no reply. */
import { endsInTab, fieldLine, fieldValue } from '../server/fast-path/field-line.ts';
import { UpstreamFailure } from './failure.ts';

export interface ReplyHead {
  readonly status: number;
  readonly reason: string;
  /** Names and values in turn, bytes as Latin-1. */
  readonly fields: readonly string[];
  /** Bytes; undefined when the body comes in chunks. */
  readonly bodyLength: number | undefined;
  /** The member closes the connection behind this reply. */
  readonly isLast: boolean;
  /** Seconds for which the member keeps an idle connection, as far as it says. */
  readonly keepAliveSeconds: number | undefined;
}

/** Longest head, bytes, and most fields. Members send a handful. */
export const headBytes = 16 * 1024;
const mostFields = 100;

/** `HTTP/1.1 200 OK`; members say no other version, and never send an interim reply unasked (docs/member-surface.md#on-the-wire). */
const statusLine = /^HTTP\/1\.1 ([2-5]\d\d) ([\t\x20-\x7e\x80-\xff]*)$/;
/** At most what a number holds exactly. */
const lengthForm = /^\d{1,15}$/;
const keepAliveForm = /^timeout=(\d{1,6})\b/;

/**
 * @param text      status line and field lines as Latin-1, without the empty line
 * @param isToHead  whether the request was `HEAD`, whose reply has a length and no body
 * @throws {UpstreamFailure} `invalidReply`
 */
export function readReplyHead(text: string, isToHead: boolean): ReplyHead {
  const lines = text.split('\r\n');
  const [, code, reason = ''] = statusLine.exec(lines[0]!) ?? [];
  if (code === undefined) throw invalid('the status line');
  if (lines.length - 1 > mostFields) throw invalid('the number of fields');
  const status = Number(code);
  const fields: string[] = [];
  let contentLength: string | undefined;
  let isChunked = false;
  let isLast = false;
  let keepAliveSeconds: number | undefined;

  for (let i = 1; i < lines.length; i += 1) {
    const [, name, padded] = fieldLine.exec(lines[i]!) ?? [];
    if (name === undefined) throw invalid('a field line');
    const value = fieldValue(padded!);
    fields.push(name, value);
    switch (name.toLowerCase()) {
      case 'content-length':
        if (contentLength !== undefined || !lengthForm.test(value) || endsInTab(padded!, value))
          throw invalid('Content-Length');
        contentLength = value;
        break;
      case 'transfer-encoding':
        if (isChunked || value.toLowerCase() !== 'chunked' || endsInTab(padded!, value))
          throw invalid('Transfer-Encoding');
        isChunked = true;
        break;
      case 'connection':
        isLast ||= /\b(?:close|upgrade)\b/i.test(value);
        break;
      case 'keep-alive':
        keepAliveSeconds = secondsIn(value);
        break;
    }
  }

  if (isChunked && contentLength !== undefined) throw invalid('both Content-Length and Transfer-Encoding');
  const hasNoBody = isToHead || status === 204 || status === 304;
  if (status === 204 && (isChunked || (contentLength ?? '0') !== '0')) throw invalid('a body of 204');
  if (!hasNoBody && !isChunked && contentLength === undefined) throw invalid('no length');
  const bodyLength = hasNoBody ? 0 : isChunked ? undefined : Number(contentLength);
  return { status, reason, fields, bodyLength, isLast, keepAliveSeconds };
}

function secondsIn(keepAlive: string): number | undefined {
  const [, seconds] = keepAliveForm.exec(keepAlive) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

export function invalid(what: string): UpstreamFailure {
  return new UpstreamFailure('invalidReply', new Error(`the member's reply is not valid: ${what}`));
}
