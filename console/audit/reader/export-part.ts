/** A part of an export: so much of the files as takes a moment. Writer after writer, each as it was written. */

import { prefixBytes } from '../chain.ts';
import type { Entry } from '../entry.ts';
import { erasedHash, readEntry } from '../erased-entry.ts';
import { cefLine } from '../formats/cef.ts';
import { chainHead, createChainedLines } from '../formats/chained-lines.ts';
import { csvHead, csvRow } from '../formats/csv.ts';
import { isMatch, needlesOf } from '../index/filter.ts';
import type { WriterRow } from '../index/index-store.ts';
import type { KnownSegments } from '../index/known-segments.ts';
import { blockEntries, blockOf } from '../segments/segment-form.ts';
import { entriesIn, lineOf, type StoredEntry } from '../segments/segment-reader.ts';
import type { Asks, ExportPlace, Gets } from './questions.ts';

export interface ExportDeps {
  readonly segments: KnownSegments;
  readonly rows: ReadonlyMap<string, WriterRow>;
  /** The latest time of an entry before a block; undefined: there is no such block. */
  readonly latestBefore: (writer: number, block: number) => number | undefined;
  /** Of the console. */
  readonly version: string;
}

const partEntries = 1024;
const partCharacters = 128 * 1024;
/** Signed, so whoever checks an export has to have all of them. */
const checkpoint = Buffer.from('"event":"audit.checkpoint"');

export function exportPart({ format, filter, place }: Asks<'export'>, deps: ExportDeps): Gets<'export'> {
  const { from, until } = place ?? startOf({ format, filter }, deps);
  const writer = Object.keys(from).sort()[0];
  const head = !place && format === 'csv' ? csvHead() : '';
  if (writer === undefined) return { text: head };
  const out = format === 'jsonl' ? chained(writer, from[writer]!, deps) : plain(format, deps.version);
  const needles = needlesOf(filter).map((needle) => Buffer.from(needle));
  let seq = from[writer]!;
  let checked = 0;
  let isDone = true;
  const range = { from: seq, until: until[writer]! + 1, onDamage() {} };
  for (const stored of entriesIn(deps.segments.of(writer), writer, range)) {
    if (Number.isNaN(stored.seq)) continue;
    const entry = needles.every((needle) => stored.stored.includes(needle))
      ? readEntry(lineOf(stored))
      : undefined;
    if (entry && isMatch(entry, filter)) out.add(entry, stored);
    else out.leaveOut(stored);
    seq = stored.seq + 1;
    if (++checked < partEntries && out.size() < partCharacters) continue;
    isDone = false;
    break;
  }
  const { [writer]: _done, ...others } = from;
  const left = isDone ? others : { ...others, [writer]: seq };
  const text = head + out.text();
  return Object.keys(left).length === 0 ? { text } : { text, place: { from: left, until } };
}

/** What is older than all that is asked for is left out, but whoever checks the chain begins with a segment. */
function startOf(
  { format, filter: { since } }: Pick<Asks<'export'>, 'format' | 'filter'>,
  deps: ExportDeps,
): ExportPlace {
  const from: Record<string, number> = {};
  const until: Record<string, number> = {};
  for (const [writer, row] of deps.rows) {
    const first = since === undefined ? row.firstSeq : firstSince(row, since, deps);
    if (first > row.seq) continue;
    const segments = deps.segments.of(writer);
    const segment = segments.findLast(({ header }) => header && header.firstSeq <= first) ?? segments[0];
    from[writer] = format === 'jsonl' ? (segment?.header?.firstSeq ?? first) : first;
    until[writer] = row.seq;
  }
  return { from, until };
}

function firstSince({ id, firstSeq, seq }: WriterRow, since: number, { latestBefore }: ExportDeps): number {
  let [low, high] = [blockOf(firstSeq), blockOf(seq)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((latestBefore(id, middle + 1) ?? Number.POSITIVE_INFINITY) < since) low = middle + 1;
    else high = middle;
  }
  return Math.max(firstSeq, low * blockEntries);
}

interface Output {
  add(entry: Entry, stored: StoredEntry): void;
  leaveOut(stored: StoredEntry): void;
  size(): number;
  text(): string;
}

function plain(format: 'csv' | 'cef', version: string): Output {
  let text = '';
  return {
    add(entry) {
      text += format === 'csv' ? csvRow(entry) : `${cefLine(entry, version)}\n`;
    },
    leaveOut() {},
    size: () => text.length,
    text: () => text,
  };
}

function chained(writer: string, first: number, { segments }: ExportDeps): Output {
  const lines = createChainedLines(writer);
  const begun = segments.of(writer).find(({ header }) => header?.firstSeq === first);
  const head = begun?.header ? chainHead(writer, first, begun.header.previous) : '';
  let size = 0;
  return {
    add(_entry, stored) {
      lines.add(lineOf(stored));
      size += stored.stored.length;
    },
    leaveOut(stored) {
      if (stored.stored.includes(checkpoint)) lines.add(lineOf(stored));
      else lines.leaveOut(stored.seq, stored.stored.subarray(prefixBytes), erasedHash(stored.stored));
      size += 44;
    },
    size: () => size,
    text: () => head + lines.text(),
  };
}
