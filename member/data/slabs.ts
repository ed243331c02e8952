/** Bytes outside the engine's heap, in chunks that are written one behind the other. */
export interface Slab {
  readonly bytes: Buffer;
  /** The same bytes. */
  readonly words: Uint32Array;
  /** Where the next chunk goes; what is before it has been written. */
  end: number;
  /** Of what has been written, the bytes that are still in use. */
  live: number;
}

export interface WastefulSlab {
  readonly slab: Slab;
  /** Of its first byte. */
  readonly position: number;
}

export const alignment = 16;
const largestSlab = 256 * 1024;
const smallestSlab = 256;
/** Of a position: the units of `alignment` bytes in a slab. */
const placeBits = 14;
const mostSlabs = 2 ** (32 - placeBits) - 1;
/** Of the bytes in use, what may be allocated; beyond it, slabs are emptied. */
const wastefulShare = 1.5;
/** Not worth the while, in bytes. */
const smallWaste = 4 * 1024;

/** @returns the first byte of a position in its slab */
export function byteOf(position: number): number {
  return (position & (2 ** placeBits - 1)) * alignment;
}

/**
 * Where chunks lie. A position stands for a slab and a place in it, and is below 2^32 - 1. Slabs grow with
 * what they hold, so a small map is small; a chunk larger than a slab has one of its own.
 */
export class Slabs {
  #slabs: (Slab | undefined)[] = [];
  #free: number[] = [];
  #current: Slab | undefined;
  #currentNumber = 0;
  #allocated = 0;
  #live = 0;

  /**
   * Room for a chunk.
   *
   * @param bytes  a multiple of {@link alignment}
   * @throws {RangeError} when there is 64 GiB already
   */
  take(bytes: number): number {
    let slab = this.#current;
    if (slab === undefined || slab.end + bytes > slab.bytes.length) {
      if (slab?.live === 0) this.#drop(this.#currentNumber, slab);
      this.#current = undefined;
      slab = this.#open(bytes);
    }
    const position = this.#currentNumber * 2 ** placeBits + slab.end / alignment;
    slab.end += bytes;
    slab.live += bytes;
    this.#live += bytes;
    return position;
  }

  /** The chunk at `position` is not used any more. */
  give(position: number, bytes: number): void {
    const number = position >>> placeBits;
    const slab = this.#slabs[number]!;
    slab.live -= bytes;
    this.#live -= bytes;
    if (slab.live > 0) return;
    if (slab === this.#current) slab.end = 0;
    else this.#drop(number, slab);
  }

  slabAt(position: number): Slab {
    return this.#slabs[position >>> placeBits]!;
  }

  clear(): void {
    this.#slabs = [];
    this.#free = [];
    this.#current = undefined;
    this.#allocated = 0;
    this.#live = 0;
  }

  /**
   * The slab of which least is in use, when too much is wasted in all. It takes no more chunks; the
   * caller moves away what is used, whereupon its memory is free.
   */
  wasteful(): WastefulSlab | undefined {
    const unwritten = this.#current === undefined ? 0 : this.#current.bytes.length - this.#current.end;
    if (this.#allocated - unwritten <= wastefulShare * this.#live + smallWaste) return undefined;
    let number = -1;
    let slab: Slab | undefined;
    let leastUse = Infinity;
    for (let i = 0; i < this.#slabs.length; i += 1) {
      const each = this.#slabs[i];
      if (each === undefined || each.live === 0) continue;
      const use = each.live / (each === this.#current ? each.end : each.bytes.length);
      if (use >= leastUse) continue;
      number = i;
      slab = each;
      leastUse = use;
    }
    if (slab === undefined) return undefined;
    if (slab === this.#current) this.#current = undefined;
    return { slab, position: number * 2 ** placeBits };
  }

  #open(bytes: number): Slab {
    const number = this.#free.pop() ?? this.#slabs.length;
    if (number >= mostSlabs) throw new RangeError('a map holds no more than 64 GiB');
    const asMuchAgain = 2 ** Math.ceil(Math.log2(this.#live + bytes));
    const length = Math.max(bytes, smallestSlab, Math.min(largestSlab, asMuchAgain));
    const own = Buffer.allocUnsafeSlow(length);
    const slab = { bytes: own, words: new Uint32Array(own.buffer), end: 0, live: 0 };
    this.#slabs[number] = slab;
    this.#allocated += length;
    this.#current = slab;
    this.#currentNumber = number;
    return slab;
  }

  #drop(number: number, slab: Slab): void {
    this.#slabs[number] = undefined;
    this.#free.push(number);
    this.#allocated -= slab.bytes.length;
  }
}
