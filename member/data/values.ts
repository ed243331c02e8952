/** A map value or queue item: the bytes as sent and the MIME type as sent, if one was (docs/member-surface.md#maps). */
export interface StoredValue {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
}

/**
 * A value as the member holds it. A small one is text of one latin1 character for each byte: it takes
 * 16 bytes beside its content, a `Buffer` some 250, and leaves in one piece with the head of its reply.
 */
export interface HeldValue {
  readonly content: string | Buffer;
  readonly contentType: string | undefined;
}

/** Bytes; what is larger is held as a buffer of its own, which costs less to send and no copy to store. */
const largestText = 2 * 1024;

/** @param bytes  of a large value, kept as they are: nobody may write to them afterwards */
export function hold({ bytes, contentType }: StoredValue): HeldValue {
  const content = bytes.length <= largestText ? bytes.toString('latin1') : ownBytes(bytes);
  return { content, contentType: contentType && shared(contentType) };
}

export function release({ content, contentType }: HeldValue): StoredValue {
  return { bytes: typeof content === 'string' ? Buffer.from(content, 'latin1') : content, contentType };
}

/**
 * A copy of `text` that shares no memory with the request it was cut from: a part of a path keeps all
 * of that path in memory.
 */
export function ownText(text: string): string {
  return text.length < shortestSlice ? text : Buffer.from(text).toString();
}

/** Shorter parts of a text are copied by the engine anyway. */
const shortestSlice = 13;

/** A small slice of a large read buffer would keep all of that buffer in memory for as long as it is stored. */
function ownBytes(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength > 2 * bytes.length + 1024 ? Buffer.from(bytes) : bytes;
}

/** The few MIME types that are in use are kept once each, not once for each value. */
const types = new Map<string, string>();
const mostTypes = 1000;

function shared(contentType: string): string {
  const known = types.get(contentType);
  if (known !== undefined) return known;
  const own = ownText(contentType);
  if (types.size < mostTypes) types.set(own, own);
  return own;
}
