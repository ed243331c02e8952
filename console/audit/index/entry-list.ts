/**
 * Entries by filters, the newest or the oldest first, of all writers together. The order is by the latest time that a writer had seen,
 * so that a clock that went back moves nothing: of each writer entries stay in the order in which they were written.
 */

import type { Entry } from '../entry.ts';
import { readEntry } from '../erased-entry.ts';
import { blockEntries, blockOf } from '../segments/segment-form.ts';
import type { BlockLines, Line } from './block-lines.ts';
import { BlockQueue } from './block-queue.ts';
import type { BlockReader } from './block-source.ts';
import { changeTerm, type EntryFilter, isMatch, needlesOf, termsOfFilter } from './filter.ts';
import type { IndexStore, WriterRow } from './index-store.ts';
import { createLineTimes } from './line-time.ts';
import { commonBlocks, stretchBlocks } from './posting.ts';

/** Where a page begins. */
export interface Place {
  /** Epoch milliseconds. */
  readonly latest: number;
  readonly writer: string;
  readonly seq: number;
}

export interface ListDeps {
  readonly store: Pick<IndexStore, 'block' | 'posting'>;
  readonly source: BlockReader;
  readonly rows: ReadonlyMap<string, WriterRow>;
}

export interface Asked {
  readonly filter: EntryFilter;
  readonly limit: number;
  /** Entries from here on; by default from the newest, or from the oldest. */
  readonly from?: Place | undefined;
  readonly isOldestFirst?: boolean | undefined;
}

export interface Page {
  readonly entries: readonly Entry[];
  /** undefined: there are no more. */
  readonly next?: Place | undefined;
}

/** So many entries one page looks at, whatever it finds. */
const mostChecked = 5000;
/** So many blocks are decompressed together. */
const mostAtOnce = 16;

export function listEntries({ filter, limit, from, isOldestFirst = false }: Asked, deps: ListDeps): Page {
  const search = createSearch(filter, { limit, isOldestFirst });
  const sources = [...deps.rows].map(
    ([writer, row]) => new WriterEntries(writer, row, { ...deps, search, from }),
  );
  const entries: Entry[] = [];
  for (;;) {
    const first = firstOf(sources, search);
    if (!first) return { entries };
    if (entries.length === limit || search.checked >= mostChecked) return { entries, next: first.place };
    const entry = first.take();
    if (entry) entries.push(entry);
    search.wanted = limit - entries.length;
  }
}

/** Whose entry comes next. */
function firstOf(
  sources: readonly WriterEntries[],
  { isBefore }: Pick<Search, 'isBefore'>,
): (WriterEntries & { place: Place }) | undefined {
  let first: WriterEntries | undefined;
  for (const source of sources) {
    if (source.place && (!first?.place || isBefore(source.place, first.place))) first = source;
  }
  return first as (WriterEntries & { place: Place }) | undefined;
}

export function comparePlaces(one: Place, other: Place): number {
  if (one.latest !== other.latest) return one.latest - other.latest;
  if (one.writer !== other.writer) return one.writer < other.writer ? -1 : 1;
  return one.seq - other.seq;
}

/** What is asked for, in the forms in which it is checked for. */
function createSearch(
  filter: EntryFilter,
  { limit, isOldestFirst }: { readonly limit: number; readonly isOldestFirst: boolean },
) {
  const needles = needlesOf(filter)
    .map((needle) => Buffer.from(needle))
    .sort((one, other) => other.length - one.length);
  /** In the order of the list. */
  const isBefore = (one: Place, other: Place) =>
    isOldestFirst ? comparePlaces(one, other) < 0 : comparePlaces(one, other) > 0;
  return {
    filter,
    needles,
    terms: termsOfFilter(filter),
    isOldestFirst,
    isBefore,
    checked: 0,
    wanted: limit,
  };
}

type Search = ReturnType<typeof createSearch>;

interface Placed {
  readonly place: Place;
  readonly entry: Entry;
}

interface WriterDeps extends Omit<ListDeps, 'rows'> {
  readonly search: Search;
  readonly from: Place | undefined;
}

/** Of one writer, in the order of the list: a block is read when nothing that comes before it is left elsewhere. */
class WriterEntries {
  /** Of its next entry, or the first where that may be; undefined when there is none. */
  place: Place | undefined;
  readonly #writer: string;
  readonly #row: WriterRow;
  readonly #deps: WriterDeps;
  readonly #blocks: BlockQueue;
  /** Whether its next entry is in a block that has not been taken. */
  #isAhead = false;
  /** Of the block that was taken last, the next one at the end. */
  #found: Placed[] = [];
  /** Blocks that were taken, and the entries in them. */
  #taken = { blocks: 0, entries: 0 };
  readonly #times = createLineTimes();

  constructor(writer: string, row: WriterRow, deps: WriterDeps) {
    this.#writer = writer;
    this.#row = row;
    this.#deps = deps;
    const start = deps.search.isOldestFirst ? this.#firstBlock() : this.#lastBlock();
    this.#blocks = new BlockQueue(this.#candidates(start), (blocks) => this.#readAll(blocks));
    this.#goOn();
  }

  /** @returns undefined when nothing was found there */
  take(): Entry | undefined {
    if (this.#isAhead) {
      this.#found = this.#takeBlock();
      this.#goOn();
      return undefined;
    }
    const taken = this.#found.pop();
    this.#goOn();
    return taken?.entry;
  }

  #goOn(): void {
    this.place = this.#found.at(-1)?.place;
    this.#isAhead = this.place === undefined;
    if (this.place) return;
    const block = this.#blocks.first();
    if (block !== undefined) this.place = this.#edgeOf(block);
  }

  /** Nothing of the block that is on the list comes before. */
  #edgeOf(block: number): Place {
    const { search, from } = this.#deps;
    const edge = search.isOldestFirst
      ? { latest: this.#latestBefore(block), writer: this.#writer, seq: block * blockEntries }
      : {
          latest: this.#latestBefore(block + 1),
          writer: this.#writer,
          seq: (block + 1) * blockEntries - 1,
        };
    return from && search.isBefore(edge, from) ? { ...from } : edge;
  }

  /** @param block  also the one behind the last */
  #latestBefore(block: number): number {
    const { store, search } = this.#deps;
    return store.block(this.#row.id, block)?.latest ?? (search.isOldestFirst ? 0 : this.#row.latest);
  }

  #readAll(blocks: readonly number[]): readonly (BlockLines | undefined)[] {
    const { store, source } = this.#deps;
    const rows = blocks.flatMap((block) => {
      const row = store.block(this.#row.id, block);
      return row ? [{ block, row }] : [];
    });
    const read = new Map(source.readAll(this.#writer, rows).map((one, i) => [rows[i]!.block, one]));
    return blocks.map((block) => read.get(block));
  }

  /** As many more as the page is likely to need are read with it. */
  #takeBlock(): Placed[] {
    const { store, search } = this.#deps;
    const { blocks, entries } = this.#taken;
    // The first may be of a few entries only.
    const likely = Math.min(Math.ceil((search.wanted * blocks) / Math.max(1, entries)), 2 * blocks);
    const block = this.#blocks.first()!;
    const read = this.#blocks.take(Math.min(Math.max(1, likely), mostAtOnce));
    search.checked += blockEntries;
    const row = store.block(this.#row.id, block);
    const found = read && row ? this.#foundIn(read, row.latest) : [];
    this.#taken = { blocks: blocks + 1, entries: entries + found.length };
    return search.isOldestFirst ? found.reverse() : found;
  }

  #foundIn(read: BlockLines, latestBefore: number): Placed[] {
    const { search, from } = this.#deps;
    const found: Placed[] = [];
    let latest = latestBefore;
    let timed = 0;
    const timeOf = ({ start, end }: Line) => this.#times.of(read.bytes, start, end);
    for (const line of read.having(search.needles)) {
      if (line.seq > this.#row.seq) break;
      // Of a clock that never went back no line before is later.
      if (this.#row.mostBack > 0) {
        for (; read.lines[timed]!.seq < line.seq; timed++)
          latest = Math.max(latest, timeOf(read.lines[timed]!));
      }
      latest = Math.max(latest, timeOf(line));
      const place = { latest, writer: this.#writer, seq: line.seq };
      if (from && search.isBefore(place, from)) {
        if (search.isOldestFirst) continue;
        break;
      }
      const entry = readEntry(read.bytes.subarray(line.start, line.end));
      if (entry && isMatch(entry, search.filter)) found.push({ place, entry });
    }
    return found;
  }

  *#candidates(start: number): Generator<number, void> {
    const step = this.#deps.search.isOldestFirst ? 1 : -1;
    const [first, last] = [blockOf(this.#row.firstSeq), blockOf(this.#row.seq)];
    const stretchOf = (block: number) => Math.floor(block / stretchBlocks);
    for (
      let stretch = stretchOf(start);
      stretch >= stretchOf(first) && stretch <= stretchOf(last);
      stretch += step
    ) {
      const own = this.#candidatesIn(stretch);
      for (const number of step > 0 ? own : own.toReversed()) {
        const block = stretch * stretchBlocks + number;
        if ((block - start) * step < 0) continue;
        if (block < first || block > last || this.#isBeyond(block)) return;
        yield block;
      }
    }
  }

  /** Neither this block nor one that comes after it has anything of the times that are asked for. */
  #isBeyond(block: number): boolean {
    const { isOldestFirst, filter } = this.#deps.search;
    if (!isOldestFirst) return filter.since !== undefined && this.#latestBefore(block + 1) < filter.since;
    // After a clock that went back entries are older than what stands before them.
    return filter.until !== undefined && this.#latestBefore(block) - this.#row.mostBack >= filter.until;
  }

  /** By their numbers in the stretch, rising: of older blocks it may not be known yet which have changes. */
  #candidatesIn(stretch: number): readonly number[] {
    const { terms } = this.#deps.search;
    const known = (this.#row.changes?.from ?? Number.POSITIVE_INFINITY) - stretch * stretchBlocks;
    if (known <= 0 || !terms.includes(changeTerm)) return this.#having(stretch, terms);
    const others = terms.filter((term) => term !== changeTerm);
    return [
      ...this.#having(stretch, others).filter((block) => block < known),
      ...this.#having(stretch, terms).filter((block) => block >= known),
    ];
  }

  #having(stretch: number, terms: readonly string[]): readonly number[] {
    if (terms.length === 0) return all;
    const postings = terms.map((term) => this.#deps.store.posting(this.#row.id, stretch, term));
    return postings.every((posting) => posting !== undefined) ? commonBlocks(postings) : [];
  }

  /** The last block that may have what comes next, from the newest on. */
  #lastBlock(): number {
    const { search, from } = this.#deps;
    const { latest, mostBack } = this.#row;
    const { until } = search.filter;
    const most = Math.min(from?.latest ?? latest, until === undefined ? latest : until + mostBack);
    return this.#lastWhere((before) => before <= most);
  }

  /** The first block that may have what comes next, from the oldest on. */
  #firstBlock(): number {
    const { search, from } = this.#deps;
    const least = Math.max(from?.latest ?? 0, search.filter.since ?? 0);
    return this.#lastWhere((before) => before < least);
  }

  /** The last block of which this holds of the latest time before it; the first block if of none. */
  #lastWhere(holds: (latestBefore: number) => boolean): number {
    const { store } = this.#deps;
    const { id, seq, firstSeq } = this.#row;
    let [low, high] = [blockOf(firstSeq), blockOf(seq)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (holds(store.block(id, middle)?.latest ?? 0)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const all = Array.from({ length: stretchBlocks }, (_, i) => i);
