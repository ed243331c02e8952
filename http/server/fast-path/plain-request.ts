import { PlainFields } from './plain-fields.ts';

/** A request in the form in which nearly all come: whole, in one read, and nothing behind it. */
export interface PlainRequest {
  readonly method: string;
  /** The target as received. */
  readonly url: string;
  readonly fields: PlainFields;
  /** Undefined without one. */
  readonly body: Buffer | undefined;
}

/** What the server's own parser takes at most (S64); it is also the one that refuses what is longer. */
const headBytes = 16 * 1024;
const targetBytes = 8 * 1024;
const endOfHead = Buffer.from('\r\n\r\n');
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

const startLine = /^(GET|POST|PUT|DELETE) (\/[\x21-\x7e]*) HTTP\/1\.1$/;

/**
 * Reads such a request, or leaves it to the server's own parser: every doubt is that parser's, and so is every
 * error. What is accepted here has one reading, the one that it has there (RFC 9112 §2 to §6).
 *
 * @param bytes  everything that has arrived since the last request
 * @param paths  what the target must match
 * @param last   the fields of the last request on this connection: clients repeat them, byte for byte
 */
export function readPlainRequest(
  bytes: Buffer,
  paths: RegExp,
  last: PlainFields | undefined,
): PlainRequest | undefined {
  const endOfLine = bytes.indexOf(carriageReturn);
  if (endOfLine === -1 || endOfLine > targetBytes || bytes[endOfLine + 1] !== lineFeed) return undefined;
  const [, method, url] = startLine.exec(bytes.toString('latin1', 0, endOfLine)) ?? [];
  if (method === undefined || url === undefined || !paths.test(url)) return undefined;
  const fieldsAt = endOfLine + 2;
  const fields = last?.standAt(bytes, fieldsAt) ? last : readFields(bytes, fieldsAt);
  if (fields === undefined) return undefined;
  const bodyAt = fieldsAt + fields.bytes.length;
  if (bodyAt - endOfHead.length > headBytes) return undefined;
  if (bytes.length !== bodyAt + (fields.bodyLength ?? 0)) return undefined;
  const mayHaveBody = method === 'POST' || method === 'PUT';
  if (fields.bodyLength !== undefined && !mayHaveBody) return undefined;
  return { method, url, fields, body: fields.bodyLength === undefined ? undefined : bytes.subarray(bodyAt) };
}

function readFields(bytes: Buffer, from: number): PlainFields | undefined {
  const end = bytes.indexOf(endOfHead, from);
  return end === -1 || end > headBytes
    ? undefined
    : PlainFields.read(bytes.subarray(from, end + endOfHead.length));
}
