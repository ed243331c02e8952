/** Text from outside as a part of a key: short, without NUL, and never equal to that of another text. */
import { createHash } from 'node:crypto';

const mostBytes = 200;
/** What lies in a key as it is: no control characters, no half of a surrogate pair, neither of the two marks below. */
const plain = /^[ -\ud7ff\ue000-\u{10fffd}]*$/u;
const plainBeginning = /^[ -\ud7ff\ue000-\u{10fffd}]{0,40}/u;
const beforeSum = '\u{10fffe}';
const digested = /^[ -\ud7ff\ue000-\u{10fffd}]{0,40}\u{10fffe}[\w-]{43}$/u;

/** Sorts after every part of a key. */
export const lastPart = '\u{10ffff}';

/** Long or odd text keeps its beginning, so that it sorts by it and is found by it, and is told apart by its SHA-256. */
export function keyPart(text: string): string {
  if (plain.test(text) && Buffer.byteLength(text) <= mostBytes) return text;
  // As UTF-16: UTF-8 has one spelling for all halves of surrogate pairs.
  const sum = createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('base64url');
  return `${plainBeginning.exec(text)?.[0] ?? ''}${beforeSum}${sum}`;
}

/** A part that a page named as its last one; what cannot be one is taken as text. */
export function givenPart(text: string): string {
  return digested.test(text) ? text : keyPart(text);
}

/** What every part begins with that stands for text with this beginning. */
export function partBeginning(text: string): string {
  return plain.test(text) && text.length <= 40 ? text : (plainBeginning.exec(text)?.[0] ?? '');
}
