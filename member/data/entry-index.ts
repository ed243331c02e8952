const hashBits = 32;
const fewestBits = 3;
/** The array doubles above 7/10 and halves below 1/8. */
const fullest = 0.7;
const emptiest = 0.125;
const placesInStride = 64;

/**
 * Finds the positions of entries by the hash of their keys: 8 bytes for each place in one typed array.
 *
 * Open addressing with linear probing; an entry's home is given by the uppermost bits of its hash, so that
 * the entries of a range of hashes stand side by side however large the array is. A class, as each map has
 * one: its methods take no memory.
 */
export class EntryIndex {
  size = 0;
  readonly #isKeyAt: (position: number, key: string) => boolean;
  #bits = fewestBits;
  /** For each place the hash of an entry, and one more than its position: 0 for none. */
  #places = newPlaces(fewestBits);

  /** @param isKeyAt  whether the entry at a position has this key */
  constructor(isKeyAt: (position: number, key: string) => boolean) {
    this.#isKeyAt = isKeyAt;
  }

  /** The place of the entry with this key; -1 for none. */
  find(hash: number, key: string): number {
    const places = this.#places;
    const mask = (places.length >> 1) - 1;
    for (let place = hash >>> (hashBits - this.#bits); ; place = (place + 1) & mask) {
      const marked = places[2 * place + 1]!;
      if (marked === 0) return -1;
      if (places[2 * place] === hash && this.#isKeyAt(marked - 1, key)) return place;
    }
  }

  /** The place of the entry at `position`; -1 for none. */
  placeOf(hash: number, position: number): number {
    const places = this.#places;
    const mask = (places.length >> 1) - 1;
    for (let place = hash >>> (hashBits - this.#bits); ; place = (place + 1) & mask) {
      const marked = places[2 * place + 1]!;
      if (marked === 0) return -1;
      if (marked - 1 === position) return place;
    }
  }

  positionAt(place: number): number {
    return this.#places[2 * place + 1]! - 1;
  }

  /** The entry at `place` stands elsewhere now. */
  move(place: number, position: number): void {
    this.#places[2 * place + 1] = position + 1;
  }

  /** Adds an entry whose key is not there yet. Places that were found before hold no more. */
  add(hash: number, position: number): void {
    if (this.size + 1 > 2 ** this.#bits * fullest) this.#resize(this.#bits + 1);
    insert(this.#places, hashBits - this.#bits, hash, position + 1);
    this.size += 1;
  }

  /** Places that were found before hold no more. */
  remove(place: number): void {
    close(this.#places, hashBits - this.#bits, place);
    this.size -= 1;
    if (this.#bits > fewestBits && this.size < 2 ** this.#bits * emptiest) this.#resize(this.#bits - 1);
  }

  clear(): void {
    this.size = 0;
    this.#bits = fewestBits;
    this.#places = newPlaces(fewestBits);
  }

  /** How much of the 2^32 hashes some tens of entries share. */
  get stride(): number {
    return 2 ** (hashBits - this.#bits) * Math.min(placesInStride, 2 ** this.#bits);
  }

  /** Visits the positions of all entries with a hash from `from` to below `to`; no change meanwhile. */
  visit(from: number, to: number, visitor: (position: number) => void): void {
    const places = this.#places;
    const mask = (places.length >> 1) - 1;
    const homeSpan = 2 ** (hashBits - this.#bits);
    const first = Math.floor(from / homeSpan);
    const last = Math.floor((to - 1) / homeSpan);
    for (let step = first; step <= first + mask; step += 1) {
      const place = step & mask;
      const marked = places[2 * place + 1]!;
      if (marked === 0) {
        if (step >= last) return;
        continue;
      }
      const hash = places[2 * place]!;
      if (hash >= from && hash < to) visitor(marked - 1);
    }
  }

  #resize(bits: number): void {
    const old = this.#places;
    const places = newPlaces(bits);
    for (let i = 0; i < old.length; i += 2) {
      if (old[i + 1] !== 0) insert(places, hashBits - bits, old[i]!, old[i + 1]!);
    }
    this.#bits = bits;
    this.#places = places;
  }
}

function newPlaces(bits: number): Uint32Array {
  return new Uint32Array(2 * 2 ** bits);
}

/** @param shift  makes an entry's home of its hash */
function insert(places: Uint32Array, shift: number, hash: number, marked: number): void {
  const mask = (places.length >> 1) - 1;
  let place = hash >>> shift;
  while (places[2 * place + 1] !== 0) place = (place + 1) & mask;
  places[2 * place] = hash;
  places[2 * place + 1] = marked;
}

/** Moves what follows back, so that no look-up ends at the hole. */
function close(places: Uint32Array, shift: number, place: number): void {
  const mask = (places.length >> 1) - 1;
  let hole = place;
  for (let next = (hole + 1) & mask; places[2 * next + 1] !== 0; next = (next + 1) & mask) {
    const home = places[2 * next]! >>> shift;
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    places[2 * hole] = places[2 * next]!;
    places[2 * hole + 1] = places[2 * next + 1]!;
    hole = next;
  }
  places[2 * hole + 1] = 0;
}
