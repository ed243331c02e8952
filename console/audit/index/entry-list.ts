/**
 * Entries by filters, the newest first, of all writers together. The order is by the latest time that a writer had seen,
 * so that a clock that went back moves nothing: of each writer entries stay in the order in which they were written.
 */

import type { Entry } from '../entry.ts';
import { readEntry } from '../erased-entry.ts';
import { blockEntries, blockOf } from '../segments/segment-form.ts';
import type { BlockLines, BlockReader } from './block-source.ts';
import { type EntryFilter, isMatch, needlesOf, termsOfFilter } from './filter.ts';
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

export function listEntries({ filter, limit, from }: Asked, deps: ListDeps): Page {
  const search = createSearch(filter);
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
function createSearch(filter: EntryFilter) {
  const needles = needlesOf(filter)
    .map((needle) => Buffer.from(needle))
    .sort((one, other) => other.length - one.length);
  return {
    filter,
    terms: termsOfFilter(filter),
    checked: 0,
    possibleIn: (read: BlockLines) => possibleLines(read, needles),
  };
}

/**
 * Lines that have all needles, by looking for the longest one in all of the block: looking line by line costs more than to
 * decompress it.
 */
function* possibleLines({ bytes, lines }: BlockLines, needles: readonly Buffer[]): Generator<number, void> {
  const [longest, ...others] = needles;
  let at = -1;
  for (const [i, { start, end }] of lines.entries()) {
    if (longest) {
      if (at < start) at = bytes.indexOf(longest, start);
      if (at < 0) return;
      if (at >= end) continue;
    }
    if (others.length === 0 || hasAll(bytes.subarray(start, end), others)) yield i;
  }
}

function hasAll(line: Buffer, needles: readonly Buffer[]): boolean {
  return needles.every((needle) => line.includes(needle));
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
  readonly #blocks: Iterator<number>;
  #block: number | undefined;
  /** Of the block that has been read. */
  #found: Placed[] = [];
  readonly #times = createLineTimes();

  constructor(writer: string, row: WriterRow, deps: WriterDeps) {
    this.#writer = writer;
    this.#row = row;
    this.#deps = deps;
    this.#blocks = this.#candidates(this.#startBlock());
    this.#goOn();
  }

  /** @returns undefined when nothing was found there */
  take(): Entry | undefined {
    if (this.#block !== undefined) {
      this.#found = this.#read(this.#block);
      this.#block = undefined;
      this.#goOn();
      return undefined;
    }
    const taken = this.#found.pop();
    this.#goOn();
    return taken?.entry;
  }

  #goOn(): void {
    this.place = this.#found.at(-1)?.place;
    if (this.place) return;
    const { value, done } = this.#blocks.next();
    if (done) return;
    this.#block = value as number;
    this.place = this.#endOf(this.#block);
  }

  /** Nothing of the block is newer. */
  #endOf(block: number): Place {
    const { store, from } = this.#deps;
    const latest = store.block(this.#row.id, block + 1)?.latest ?? this.#row.latest;
    const end = { latest, writer: this.#writer, seq: (block + 1) * blockEntries - 1 };
    return from && comparePlaces(end, from) > 0 ? { ...from } : end;
  }

  #read(block: number): Placed[] {
    const { store, source, search, from } = this.#deps;
    const row = store.block(this.#row.id, block);
    const read = row && source.read(this.#writer, block, row);
    if (!read) return [];
    search.checked += read.lines.length;
    const found: Placed[] = [];
    let { latest } = row;
    let timed = 0;
    for (const i of search.possibleIn(read)) {
      const { seq, start, end } = read.lines[i]!;
      if (seq > this.#row.seq) break;
      for (; timed <= i; timed++) {
        const line = read.lines[timed]!;
        latest = Math.max(latest, this.#times.of(read.bytes, line.start, line.end));
      }
      const place = { latest, writer: this.#writer, seq };
      if (from && comparePlaces(place, from) > 0) break;
      const entry = readEntry(read.bytes.subarray(start, end));
      if (entry && isMatch(entry, search.filter)) found.push({ place, entry });
    }
    return found;
  }

  *#candidates(start: number): Generator<number, void> {
    const { store, search } = this.#deps;
    const { id, firstSeq } = this.#row;
    const first = blockOf(firstSeq);
    const { since } = search.filter;
    for (
      let stretch = Math.floor(start / stretchBlocks);
      stretch >= Math.floor(first / stretchBlocks);
      stretch--
    ) {
      const postings = search.terms.map((term) => store.posting(id, stretch, term));
      if (postings.some((posting) => !posting)) continue;
      const own = postings.length === 0 ? all : commonBlocks(postings as Buffer[]);
      for (let i = own.length - 1; i >= 0; i--) {
        const block = stretch * stretchBlocks + own[i]!;
        if (block > start) continue;
        if (block < first) return;
        if (since !== undefined && this.#endOf(block).latest < since) return;
        yield block;
      }
    }
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
