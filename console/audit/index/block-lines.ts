/** The lines of a block, in bytes that may have others too. */
import { prefixBytes } from '../chain.ts';
import { blockOf } from '../segments/segment-form.ts';
import { seqReader } from '../segments/segment-parts.ts';

/** Without its link and its end. */
export interface Line {
  readonly seq: number;
  readonly start: number;
  readonly end: number;
}

const lineEnd = 0x0a;

export class BlockLines {
  readonly bytes: Buffer;
  readonly #block: number;
  readonly #seqOf: ReturnType<typeof seqReader>;
  #lines: readonly Line[] | undefined;

  constructor(writer: string, block: number, bytes: Buffer) {
    this.bytes = bytes;
    this.#block = block;
    this.#seqOf = seqReader(writer);
  }

  /** In order. */
  get lines(): readonly Line[] {
    this.#lines ??= this.#all();
    return this.#lines;
  }

  /** Lines that have all of these: the first is looked for in all of the bytes, which costs less than line by line. */
  *having([first, ...others]: readonly Buffer[]): Generator<Line, void> {
    if (!first) {
      yield* this.lines;
      return;
    }
    const { bytes } = this;
    for (let at = bytes.indexOf(first); at >= 0; ) {
      const start = bytes.lastIndexOf(lineEnd, at) + 1;
      const end = bytes.indexOf(lineEnd, at);
      if (end < 0) return;
      const line = this.#line(start, end);
      if (line && others.every((other) => bytes.subarray(line.start, end).includes(other))) yield line;
      at = bytes.indexOf(first, end);
    }
  }

  #all(): readonly Line[] {
    const { bytes } = this;
    const lines: Line[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, start)) {
      const line = this.#line(start, end);
      if (line) lines.push(line);
      start = end + 1;
    }
    return lines;
  }

  /** @returns undefined when it is of another block */
  #line(start: number, end: number): Line | undefined {
    const seq = this.#seqOf(this.bytes, start);
    return blockOf(seq) === this.#block ? { seq, start: start + prefixBytes, end } : undefined;
  }
}
