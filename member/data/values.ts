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

export function isSmall(bytes: Buffer): boolean {
  return bytes.length <= largestText;
}

/** @param bytes  of a large value, kept as they are: nobody may write to them afterwards */
export function hold({ bytes, contentType }: StoredValue): HeldValue {
  return { content: contentOf(bytes), contentType: contentType && shared(contentType) };
}

export function contentOf(bytes: Buffer): string | Buffer {
  return isSmall(bytes) ? bytes.toString('latin1') : ownBytes(bytes);
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

/** The few MIME types that are in use are kept once each, not once for each value; number 0 is none. */
const types: (string | undefined)[] = [undefined];
const numbers = new Map<string | undefined, number>([[undefined, 0]]);
const mostTypes = 1000;

/** `undefined` when too many others are in use. */
export function typeNumber(contentType: string | undefined): number | undefined {
  const known = numbers.get(contentType);
  if (known !== undefined || types.length > mostTypes) return known;
  const own = contentType && ownText(contentType);
  types.push(own);
  numbers.set(own, types.length - 1);
  return types.length - 1;
}

export function typeNamed(number: number): string | undefined {
  return types[number];
}

function shared(contentType: string): string {
  const number = typeNumber(contentType);
  return number === undefined ? ownText(contentType) : typeNamed(number)!;
}
