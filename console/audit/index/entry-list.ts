/**
 * Entries by filters, the newest first, of all writers together. The order is by the latest time that a writer had seen,
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
  /** Entries from here on; by default from the newest. */
  readonly from?: Place | undefined;
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

export function listEntries({ filter, limit, from }: Asked, deps: ListDeps): Page {
  const search = createSearch(filter, limit);
  const sources = [...deps.rows].map(
    ([writer, row]) => new WriterEntries(writer, row, { ...deps, search, from }),
  );
  const entries: Entry[] = [];
  for (;;) {
    const newest = newestOf(sources);
    if (!newest) return { entries };
    if (entries.length === limit || search.checked >= mostChecked) return { entries, next: newest.place };
    const entry = newest.take();
    if (entry) entries.push(entry);
    search.wanted = limit - entries.length;
  }
}

function newestOf(sources: readonly WriterEntries[]): (WriterEntries & { place: Place }) | undefined {
  let newest: WriterEntries | undefined;
  for (const source of sources) {
    if (source.place && (!newest?.place || comparePlaces(source.place, newest.place) > 0)) newest = source;
  }
  return newest as (WriterEntries & { place: Place }) | undefined;
}

export function comparePlaces(one: Place, other: Place): number {
  if (one.latest !== other.latest) return one.latest - other.latest;
  if (one.writer !== other.writer) return one.writer < other.writer ? -1 : 1;
  return one.seq - other.seq;
}

/** What is asked for, in the forms in which it is checked for. */
function createSearch(filter: EntryFilter, limit: number) {
  const needles = needlesOf(filter)
    .map((needle) => Buffer.from(needle))
    .sort((one, other) => other.length - one.length);
  return { filter, needles, terms: termsOfFilter(filter), checked: 0, wanted: limit };
}

interface Placed {
  readonly place: Place;
  readonly entry: Entry;
}

interface WriterDeps extends Omit<ListDeps, 'rows'> {
  readonly search: ReturnType<typeof createSearch>;
  readonly from: Place | undefined;
}

/** Of one writer, newest first: a block is read when nothing newer is left elsewhere. */
class WriterEntries {
  /** Of its next entry, or where that is at the most; undefined when there is none. */
  place: Place | undefined;
  readonly #writer: string;
  readonly #row: WriterRow;
  readonly #deps: WriterDeps;
  readonly #blocks: BlockQueue;
  /** Whether its next entry is at most in a block that has not been taken. */
  #isAhead = false;
  /** Of the block that was taken last. */
  #found: Placed[] = [];
  /** Blocks that were taken, and the entries in them. */
  #taken = { blocks: 0, entries: 0 };
  readonly #times = createLineTimes();

  constructor(writer: string, row: WriterRow, deps: WriterDeps) {
    this.#writer = writer;
    this.#row = row;
    this.#deps = deps;
    this.#blocks = new BlockQueue(this.#candidates(this.#startBlock()), (blocks) => this.#readAll(blocks));
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
    if (block !== undefined) this.place = this.#endOf(block);
  }

  /** Nothing of the block is newer. */
  #endOf(block: number): Place {
    const { store, from } = this.#deps;
    const latest = store.block(this.#row.id, block + 1)?.latest ?? this.#row.latest;
    const end = { latest, writer: this.#writer, seq: (block + 1) * blockEntries - 1 };
    return from && comparePlaces(end, from) > 0 ? { ...from } : end;
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
    return found;
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
      if (from && comparePlaces(place, from) > 0) break;
      const entry = readEntry(read.bytes.subarray(line.start, line.end));
      if (entry && isMatch(entry, search.filter)) found.push({ place, entry });
    }
    return found;
  }

  *#candidates(start: number): Generator<number, void> {
    const { since } = this.#deps.search.filter;
    const { firstSeq } = this.#row;
    const first = blockOf(firstSeq);
    for (
      let stretch = Math.floor(start / stretchBlocks);
      stretch >= Math.floor(first / stretchBlocks);
      stretch--
    ) {
      const own = this.#candidatesIn(stretch);
      for (let i = own.length - 1; i >= 0; i--) {
        const block = stretch * stretchBlocks + own[i]!;
        if (block > start) continue;
        if (block < first) return;
        if (since !== undefined && this.#endOf(block).latest < since) return;
        yield block;
      }
    }
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

  /** The last block that may have what comes next. */
  #startBlock(): number {
    const { store, search, from } = this.#deps;
    const { id, seq, firstSeq, latest, mostBack } = this.#row;
    const { until } = search.filter;
    const most = Math.min(from?.latest ?? latest, until === undefined ? latest : until + mostBack);
    let [low, high] = [blockOf(firstSeq), blockOf(seq)];
    // The last one before which nothing was later.
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((store.block(id, middle)?.latest ?? 0) <= most) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const all = Array.from({ length: stretchBlocks }, (_, i) => i);
