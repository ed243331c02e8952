/** Bytes to lines, with their numbers. */
import { mostBytes } from './source.ts';

export interface Line {
  readonly line: number;
  /** Without its end; undefined when it is longer than is read. */
  readonly bytes: Buffer | undefined;
  /** The file ends without a line's end behind it. */
  readonly isOpen: boolean;
}

export async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let line = 1;
  let begun: Buffer[] = [];
  let length = 0;

  function add(part: Buffer): void {
    length += part.length;
    // What is too long is counted, and not held.
    if (length <= mostBytes) begun.push(part);
    else begun = [];
  }

  function take(isOpen: boolean): Line {
    const whole = begun.length === 1 ? begun[0]! : Buffer.concat(begun);
    const isCarriageReturn = whole.at(-1) === 0x0d;
    const isTooLong = length > mostBytes;
    begun = [];
    length = 0;
    return {
      line: line++,
      bytes: isTooLong ? undefined : whole.subarray(0, whole.length - (isCarriageReturn ? 1 : 0)),
      isOpen,
    };
  }

  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      add(chunk.subarray(from, end));
      yield take(false);
      from = end + 1;
    }
    // A copy: the chunk's memory is used again.
    if (from < chunk.length) add(Buffer.from(chunk.subarray(from)));
  }
  if (length > 0) yield take(true);
}

export function isBlank(bytes: Buffer | undefined): boolean {
  return bytes?.every((byte) => byte === 0x20 || byte === 0x09) === true;
}
