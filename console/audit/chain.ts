/**
 * The chain of a writer's entries: `e = SHA-256(0x00 | line)` of each, and `c(i) = SHA-256(0x01 | c(i-1) | e)` over the
 * bytes as written. By `e` alone an entry can be left out of an export, or erased, and the chain still checks. A line is
 * stored behind the first 16 characters of its `c`: 96 bits, enough to see where it breaks; the whole of it stands in
 * check-points and at the beginning of a segment.
 */
import { hash } from 'node:crypto';

/** Of base64url. */
export const linkCharacters = 16;
/** What stands before a line: link and space. */
export const prefixBytes = linkCharacters + 1;
export const hashBytes = 32;

const leaf = 0x00;
const link = 0x01;
const space = 0x20;
/** Of 32 bytes, base64url. */
const wholeHash = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** Before the first entry of a writer. */
export const chainStart: Buffer = Buffer.alloc(hashBytes);

export interface Chain {
  /** `c` of the last entry. */
  readonly head: () => Buffer;
  /** Takes a line whose bytes are from `start` to `end`; the byte before `start` is there, and is as it was afterwards. */
  add(bytes: Buffer, start: number, end: number): void;
  /** Takes an entry of which only `e` is left. */
  addHash(e: Buffer): void;
  /** `c` of the entry before the last one. */
  previous(): Buffer;
  /** As if the last one had not been taken; once. */
  undo(): void;
  /** The characters that stand before the line that was taken last. */
  linkText(): string;
}

/** @param from  `c` of the entry before */
export function createChain(from: Buffer = chainStart): Chain {
  // Each in its turn holds what is hashed: the other one has what was before it.
  let linked = newLinked(from);
  let before = newLinked(from);
  const addHash = (e: Buffer) => {
    linked.set(e, 1 + hashBytes);
    before.set(hash('sha256', linked, 'buffer'), 1);
    [linked, before] = [before, linked];
  };
  return {
    head: () => Buffer.from(linked.subarray(1, 1 + hashBytes)),
    add: (bytes, start, end) => addHash(entryHashIn(bytes, start, end)),
    addHash,
    previous: () => Buffer.from(before.subarray(1, 1 + hashBytes)),
    undo: () => linked.set(before.subarray(1, 1 + hashBytes), 1),
    linkText: () => linked.toString('base64url', 1, 1 + (linkCharacters / 4) * 3),
  };
}

/** What `c` of the next entry is the hash of. */
function newLinked(from: Buffer): Buffer {
  const linked = Buffer.alloc(1 + 2 * hashBytes);
  linked[0] = link;
  linked.set(from, 1);
  return linked;
}

/** `e` of a line. */
export function entryHash(line: string | Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.of(leaf), Buffer.from(line as string)]);
  return hash('sha256', bytes, 'buffer');
}

/** The byte before the line, which is the space of its prefix, stands for 0x00 meanwhile: nothing is copied. */
export function entryHashIn(bytes: Buffer, start: number, end: number): Buffer {
  const before = bytes[start - 1]!;
  bytes[start - 1] = leaf;
  const e = hash('sha256', bytes.subarray(start - 1, end), 'buffer');
  bytes[start - 1] = before;
  return e;
}

/** Whether a stored line begins as one does. */
export function hasPrefix(bytes: Buffer, start: number, end: number): boolean {
  return end - start > prefixBytes && bytes[start + linkCharacters] === space;
}

export function hashText(hashed: Buffer): string {
  return hashed.toString('base64url');
}

/** @returns undefined when it is none */
export function readHash(text: unknown): Buffer | undefined {
  return typeof text === 'string' && wholeHash.test(text) ? Buffer.from(text, 'base64url') : undefined;
}
