import type { IncomingMessage } from 'node:http';

const endOfHead = '\r\n\r\n';
/** Where it is at the earliest: behind `GET / HTTP/1.0`. */
const earliestEnd = 14;
/**
 * Only the parser knows which chunk is the last: it gets at least so much of them at a time. What it may read beyond
 * the last one is a handful of requests.
 */
const shortestChunk = 256;

/**
 * Tells how many of the bytes that have come the parser gets next, so that it reads one request at a time and what was
 * sent behind it stays bytes. A reader of HTTP it is not: whether a message is complete the parser is asked, and where
 * it sees things in another way than this, it reads a few requests more at a time.
 */
export class MessageSplitter {
  /** Bytes of the body that are still to come; 0 when only the parser will know. */
  private bodyLeft = 0;
  /** Whether the parser has got the begin of a head. */
  private isInHead = false;
  /** Bytes of the end of a head that it has got last. */
  private matched = 0;
  /** Whether the last piece went just to the end of a head. */
  private hasEnded = false;

  /** @param last  the request that the parser read last */
  next(bytes: Buffer, last: IncomingMessage | undefined): number {
    this.hasEnded = false;
    if (last === undefined || last.complete) return this.ofHead(bytes);
    if (this.bodyLeft > 0) return this.ofBody(bytes);
    this.isInHead = true; // the piece may go on behind the last chunk
    this.matched = 0;
    return upTo(bytes.indexOf(endOfHead, shortestChunk - endOfHead.length, 'latin1'), bytes);
  }

  /** The parser has read the head of a request. */
  began({ headers }: IncomingMessage): void {
    const isPlain = this.hasEnded && headers['transfer-encoding'] === undefined;
    this.bodyLeft = isPlain ? Number(headers['content-length'] ?? 0) || 0 : 0;
  }

  private ofBody(bytes: Buffer): number {
    const length = Math.min(bytes.length, this.bodyLeft);
    this.bodyLeft -= length;
    return length;
  }

  private ofHead(bytes: Buffer): number {
    const rest = endOfHead.slice(this.matched);
    const isRest = this.matched > 0 && bytes.toString('latin1', 0, rest.length) === rest;
    const at = isRest ? -1 : bytes.indexOf(endOfHead, this.isInHead ? 0 : earliestEnd, 'latin1');
    this.hasEnded = isRest || at !== -1;
    this.isInHead = !this.hasEnded;
    this.matched = this.hasEnded ? 0 : matchedBy(endOfHead.slice(0, this.matched), bytes);
    return isRest ? rest.length : upTo(at, bytes);
  }
}

function upTo(at: number, bytes: Buffer): number {
  return at === -1 ? bytes.length : at + endOfHead.length;
}

/** How much of the end of a head stands last. */
function matchedBy(before: string, bytes: Buffer): number {
  const text = before + bytes.toString('latin1', Math.max(0, bytes.length - endOfHead.length));
  for (let length = endOfHead.length - 1; length > 0; length -= 1) {
    if (text.endsWith(endOfHead.slice(0, length))) return length;
  }
  return 0;
}
