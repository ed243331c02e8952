import {
  chunkBytes,
  chunkBytesAt,
  contentAt,
  hashAt,
  isKeyAt,
  keyAt,
  textAt,
  writeApart,
  writeContent,
  writeKey,
} from './chunk.ts';
import { EntryIndex } from './entry-index.ts';
import { FreeList } from './free-list.ts';
import type { KeyHash } from './key-hash.ts';
import { costOf, costOfParts } from './memory.ts';
import { alignment, byteOf, type Slab, Slabs } from './slabs.ts';
import { type HeldValue, hold, isSmall, type StoredValue, typeNamed, typeNumber } from './values.ts';

/**
 * Entries that stay until they are removed, outside the engine's heap: key and small value side by side in one
 * chunk of bytes. Beside a `Map` of strings that is half of the memory, nothing for the garbage collector to
 * walk, and two places to read instead of seven for a look-up among a million.
 */
export class PackedEntries {
  readonly #hashOf: KeyHash;
  readonly #slabs = new Slabs();
  readonly #index = new EntryIndex((position, key) =>
    isKeyAt(this.#slabs.slabAt(position), byteOf(position), key),
  );
  readonly #apart = new FreeList<HeldValue>();

  constructor(hashOf: KeyHash) {
    this.#hashOf = hashOf;
  }

  get size(): number {
    return this.#index.size;
  }

  get(key: string): HeldValue | undefined {
    const position = this.#find(key);
    if (position === -1) return undefined;
    const slab = this.#slabs.slabAt(position);
    const from = byteOf(position);
    const { content, type, isApart } = contentAt(slab, from);
    return isApart ? this.#apart.at(content) : { content: textAt(slab, from), contentType: typeNamed(type) };
  }

  /** What the entry costs of the member's memory; 0 when there is none. */
  costAt(key: string): number {
    const position = this.#find(key);
    if (position === -1) return 0;
    const { content, type, isApart } = contentAt(this.#slabs.slabAt(position), byteOf(position));
    return isApart ? costOf(key, this.#apart.at(content)) : costOfParts(key, typeNamed(type), content);
  }

  set(key: string, value: StoredValue): void {
    const type = packedType(value);
    const bytes = chunkBytes(key, type === undefined ? 0 : value.bytes.length);
    const hash = this.#hashOf(key);
    const place = this.#index.find(hash, key);
    const old = place === -1 ? -1 : this.#index.positionAt(place);
    if (old !== -1) {
      const slab = this.#slabs.slabAt(old);
      const from = byteOf(old);
      if (chunkBytesAt(slab, from) === bytes) {
        this.#dropValue(slab, from);
        this.#writeValue(slab, from, value, type);
        return;
      }
    }

    const position = this.#slabs.take(bytes);
    const slab = this.#slabs.slabAt(position);
    writeKey(slab, byteOf(position), hash, key);
    this.#writeValue(slab, byteOf(position), value, type);
    if (old === -1) {
      this.#index.add(hash, position);
    } else {
      this.#index.move(place, position);
      this.#drop(old);
    }
  }

  /** @returns whether there was one */
  delete(key: string): boolean {
    const place = this.#index.find(this.#hashOf(key), key);
    if (place === -1) return false;
    const position = this.#index.positionAt(place);
    this.#index.remove(place);
    this.#drop(position);
    return true;
  }

  clear(): void {
    this.#index.clear();
    this.#slabs.clear();
    this.#apart.clear();
  }

  /**
   * In the order of their hashes. Entries may come and go between two steps: one that is there from the first
   * to the last is met once, however often it is written.
   */
  *entries(): Generator<readonly [key: string, value: HeldValue]> {
    for (let from = 0; from < 2 ** 32; ) {
      const to = Math.min(2 ** 32, from + this.#index.stride);
      const keys: string[] = [];
      this.#index.visit(from, to, (position) => {
        keys.push(keyAt(this.#slabs.slabAt(position), byteOf(position)));
      });
      for (const key of keys) {
        const value = this.get(key);
        if (value !== undefined) yield [key, value];
      }
      from = to;
    }
  }

  #find(key: string): number {
    const place = this.#index.find(this.#hashOf(key), key);
    return place === -1 ? -1 : this.#index.positionAt(place);
  }

  #writeValue(slab: Slab, from: number, value: StoredValue, type: number | undefined): void {
    if (type === undefined) writeApart(slab, from, this.#apart.put(hold(value)));
    else writeContent(slab, from, value.bytes, type);
  }

  #dropValue(slab: Slab, from: number): void {
    const { content, isApart } = contentAt(slab, from);
    if (isApart) this.#apart.take(content);
  }

  #drop(position: number): void {
    const slab = this.#slabs.slabAt(position);
    const from = byteOf(position);
    this.#dropValue(slab, from);
    this.#slabs.give(position, chunkBytesAt(slab, from));
    this.#tidy();
  }

  /** Moves what is left in a slab elsewhere; one slab at most, so that no write takes long. */
  #tidy(): void {
    const found = this.#slabs.wasteful();
    if (found === undefined) return;
    const { slab, position: first } = found;
    for (let from = 0, bytes = 0; from < slab.end; from += bytes) {
      bytes = chunkBytesAt(slab, from);
      const position = first + from / alignment;
      const place = this.#index.placeOf(hashAt(slab, from), position);
      if (place === -1) continue;
      const moved = this.#slabs.take(bytes);
      slab.bytes.copy(this.#slabs.slabAt(moved).bytes, byteOf(moved), from, from + bytes);
      this.#index.move(place, moved);
      this.#slabs.give(position, bytes);
    }
  }
}

/** A value that is large, or of one MIME type too many, is not packed. */
function packedType({ bytes, contentType }: StoredValue): number | undefined {
  return isSmall(bytes) ? typeNumber(contentType) : undefined;
}
