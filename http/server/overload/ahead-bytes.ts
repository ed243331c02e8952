/** What callers have sent before it was their turn: of one connection little is kept, and of all of them not much. */
export class AheadBytes {
  /** Of all connections. */
  total = 0;

  /** @param own  what a connection has sent ahead */
  isTooMuch(own: number): boolean {
    return own > mostOfOne || (own > 0 && this.total > mostWithoutHaste);
  }

  /** So much that connections have to be closed for it. */
  get isFull(): boolean {
    return this.total > mostOfAll;
  }
}

/** Above it a connection is not read on. */
const mostOfOne = 64 * 1024;
/** Above it no connection is read on that has anything ahead. */
const mostWithoutHaste = 8 * 1024 * 1024;
const mostOfAll = 32 * 1024 * 1024;
