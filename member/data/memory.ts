/** Counts the bytes that callers have made the member hold, against one cap for all of them. */
export interface Memory {
  /** Takes `bytes` when they fit under the cap; the caller answers 503 when they do not. */
  tryTake(bytes: number): boolean;
  /** Takes `bytes` even over the cap: for what was held a moment ago and must not be lost. */
  take(bytes: number): void;
  give(bytes: number): void;
}

/** @param capBytes  what may be held at once */
export function createMemory(capBytes: number): Memory {
  let used = 0;
  return {
    tryTake(bytes) {
      if (used + bytes > capBytes) return false;
      used += bytes;
      return true;
    },
    take(bytes) {
      used += bytes;
    },
    give(bytes) {
      used -= bytes;
    },
  };
}

/** A map value or queue item: the bytes as sent and the MIME type as sent, if one was (spec §2.1). */
export interface StoredValue {
  readonly bytes: Buffer;
  readonly contentType: string | undefined;
}

/** What the engine's own objects around one value take, measured roughly; empty values are not free. */
const overheadBytes = 200;

/** @param key  the map key, or `''` for a queue item */
export function costOf(key: string, { bytes, contentType = '' }: StoredValue): number {
  return overheadBytes + 2 * (key.length + contentType.length) + bytes.length;
}
