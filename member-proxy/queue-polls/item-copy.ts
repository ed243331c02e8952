/** Copies of items that are on their way to a caller, for as long as it may turn out that he has not got them. */
import { createHash, type Hash } from 'node:crypto';

/** Room for copies, bytes, shared by all of them. */
export interface CopyRoom {
  left: number;
}

/** For items on their way, all together. */
export const copyRoomBytes = 64 * 1024 * 1024;

export class ItemCopy {
  size = 0;
  private readonly room: CopyRoom;
  private chunks: Buffer[] | undefined = [];
  /** Of an item for which there was no room. */
  private hash: Hash | undefined;

  constructor(room: CopyRoom) {
    this.room = room;
  }

  /** @param piece  must not change afterwards */
  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.hash !== undefined) {
      this.hash.update(chunk);
      return;
    }
    this.chunks!.push(chunk);
    this.room.left -= chunk.length;
    if (this.room.left >= 0) return;
    this.hash = this.hashed();
    this.drop();
  }

  /** All of it; undefined when there was no room. */
  bytes(): Buffer | undefined {
    if (this.chunks === undefined) return undefined;
    return this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
  }

  /** Hexadecimal; once. */
  sha256(): string {
    return (this.hash ?? this.hashed()).digest('hex');
  }

  drop(): void {
    for (const { length } of this.chunks ?? []) this.room.left += length;
    this.chunks = undefined;
  }

  private hashed(): Hash {
    const hash = createHash('sha256');
    for (const chunk of this.chunks ?? []) hash.update(chunk);
    return hash;
  }
}
