/** Takes what one entry says out of the files. The chain checks all the same, and an entry has to say who wanted it. */
import { entryHashIn, prefixBytes } from './chain.ts';
import { erasedHash, erasedLine } from './erased-entry.ts';
import { closeSegment } from './segments/segment-closing.ts';
import type { Segment } from './segments/segment-form.ts';
import { entriesOfSegment, segmentsOf } from './segments/segment-reader.ts';

export interface ErasureDeps {
  /** `audit` of the data directory. */
  readonly directory: string;
  readonly writer: string;
  readonly seq: number;
  /** Closes the file that this process writes, if it is that one: what is written goes on in another. */
  readonly release: (segment: Segment) => void;
}

/** No file has it, or it is erased already. */
export class MissingEntryError extends Error {
  override readonly name = 'MissingEntryError';
}

/**
 * @throws {MissingEntryError}
 * @throws {Error} where its file cannot be read whole, or not written: nothing was erased
 */
export async function eraseEntry({ directory, writer, seq, release }: ErasureDeps): Promise<void> {
  const segments = segmentsOf(directory, writer);
  const segment = segments.findLast(({ header }) => header && header.firstSeq <= seq);
  if (!segment?.header) throw new MissingEntryError(`there is no file that has entry ${seq} of ${writer}`);
  release(segment);
  let isThere = false;
  await closeSegment({
    segment,
    header: segment.header,
    entries: entriesOfSegment(segment, writer, {}),
    replaced({ seq: own, stored }) {
      if (own !== seq || erasedHash(stored)) return undefined;
      isThere = true;
      const e = entryHashIn(stored, prefixBytes, stored.length);
      return stored.toString('latin1', 0, prefixBytes) + erasedLine(writer, seq, e);
    },
  });
  if (!isThere) throw new MissingEntryError(`there is no entry ${seq} of ${writer} any more`);
}
