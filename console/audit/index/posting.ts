/**
 * Which of the 4,096 blocks of a stretch have entries of a term: their numbers, two bytes each, or a bit for each block
 * where that is shorter.
 */

export const stretchBlocks = 4096;
const bitmapBytes = stretchBlocks / 8;

/** @param added  rising. @returns the old ones too, each once */
export function withBlocks(posting: Buffer | undefined, added: readonly number[]): Buffer {
  return postingOf(posting ? new Set([...blocksOf(posting), ...added]) : new Set(added));
}

/** @returns the others */
export function withoutBlock(posting: Buffer, block: number): Buffer {
  return postingOf(new Set(blocksOf(posting).filter((one) => one !== block)));
}

function postingOf(blocks: ReadonlySet<number>): Buffer {
  if (2 * blocks.size < bitmapBytes) {
    const numbers = Buffer.alloc(2 * blocks.size);
    for (const [i, block] of [...blocks].sort((a, b) => a - b).entries()) numbers.writeUInt16LE(block, 2 * i);
    return numbers;
  }
  const bits = Buffer.alloc(bitmapBytes);
  for (const block of blocks) bits[block >> 3]! |= 1 << (block & 7);
  return bits;
}

/** Rising. */
export function blocksOf(posting: Buffer): readonly number[] {
  if (posting.length < bitmapBytes) {
    return Array.from({ length: posting.length / 2 }, (_, i) => posting.readUInt16LE(2 * i));
  }
  const blocks: number[] = [];
  for (let block = 0; block < stretchBlocks; block++) {
    if (posting[block >> 3]! & (1 << (block & 7))) blocks.push(block);
  }
  return blocks;
}

/** Those that all have. @param postings  one at least */
export function commonBlocks(postings: readonly Buffer[]): readonly number[] {
  const [first, ...others] = [...postings].sort((a, b) => a.length - b.length);
  return others.reduce<readonly number[]>((blocks, posting) => {
    if (posting.length === bitmapBytes) {
      return blocks.filter((block) => posting[block >> 3]! & (1 << (block & 7)));
    }
    const own = new Set(blocksOf(posting));
    return blocks.filter((block) => own.has(block));
  }, blocksOf(first!));
}
