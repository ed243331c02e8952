import type { WanChange } from './change.ts';

/** A request ends before it grows larger than this, unless one change alone is. */
const largestBytes = 512 * 1024;

/** Cuts changes into requests of at most `most` changes. Takes from `changes` only what the next request needs. */
export function* batchesOf(
  changes: Iterable<WanChange>,
  most: number,
): Generator<readonly WanChange[], void> {
  let batch: WanChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = largestSizeOf(change);
    if (batch.length === most || (batch.length > 0 && bytes + size > largestBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(change);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Names count as if all of them had to be escaped: `\u0000` is six bytes. */
function largestSizeOf({ map, key = '', value }: WanChange): number {
  const names = map.length + key.length + (value?.contentType?.length ?? 0);
  return lineBytes + 6 * names + (value?.bytes.length ?? 0);
}

/** What a line takes beside its names. */
const lineBytes = 32;
