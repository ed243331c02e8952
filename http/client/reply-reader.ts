/** Reads the replies of one connection, one at a time, and says where each of them ends. */
import { type ChunkedBody, createChunkedBody } from './chunked-body.ts';
import { headBytes, invalid, type ReplyHead, readReplyHead } from './reply-head.ts';

export interface ReplyEvents {
  onHead(head: ReplyHead): void;
  /** A piece of the body that is not its end; valid during the call only. */
  onChunk(chunk: Buffer): void;
  /**
   * @param rest       the last piece of the body, valid during the call only; undefined when there is none
   * @param hasExcess  whether bytes came behind the reply, which nobody had asked for (S63)
   */
  onEnd(rest: Buffer | undefined, hasExcess: boolean): void;
}

type Phase = 'idle' | 'head' | 'counted' | 'chunked';

const endOfHead = Buffer.from('\r\n\r\n');
const largeBodyBytes = 64 * 1024;

export function createReplyReader(events: ReplyEvents) {
  let phase: Phase = 'idle';
  let isToHead = false;
  /** A head that has not arrived in full. */
  let partialHead: Buffer | undefined;
  /** The last head, for members give many replies the same one. */
  let knownText = '';
  let known: ReplyHead | undefined;
  let isKnownToHead = false;
  /** Bytes of a counted body that are to come. */
  let left = 0;
  let chunks: ChunkedBody | undefined;

  return {
    /** Begins with the reply to the next request. */
    expect(method: string) {
      phase = 'head';
      isToHead = method === 'HEAD';
    },
    /**
     * Takes bytes off the connection.
     *
     * @throws {UpstreamFailure} `invalidReply`; also for bytes without a request
     */
    read(bytes: Buffer) {
      switch (phase) {
        case 'idle':
          throw invalid('bytes without a request');
        case 'head':
          return readHead(bytes);
        case 'counted':
          return readCounted(bytes, 0);
        case 'chunked':
          return readChunked(bytes, 0);
      }
    },
    /** Whether so much of the body is to come that it is worth a buffer of its own. */
    isInLargeBody: (): boolean => (phase === 'counted' && left > largeBodyBytes) || phase === 'chunked',
  };

  function readHead(received: Buffer): void {
    const bytes = partialHead === undefined ? received : Buffer.concat([partialHead, received]);
    const end = bytes.indexOf(endOfHead);
    if (end > headBytes || (end === -1 && bytes.length > headBytes)) throw invalid('the size of the head');
    if (end === -1) {
      // The bytes are another's again when this call is over.
      partialHead = partialHead === undefined ? Buffer.from(bytes) : bytes;
      return;
    }
    partialHead = undefined;
    const head = headIn(bytes.toString('latin1', 0, end));
    const bodyAt = end + endOfHead.length;
    if (head.bodyLength === undefined) {
      phase = 'chunked';
      chunks = createChunkedBody();
      events.onHead(head);
      if (bodyAt < bytes.length) readChunked(bytes, bodyAt);
      return;
    }
    phase = 'counted';
    left = head.bodyLength;
    events.onHead(head);
    if (left === 0) finish(undefined, bodyAt < bytes.length);
    else if (bodyAt < bytes.length) readCounted(bytes, bodyAt);
  }

  function headIn(text: string): ReplyHead {
    if (known === undefined || text !== knownText || isToHead !== isKnownToHead) {
      known = readReplyHead(text, isToHead);
      knownText = text;
      isKnownToHead = isToHead;
    }
    return known;
  }

  function readCounted(bytes: Buffer, from: number): void {
    const end = Math.min(bytes.length, from + left);
    const chunk = bytes.subarray(from, end);
    left -= chunk.length;
    if (left === 0) finish(chunk, end < bytes.length);
    else events.onChunk(chunk);
  }

  function readChunked(bytes: Buffer, from: number): void {
    const end = chunks!.read(bytes, from, (start, end) => events.onChunk(bytes.subarray(start, end)));
    if (end === -1) return;
    chunks = undefined;
    finish(undefined, end < bytes.length);
  }

  function finish(rest: Buffer | undefined, hasExcess: boolean): void {
    phase = 'idle';
    events.onEnd(rest, hasExcess);
  }
}
