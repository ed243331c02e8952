import type { WanChange } from './change.ts';

/** A request ends before its values grow larger than this, unless one value alone is. */
const largestBytes = 512 * 1024;

/** Cuts changes into requests of at most `most` changes. Takes from `changes` only what the next request needs. */
export function* partsOf(changes: Iterable<WanChange>, most: number): Generator<readonly WanChange[], void> {
  let part: WanChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = change.value?.bytes.length ?? 0;
    if (part.length === most || (part.length > 0 && bytes + size > largestBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(change);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
