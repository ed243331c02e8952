/** Blocks of one writer that may have what is asked for, in the order in which they are wanted, read a few at a time. */
import type { BlockLines } from './block-lines.ts';

interface Waiting {
  readonly block: number;
  /** Read with one before it. */
  readonly read?: BlockLines | undefined;
}

export type ReadBlocks = (blocks: readonly number[]) => readonly (BlockLines | undefined)[];

export class BlockQueue {
  readonly #blocks: Iterator<number>;
  readonly #read: ReadBlocks;
  #waiting: Waiting[] = [];

  constructor(blocks: Iterator<number>, read: ReadBlocks) {
    this.#blocks = blocks;
    this.#read = read;
  }

  /** @returns undefined when there is none any more */
  first(): number | undefined {
    if (this.#waiting.length === 0) this.#fill(1);
    return this.#waiting[0]?.block;
  }

  /**
   * What the first one has, which is the first no more.
   *
   * @param count  blocks that are likely to be wanted, this one too
   * @returns undefined when it cannot be read
   */
  take(count: number): BlockLines | undefined {
    const [first] = this.#waiting;
    if (first && !('read' in first)) {
      this.#fill(count);
      const blocks = this.#waiting.map(({ block }) => block);
      const all = this.#read(blocks);
      this.#waiting = blocks.map((block, i) => ({ block, read: all[i] }));
    }
    return this.#waiting.shift()?.read;
  }

  #fill(count: number): void {
    while (this.#waiting.length < count) {
      const { value, done } = this.#blocks.next();
      if (done) return;
      this.#waiting.push({ block: value });
    }
  }
}
