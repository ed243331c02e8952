import type { HeldValue } from './values.ts';

/** Counts the bytes that callers have made the member hold, against one cap for all of them. */
export interface Memory {
  readonly usedBytes: number;
  readonly capBytes: number;
  /** Takes `bytes` when they fit under the cap; the caller answers 503 when they do not. */
  tryTake(bytes: number): boolean;
  /** Takes `bytes` even over the cap: for what was held a moment ago and must not be lost. */
  take(bytes: number): void;
  give(bytes: number): void;
}

/** @param capBytes  what may be held at once */
export function createMemory(capBytes: number): Memory {
  let usedBytes = 0;
  return {
    capBytes,
    get usedBytes() {
      return usedBytes;
    },
    tryTake(bytes) {
      if (usedBytes + bytes > capBytes) return false;
      usedBytes += bytes;
      return true;
    },
    take(bytes) {
      usedBytes += bytes;
    },
    give(bytes) {
      usedBytes -= bytes;
    },
  };
}

/** What the engine's own objects around one value take, measured roughly; empty values are not free. */
const overheadBytes = 200;

/** @param key  the map key, or `''` for a queue item */
export function costOf(key: string, { content, contentType }: HeldValue): number {
  return costOfParts(key, contentType, content.length);
}

export function costOfParts(key: string, contentType: string | undefined, contentBytes: number): number {
  return overheadBytes + 2 * (key.length + (contentType?.length ?? 0)) + contentBytes;
}
