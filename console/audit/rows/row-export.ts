/** A part of an export of the rows: chain after chain, each as it was written. */
import { type Database, statement } from '../../storage/postgres/database.ts';
import { prefixBytes } from '../chain.ts';
import { checkpointEvent, readCheckpoint } from '../checkpoint.ts';
import { erasedHash, readEntry } from '../erased-entry.ts';
import { cefLine } from '../formats/cef.ts';
import { chainHead, createChainedLines } from '../formats/chained-lines.ts';
import { csvHead, csvRow } from '../formats/csv.ts';
import { type EntryFilter, isMatch } from '../index/filter.ts';
import type { Asks, ExportPlace, Gets } from '../reader/questions.ts';
import { type ChainRow, readChains } from './chain-rows.ts';
import { termOf } from './entry-row.ts';
import { entryOf } from './row-list.ts';

interface ExportedRow {
  readonly seq: number;
  readonly repeats: boolean;
  readonly stored: Buffer;
  /** `c` before it, where the chain begins with it. */
  readonly previous: Buffer | null;
}

const partEntries = 1000;

const readPart = statement(
  'audit_part',
  `select entry.seq, repeats, stored, case when entry.seq = first_seq then first_c end as previous
    from audit_entry entry join audit_chain on audit_chain.id = entry.chain
    where writer = $1 and entry.seq between $2 and $3 order by entry.seq limit ${partEntries}`,
);

/** The last before a time: it has the whole hash of the entry before it, so whoever checks the chain can begin there. */
const checkpointBefore = statement(
  'audit_checkpoint_before',
  `select seq from audit_entry where event = $1 and chain = $2 and latest < $3
    order by latest desc, chain desc, seq desc limit 1`,
);

export interface RowExportDeps {
  readonly database: Pick<Database, 'run'>;
  /** Of the console. */
  readonly version: string;
}

export async function exportRows(
  { format, filter, place }: Asks<'export'>,
  { database, version }: RowExportDeps,
): Promise<Gets<'export'>> {
  const { from, until } = place ?? (await startOf(filter, database));
  const writer = Object.keys(from).sort()[0];
  const head = !place && format === 'csv' ? csvHead() : '';
  if (writer === undefined) return { text: head };
  const { rows } = await database.run<ExportedRow>(readPart, [writer, from[writer], until[writer]]);
  const body = format === 'jsonl' ? chained(writer, rows, filter) : plain(format, rows, filter, version);
  const { [writer]: _done, ...others } = from;
  const left = rows.length < partEntries ? others : { ...others, [writer]: rows.at(-1)!.seq + 1 };
  const text = head + body;
  return Object.keys(left).length === 0 ? { text } : { text, place: { from: left, until } };
}

async function startOf({ since }: EntryFilter, database: Pick<Database, 'run'>): Promise<ExportPlace> {
  const from: Record<string, number> = {};
  const until: Record<string, number> = {};
  for (const chain of await readChains(database)) {
    const isOlder = since !== undefined && chain.latest < since;
    if (isOlder || chain.firstSeq > chain.seq) continue;
    from[chain.writer] = await firstSince(chain, since, database);
    until[chain.writer] = chain.seq;
  }
  return { from, until };
}

async function firstSince(
  { id, firstSeq }: ChainRow,
  since: number | undefined,
  database: Pick<Database, 'run'>,
): Promise<number> {
  if (since === undefined) return firstSeq;
  const { rows } = await database.run<{ seq: number }>(checkpointBefore, [checkpointTerm, id, since]);
  return rows[0]?.seq ?? firstSeq;
}

function plain(
  format: 'csv' | 'cef',
  rows: readonly ExportedRow[],
  filter: EntryFilter,
  version: string,
): string {
  const found = rows.flatMap(({ stored, repeats }) => {
    const entry = repeats ? undefined : entryOf(stored);
    return entry && isMatch(entry, filter) ? [entry] : [];
  });
  return found.map((entry) => (format === 'csv' ? csvRow(entry) : `${cefLine(entry, version)}\n`)).join('');
}

/** What is signed stays, so that whoever checks an export has all of it. */
function chained(writer: string, rows: readonly ExportedRow[], filter: EntryFilter): string {
  const lines = createChainedLines(writer);
  for (const { seq, repeats, stored } of rows) {
    const line = stored.toString('utf8', prefixBytes);
    const entry = readEntry(line);
    const isAsked = entry !== undefined && !repeats && isMatch(entry, filter);
    if (isAsked || entry?.event === checkpointEvent) lines.add(line);
    else lines.leaveOut(seq, stored.subarray(prefixBytes), erasedHash(stored));
  }
  return headOf(writer, rows[0]) + lines.text();
}

/** Where the chain begins, and where a check-point says what was before it. */
function headOf(writer: string, first: ExportedRow | undefined): string {
  if (!first) return '';
  const signed = readCheckpoint(first.stored.toString('utf8', prefixBytes));
  const previous = first.previous ?? signed?.c;
  return previous ? chainHead(writer, first.seq, previous) : '';
}

const checkpointTerm = termOf(checkpointEvent);
