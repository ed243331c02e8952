/** What an entry leaves that was erased by law: its place, and the hash by which the chain goes on (decision 0036). */
import { hashText, prefixBytes, readHash } from './chain.ts';
import { type Entry, placeOf } from './entry.ts';

/** @param e  of the line that was there */
export function erasedLine(writer: string, seq: number, e: Buffer): string {
  return `${placeOf(writer, seq)}"erased":{"e":"${hashText(e)}"}}`;
}

const field = Buffer.from(',"erased":{"e":"');

/**
 * @param stored  with its link
 * @returns undefined for any other entry, and for one that says more than that: nobody vouches for what it says
 */
export function erasedHash(stored: Buffer): Buffer | undefined {
  if (!stored.includes(field)) return undefined;
  try {
    const line = stored.toString('utf8', prefixBytes);
    const { writer, seq, erased } = JSON.parse(line);
    const e = readHash(erased?.e);
    return e && line === erasedLine(writer, seq, e) ? e : undefined;
  } catch {
    return undefined; // no JSON
  }
}

/** @param line  without its link. @returns undefined for what is none, and for what was erased */
export function readEntry(line: string | Buffer): Entry | undefined {
  try {
    const entry = JSON.parse(String(line)) as Entry;
    return typeof entry.event === 'string' && typeof entry.outcome === 'string' ? entry : undefined;
  } catch {
    return undefined; // no JSON
  }
}
