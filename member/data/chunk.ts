import { alignment, type Slab } from './slabs.ts';

/**
 * A map entry as bytes: a head of four words, the key, the value. The words are the hash of the key; the
 * bytes of the key; those of the value, or where it is held when it is not among them; and flags, with the number of
 * the MIME type behind them.
 *
 * @param from  the first byte of the chunk in its slab
 */
const word = { hash: 0, keyBytes: 1, content: 2, flags: 3 } as const;
const headBytes = 16;
/** The key has two bytes for each UTF-16 unit, not one. */
const wideFlag = 1;
const apartFlag = 2;
const flagBits = 2;

/** Where the value is, and what MIME type it has. */
export interface Content {
  /** Its bytes, or its place when it is apart. */
  readonly content: number;
  /** 0 when it is apart. */
  readonly type: number;
  readonly isApart: boolean;
}

export function chunkBytes(key: string, contentBytes: number): number {
  return rounded(headBytes + (isWide(key) ? 2 * key.length : key.length) + contentBytes);
}

export function chunkBytesAt({ words }: Slab, from: number): number {
  const first = from / 4;
  const isApart = words[first + word.flags]! & apartFlag;
  return rounded(headBytes + words[first + word.keyBytes]! + (isApart ? 0 : words[first + word.content]!));
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

export function hashAt({ words }: Slab, from: number): number {
  return words[from / 4 + word.hash]!;
}

export function writeKey({ bytes, words }: Slab, from: number, hash: number, key: string): void {
  const wide = isWide(key);
  const first = from / 4;
  words[first + word.hash] = hash;
  words[first + word.keyBytes] = wide ? 2 * key.length : key.length;
  words[first + word.flags] = wide ? wideFlag : 0;
  bytes.write(key, from + headBytes, wide ? 'utf16le' : 'latin1');
}

export function keyAt({ bytes, words }: Slab, from: number): string {
  const first = from / 4;
  const start = from + headBytes;
  const encoding = words[first + word.flags]! & wideFlag ? 'utf16le' : 'latin1';
  return bytes.toString(encoding, start, start + words[first + word.keyBytes]!);
}

export function isKeyAt({ bytes, words }: Slab, from: number, key: string): boolean {
  const first = from / 4;
  const unitBytes = words[first + word.flags]! & wideFlag ? 2 : 1;
  if (words[first + word.keyBytes] !== unitBytes * key.length) return false;
  const start = from + headBytes;
  for (let i = 0; i < key.length; i += 1) {
    const at = start + unitBytes * i;
    const unit = unitBytes === 1 ? bytes[at]! : bytes[at]! | (bytes[at + 1]! << 8);
    if (unit !== key.charCodeAt(i)) return false;
  }
  return true;
}

/** Behind the key, which has been written. */
export function writeContent({ bytes, words }: Slab, from: number, content: Buffer, type: number): void {
  const first = from / 4;
  words[first + word.content] = content.length;
  words[first + word.flags] = (words[first + word.flags]! & wideFlag) | (type << flagBits);
  content.copy(bytes, from + headBytes + words[first + word.keyBytes]!);
}

/** @param place  where the value is held */
export function writeApart({ words }: Slab, from: number, place: number): void {
  const first = from / 4;
  words[first + word.content] = place;
  words[first + word.flags] = (words[first + word.flags]! & wideFlag) | apartFlag;
}

export function contentAt({ words }: Slab, from: number): Content {
  const first = from / 4;
  const flags = words[first + word.flags]!;
  return {
    content: words[first + word.content]!,
    type: flags >>> flagBits,
    isApart: (flags & apartFlag) !== 0,
  };
}

/** One latin1 character for each byte of a value that is not apart. */
export function textAt({ bytes, words }: Slab, from: number): string {
  const first = from / 4;
  const start = from + headBytes + words[first + word.keyBytes]!;
  return bytes.toString('latin1', start, start + words[first + word.content]!);
}

function isWide(key: string): boolean {
  let units = 0;
  for (let i = 0; i < key.length; i += 1) units |= key.charCodeAt(i);
  return units > 0xff;
}
