/** What a file for an import is read as: one record after the other, each with the line where it begins. */
import { isUtf8 } from 'node:buffer';

export type Fields = Readonly<Record<string, unknown>>;

export interface SourceRecord {
  readonly line: number;
  /** By the names that our own files have; absent: it could not be read. */
  readonly fields?: Fields;
  /** Why it could not be read. */
  readonly reason?: string;
  /** It is none of what is imported, such as an account of a service. */
  readonly isOther?: boolean;
}

/** @throws {SourceError} when the whole file is none of its kind */
export type Source = (bytes: AsyncIterable<Buffer>) => AsyncIterable<SourceRecord>;

/** The file as a whole cannot be read; nothing was written. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** Of one record. */
export const mostBytes = 1_048_576;

export const tooLong = 'it is longer than 1 MiB';
export const notUtf8 = 'it is not UTF-8';
export const torn = 'it is torn: the file ends within it';

/**
 * Without the mark of UTF-8 at the beginning.
 *
 * @throws {SourceError} for another encoding, or a compressed file
 */
export async function* plainBytes(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of bytes) {
    yield isFirst ? checkedBeginning(chunk) : chunk;
    isFirst = false;
  }
}

function checkedBeginning(chunk: Buffer): Buffer {
  const beginsWith = (...bytes: readonly number[]) => bytes.every((byte, index) => chunk[index] === byte);
  if (beginsWith(0xef, 0xbb, 0xbf)) return chunk.subarray(3);
  if (beginsWith(0x1f, 0x8b) || beginsWith(0x50, 0x4b, 3, 4)) {
    throw new SourceError('The file is compressed: unpack it first, or give it by gunzip -c FILE | … -');
  }
  if (beginsWith(0xff, 0xfe) || beginsWith(0xfe, 0xff) || chunk.subarray(0, 4).includes(0)) {
    throw new SourceError(
      'The file is not UTF-8 (it looks like UTF-16): iconv -f UTF-16 -t UTF-8 changes that.',
    );
  }
  return chunk;
}

/** @throws {Error} whose message is the reason */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error(notUtf8);
  return bytes.toString('utf8');
}

/** @returns an object of JSON, or the reason why it is none */
export function parsedObject(
  bytes: Buffer,
  isEnd = false,
): { readonly value?: Fields; readonly reason?: string } {
  if (!isUtf8(bytes)) return { reason: notUtf8 };
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Fields };
    return { reason: 'it is JSON, but no object' };
  } catch {
    return { reason: isEnd ? torn : 'it is not JSON' };
  }
}
