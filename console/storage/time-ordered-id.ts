import { randomBytes } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562 §5.7): records that are made later sort later, so a store appends them instead of
 * opening a page somewhere for each. It tells when it was made, and nothing else.
 *
 * @param now  epoch milliseconds
 */
export function timeOrderedId(now: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** @param now  epoch milliseconds */
export function idsByTime(now: () => number): () => string {
  return () => timeOrderedId(now());
}
