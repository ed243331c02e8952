/** Which line a place in a file is in, asked from its beginning to its end. */
export interface LineCounter {
  /** Passes the bytes on. */
  follow(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** @param at  bytes before the place; a line's end right before it counts as not there yet */
  lineAt(at: number): number;
}

export function createLineCounter(): LineCounter {
  const waiting: Buffer[] = [];
  /** Of the first chunk that waits. */
  let offset = 0;
  let line = 1;

  /** @returns whether the last byte of them is a line's end */
  function count(to: number): boolean {
    let isEnd = false;
    while (waiting[0] !== undefined && offset < to) {
      const part = waiting[0].subarray(0, to - offset);
      for (let at = part.indexOf(0x0a); at !== -1; at = part.indexOf(0x0a, at + 1)) line++;
      isEnd = part.at(-1) === 0x0a;
      offset += part.length;
      if (part.length === waiting[0].length) waiting.shift();
      else waiting[0] = waiting[0].subarray(part.length);
    }
    return isEnd;
  }

  return {
    async *follow(bytes) {
      for await (const chunk of bytes) {
        waiting.push(chunk);
        yield chunk;
      }
    },
    lineAt(at) {
      const isEnd = count(at);
      return isEnd ? line - 1 : line;
    },
  };
}
