/** A body in chunks (RFC 9112 §7.1), without extensions and trailers, which no member sends. */
import { invalid } from './reply-head.ts';

/** A chunk's size line; more than eight digits is more than any member holds. */
const sizeLine = /^[0-9A-Fa-f]{1,8}$/;
const longestSizeLine = 10;

export type ChunkedBody = ReturnType<typeof createChunkedBody>;

export function createChunkedBody() {
  /** What is left of the chunk under way. */
  let left = 0;
  /** A line that has not arrived in full: a size line, or the end of a chunk. */
  let line = '';
  let expected: 'size' | 'data' | 'dataEnd' | 'bodyEnd' = 'size';

  return {
    /**
     * Reads on.
     *
     * @param onChunk  gets the start and end of each piece of the body
     * @returns where the body ended in `bytes`, or -1 when there is more to come
     * @throws {UpstreamFailure} `invalidReply`
     */
    read(bytes: Buffer, from: number, onChunk: (start: number, end: number) => void): number {
      let at = from;
      while (at < bytes.length) {
        if (expected === 'data') {
          const end = Math.min(bytes.length, at + left);
          onChunk(at, end);
          left -= end - at;
          at = end;
          if (left === 0) expected = 'dataEnd';
          continue;
        }
        const lineFeed = bytes.indexOf(0x0a, at);
        const end = lineFeed === -1 ? bytes.length : lineFeed + 1;
        if (line.length + end - at > longestSizeLine) throw invalid('a chunk');
        line += bytes.toString('latin1', at, end);
        at = end;
        if (lineFeed === -1) return -1;
        if (endOfLine()) return at;
      }
      return -1;
    },
  };

  /** @returns whether it was the last line of the body */
  function endOfLine(): boolean {
    if (!line.endsWith('\r\n')) throw invalid('a line end');
    const text = line.slice(0, -2);
    line = '';
    if (expected === 'size') {
      if (!sizeLine.test(text)) throw invalid('a chunk size');
      left = Number.parseInt(text, 16);
      expected = left === 0 ? 'bodyEnd' : 'data';
      return false;
    }
    if (text !== '') throw invalid(expected === 'bodyEnd' ? 'a trailer' : 'the end of a chunk');
    if (expected === 'bodyEnd') return true;
    expected = 'size';
    return false;
  }
}
