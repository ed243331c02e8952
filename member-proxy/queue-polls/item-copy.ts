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
  private pieces: Buffer[] | undefined = [];
  /** Of an item for which there was no room. */
  private hash: Hash | undefined;

  constructor(room: CopyRoom) {
    this.room = room;
  }

  /** @param piece  must not change afterwards */
  add(piece: Buffer): void {
    this.size += piece.length;
    if (this.hash !== undefined) {
      this.hash.update(piece);
      return;
    }
    this.pieces!.push(piece);
    this.room.left -= piece.length;
    if (this.room.left >= 0) return;
    this.hash = this.hashed();
    this.drop();
  }

  /** All of it; undefined when there was no room. */
  bytes(): Buffer | undefined {
    if (this.pieces === undefined) return undefined;
    return this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces);
  }

  /** Hexadecimal; once. */
  sha256(): string {
    return (this.hash ?? this.hashed()).digest('hex');
  }

  drop(): void {
    for (const { length } of this.pieces ?? []) this.room.left += length;
    this.pieces = undefined;
  }

  private hashed(): Hash {
    const hash = createHash('sha256');
    for (const piece of this.pieces ?? []) hash.update(piece);
    return hash;
  }
}
