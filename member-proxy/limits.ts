/** What one call may cost. Sizes are bytes, times milliseconds. */
export interface ProxyLimits {
  /** Longest request target; above it 414 (S64). */
  readonly targetBytes: number;
  /** Most header fields; above it 431. Node drops fields beyond 2000 without a word, so this stays below. */
  readonly headerFields: number;
  /** Largest request body; above it 413 (S64). */
  readonly bodyBytes: number;
  /** Longest silence while a request body arrives; above it 408 (S64). */
  readonly bodyStallMs: number;
  /** Longest time in which a caller takes nothing of a reply that waits for him; above it both connections end (S64). */
  readonly replyStallMs: number;
  /** Longest `Content-Type` that may be stored with a value; above it 400 (S69). */
  readonly contentTypeBytes: number;
  /** Longest wait for a connection to a member; above it 504 (S65). */
  readonly connectMs: number;
  /** Longest wait for a member's reply, and longest silence within it; above it 504 (S65). */
  readonly replyMs: number;
  /**
   * The same, of what the console reads by itself for somebody who waits before a page. Longer than it takes to find out
   * that a member hangs, so that another one is asked before.
   */
  readonly ownReadMs: number;
  /** What a poll may take beyond the seconds it asks for (S65). */
  readonly pollGraceMs: number;
  /** Most in-flight calls at one member, polls that wait not counted; calls above it wait for a place. */
  readonly memberConnections: number;
  /**
   * Most polls that wait at one member at a time, in places of their own (S93); 0 for no limit. Each takes one of the
   * real engine's 16 workers, and with all of them taken it answers nothing else, probes included (docs/member-surface.md#on-the-wire).
   */
  readonly memberPolls: number;
  /** Most calls that wait for a place at one member, and most polls; above it 503. */
  readonly memberWaiting: number;
  /** Longest wait for a place; above it 503. */
  readonly waitMs: number;
}

export const defaultLimits: ProxyLimits = {
  targetBytes: 8 * 1024,
  headerFields: 256,
  bodyBytes: 10 * 1024 * 1024,
  bodyStallMs: 30_000,
  replyStallMs: 60_000,
  contentTypeBytes: 256,
  connectMs: 2_000,
  replyMs: 30_000,
  ownReadMs: 5_000,
  pollGraceMs: 5_000,
  memberConnections: 512,
  memberPolls: 12,
  memberWaiting: 1_024,
  waitMs: 2_000,
};
