/** Keeps the index up with the files, a slice at a time: at the start it catches up, and what is wrong is made anew. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { linkCharacters } from '../chain.ts';
import { readEntry } from '../erased-entry.ts';
import { blockEntries, blockOf, type Segment } from '../segments/segment-form.ts';
import { entriesIn, lineOf, type StoredEntry } from '../segments/segment-reader.ts';
import { changeNeedle, changeTerm, termsOf } from './filter.ts';
import type { BlockRow, IndexChanges, IndexStore, WriterRow } from './index-store.ts';
import type { KnownSegments } from './known-segments.ts';

export interface IndexerDeps {
  readonly store: IndexStore;
  readonly segments: KnownSegments;
}

/** Between two slices whoever asks has a turn. */
const sliceEntries = 512;
/** Transactions are synced: one for many slices. */
const commitEntries = 8192;
/** So many blocks are looked through for changes at once: who asks meanwhile waits for them. */
const filledBlocks = 64;

export function createIndexer({ store, segments }: IndexerDeps) {
  let rows = new Map<string, WriterRow>();
  const nextIds = { id: 1 };
  let work: Promise<void> | undefined;
  let isWhole = false;
  let isFilling = false;
  let isStopped = false;

  return {
    /** What is indexed, by writer. */
    rows: (): ReadonlyMap<string, WriterRow> => rows,
    /** Whether it has caught up once since the start. */
    isWhole: () => isWhole,
    /** Until what is written now is in the index. */
    async catchUp(): Promise<void> {
      await inTurn(catchUp);
      if (!isFilling) fillIn().catch(() => {}); // what can still be read is asked for by the next who comes
    },
    /** Until the index knows of all blocks which have changes; who asks has a turn in between. */
    fillIn,
    /** What is under way ends with the next slice. */
    async stop(): Promise<void> {
      isStopped = true;
      await work?.catch(() => {});
    },
  };

  async function inTurn(run: () => Promise<void>): Promise<void> {
    // What runs may have passed what is asked for.
    await work;
    work ??= run().finally(() => {
      work = undefined;
    });
    await work;
  }

  async function catchUp(): Promise<void> {
    if (!isWhole) await load();
    for (const writer of segments.writers()) {
      if (isStopped) return;
      if (!segments.hasChanged(writer)) continue;
      await catchUpOf(writer);
    }
    isWhole = true;
  }

  /** An index of other files than these, or of more than there is, is none. */
  async function load(): Promise<void> {
    rows = new Map([...store.writers()].map(([writer, row]) => [writer, withChanges(row)]));
    const isOfThese = [...rows].every(([writer, row]) =>
      isStillThere(segments.of.bind(segments), writer, row),
    );
    if (!isOfThese) {
      await store.drop();
      rows = new Map();
    }
    nextIds.id = 1 + Math.max(0, ...[...rows.values()].map(({ id }) => id));
  }

  /** What an earlier version has indexed: entries are found without, and faster with it. */
  async function fillIn(): Promise<void> {
    isFilling = true;
    try {
      while (!isStopped && [...rows.values()].some(isUnfilled)) {
        await inTurn(fillSome);
        await nextTurn();
      }
    } finally {
      isFilling = false;
    }
  }

  /** The newest first. */
  async function fillSome(): Promise<void> {
    const [writer, row] = [...rows].find(([, one]) => isUnfilled(one)) ?? [];
    if (writer === undefined || !row?.changes) return;
    const { from: end, until } = row.changes;
    const from = Math.max(blockOf(row.firstSeq), end - filledBlocks);
    const range = { from: from * blockEntries, until: Math.min(end * blockEntries, row.seq + 1) };
    const found: number[] = [];
    for (const stored of entriesIn(segments.of(writer), writer, { ...range, onDamage() {} })) {
      const block = blockOf(stored.seq);
      if (found.at(-1) !== block && block >= from && block < end && isChange(stored)) found.push(block);
    }
    const filled = { ...row, changes: { from, until } };
    await store.add({ name: writer, row: filled, blocks: new Map(), terms: new Map([[changeTerm, found]]) });
    rows.set(writer, filled);
  }

  async function catchUpOf(writer: string): Promise<void> {
    const list = segments.of(writer);
    let row = rows.get(writer) ?? emptyRow();
    const firstSeq = list[0]?.header?.firstSeq ?? row.firstSeq;
    if (firstSeq > row.firstSeq && row.seq > 0) {
      row = { ...row, firstSeq };
      while (!isStopped && !(await store.removeBefore(row.id, blockOf(firstSeq)))) await nextTurn();
    }
    for (;;) {
      const batch = createBatch(writer, row);
      await fill(batch, list, row.seq + 1);
      if (batch.count > 0) await store.add(batch.changes());
      row = batch.row();
      rows.set(writer, row);
      if (batch.count < commitEntries || isStopped) break;
    }
  }

  async function fill(batch: Batch, list: readonly Segment[], from: number): Promise<void> {
    for (const entry of entriesIn(list, batch.name, { from, onDamage() {} })) {
      batch.add(entry);
      if (batch.count % sliceEntries === 0) await nextTurn();
      if (batch.count >= commitEntries || isStopped) return;
    }
  }

  function emptyRow(): WriterRow {
    return {
      id: nextIds.id++,
      seq: 0,
      link: '',
      latest: 0,
      mostBack: 0,
      firstSeq: 0,
      changes: { from: 0, until: 0 },
    };
  }
}

/** Of an earlier version: nothing of what it has indexed is known to have no changes. */
function withChanges(row: WriterRow): WriterRow {
  if (row.changes?.until === row.seq) return row;
  return { ...row, changes: { from: blockOf(row.seq) + 1, until: row.seq } };
}

function isUnfilled({ changes, firstSeq, seq }: WriterRow): boolean {
  return seq > 0 && changes !== undefined && changes.from > blockOf(firstSeq);
}

function isChange(stored: StoredEntry): boolean {
  const line = lineOf(stored);
  return line.includes(changeNeedle) && readEntry(line)?.change !== undefined;
}

type Batch = ReturnType<typeof createBatch>;

function createBatch(name: string, before: WriterRow) {
  const row: { -readonly [Name in keyof WriterRow]: WriterRow[Name] } = { ...before };
  let count = 0;
  let last: StoredEntry | undefined;
  const blocks = new Map<number, BlockRow>();
  const terms = new Map<string, number[]>();
  let block = row.seq > 0 ? blockOf(row.seq) : -1;

  return {
    name,
    get count() {
      return count;
    },
    add(stored: StoredEntry) {
      const { seq } = stored;
      if (Number.isNaN(seq)) return;
      count++;
      const own = blockOf(seq);
      if (own !== block) {
        blocks.set(own, { segment: stored.segment, offset: stored.offset, latest: row.latest });
      }
      block = own;
      last = stored;
      row.seq = seq;
      if (row.firstSeq === 0) row.firstSeq = seq;
      const entry = readEntry(lineOf(stored));
      if (!entry) return;
      const time = Date.parse(entry.time) || 0;
      row.latest = Math.max(row.latest, time);
      row.mostBack = Math.max(row.mostBack, row.latest - time);
      for (const term of termsOf(entry)) addTo(terms, term, own);
    },
    /** The row as it is when this is in the index. */
    row: (): WriterRow => ({
      ...row,
      link: last?.stored.toString('latin1', 0, linkCharacters) ?? row.link,
      ...(row.changes && { changes: { from: row.changes.from, until: row.seq } }),
    }),
    changes(): IndexChanges {
      return { name, row: this.row(), blocks, terms };
    },
  };
}

function addTo(terms: Map<string, number[]>, term: string, block: number): void {
  const blocks = terms.get(term);
  if (!blocks) terms.set(term, [block]);
  else if (blocks.at(-1) !== block) blocks.push(block);
}

/** Of what was indexed last; what retention has taken away needs no longer be there. */
function isStillThere(
  segmentsOf: (writer: string) => readonly Segment[],
  writer: string,
  { seq, link }: WriterRow,
): boolean {
  let list: readonly Segment[];
  try {
    list = segmentsOf(writer);
  } catch {
    return false; // no such writer
  }
  for (const { stored } of entriesIn(list, writer, { from: seq, until: seq + 1, onDamage() {} })) {
    return stored.toString('latin1', 0, linkCharacters) === link;
  }
  return (list[0]?.header?.firstSeq ?? 0) > seq;
}
