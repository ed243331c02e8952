/** A page of a list, section by section: an engine reads entries of an index, and this sees which are wanted. */
import type { GrowingCollection, GrowingRecords, Page, PageRequest, UserOrder } from '../record-store.ts';
import type { IndexKey } from './record-indexes.ts';
import { placeOf, type Section } from './record-sections.ts';

export interface SliceRequest {
  /** The last one that was read before. */
  readonly after: IndexKey | undefined;
  readonly limit: number;
  /** So many are looked at at most, where some are passed over. */
  readonly mostRead: number;
  readonly isReversed: boolean;
}

export interface Slice<R> {
  /** A record is absent where it is damaged: a list leaves it out. */
  readonly entries: readonly { readonly key: IndexKey; readonly record: R | undefined }[];
  /** Those that were looked at, where some of them were passed over. */
  readonly read?: number;
  /** There is nothing behind them. */
  readonly isOver: boolean;
}

/** The entries of a section behind `after`, in their order, at most `limit`. */
export type ReadSlice = <C extends GrowingCollection>(
  collection: C,
  section: Section<GrowingRecords[C]>,
  request: SliceRequest,
) => Promise<Slice<GrowingRecords[C]>>;

const mostRecords = 500;
/** Some more than a page lacks, for those that are not wanted. */
const fewest = 10;

/** @param sliceSize  entries that are read at once at most */
export function createPaging(readSlice: ReadSlice, sliceSize: number) {
  return async function page<C extends GrowingCollection>(
    collection: C,
    sections: readonly Section<GrowingRecords[C]>[],
    { limit, after, mostRead = Infinity, isReversed = false }: PageRequest & UserOrder,
  ): Promise<Page<GrowingRecords[C]>> {
    const most = Math.min(limit, mostRecords);
    const found: { readonly record: GrowingRecords[C]; readonly place: string }[] = [];
    const pageOf = (next?: string) => ({
      records: found.slice(0, most).map(({ record }) => record),
      ...(next !== undefined && { next }),
    });
    let read = 0;
    const start = after === undefined ? undefined : placeOf(after, sections);
    for (const section of sections.slice(start && sections.indexOf(start.section))) {
      const head = section.index ?? [];
      const placeAt = (key: IndexKey) => section.name + key.slice(head.length).join('\n');
      let last: IndexKey | undefined = section === start?.section ? [...head, ...start.parts] : undefined;
      for (;;) {
        // As many again as were read in vain.
        const lacking = Math.max(fewest, most + 1 - found.length, read);
        const slice = await readSlice(collection, section, {
          after: last,
          limit: Math.min(sliceSize, mostRead - read, lacking),
          mostRead: mostRead - read,
          isReversed,
        });
        read += slice.read ?? slice.entries.length;
        for (const { key, record } of slice.entries) {
          if (record && section.isWanted?.(record, key[head.length]) !== false)
            found.push({ record, place: placeAt(key) });
          if (found.length > most) return pageOf(found[most - 1]!.place);
        }
        if (slice.isOver) break;
        last = slice.entries.at(-1)!.key;
        if (read >= mostRead) return pageOf(placeAt(last));
      }
    }
    return pageOf();
  };
}
