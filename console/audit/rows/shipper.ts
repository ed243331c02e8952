/**
 * Copies what this console has written into its files to the database, in order and each once: how far it has come stands in
 * the row of the chain, which goes on in the statement that adds. What the database does not take waits in the files.
 */
import { createSerial } from '../../../platform/async/serial.ts';
import { takesNoWrites } from '../../storage/postgres/database-errors.ts';
import { linkCharacters } from '../chain.ts';
import type { KnownSegments } from '../index/known-segments.ts';
import type { Segment } from '../segments/segment-form.ts';
import { entriesIn, type StoredEntry } from '../segments/segment-reader.ts';
import type { ChainHead, ChainRows } from './chain-rows.ts';
import { type ChainEnd, createEntryRows, type EntryRow } from './entry-row.ts';

export interface ShipperDeps {
  readonly segments: KnownSegments;
  readonly chains: ChainRows;
  readonly log: (fields: object, message: string) => void;
  /** Gets where the chains end, at most once a second, and only behind something new. */
  readonly onHeads: (heads: readonly ChainHead[]) => void;
}

export type Shipper = ReturnType<typeof createShipper>;

const mostEntries = 500;
/** Of a database that is slow: it has two seconds for each batch. */
const fewestEntries = 20;
const mostBytes = 1024 * 1024;
const headsMs = 1000;
/** Without news: what was erased elsewhere is to leave the files of a console that writes nothing. */
const quietHeadsMs = 60_000;

export function createShipper({ segments, chains, log, onHeads }: ShipperDeps) {
  const inTurn = createSerial();
  const rows = createEntryRows();
  /** As the database has them, of writers whose files are here. */
  const ends = new Map<string, ChainEnd>();
  /** Files that have more than the database, perhaps. */
  const waiting = new Set<string>();
  /** What is in the files is not what the database has: said once. */
  const broken = new Set<string>();
  let most = mostEntries;
  let headsAt = Number.NEGATIVE_INFINITY;
  let seenAt = Number.NEGATIVE_INFINITY;
  let hasAdded = true;

  return {
    /** Resolves when the database has all that was in the files. @throws {StorageUnavailableError} */
    ship: () => inTurn(shipAll),
    /** The same, and while the database takes no writes what is new waits in the files. @throws {StorageUnavailableError} */
    shipIfTaken: () =>
      inTurn(shipAll).catch((error: unknown) => {
        if (!takesNoWrites(error)) throw error;
      }),
    /** Whether something in the files cannot be added to what the database has. */
    isBroken: () => broken.size > 0,
    /** Of each writer, the last that is in the database. */
    reached: (): Readonly<Record<string, number>> =>
      Object.fromEntries([...ends].map(([writer, { seq }]) => [writer, seq])),
  };

  async function shipAll(): Promise<void> {
    const writers = segments.writers();
    for (const writer of writers) if (segments.hasChanged(writer)) waiting.add(writer);
    try {
      for (const writer of waiting) {
        await shipWriter(writer);
        waiting.delete(writer);
      }
    } catch (error) {
      // Whether it was added is not known.
      ends.clear();
      most = Math.max(fewestEntries, Math.floor(most / 4));
      throw error;
    }
    const now = performance.now();
    const isDue = now - headsAt > (hasAdded ? headsMs : quietHeadsMs);
    if (!isDue) return;
    const isSeen = now - seenAt > quietHeadsMs;
    onHeads(await chains.heads(writers, isSeen));
    headsAt = now;
    if (isSeen) seenAt = now;
    hasAdded = false;
  }

  async function shipWriter(writer: string): Promise<void> {
    for (let end = await endOf(writer); end !== undefined; ) {
      const batch = nextBatch(writer, end);
      if (batch.rows.length === 0) return;
      const isAdded = await chains.add({ writer, before: end.seq, end: batch.end, rows: batch.rows });
      if (isAdded) {
        hasAdded = true;
        most = Math.min(mostEntries, 2 * most);
        ends.set(writer, batch.end);
        end = batch.end;
      } else {
        // Added before, by an answer that never came; or somebody else writes under this name.
        ends.delete(writer);
        end = await endOf(writer);
      }
    }
  }

  /** @returns undefined when these files do not go on from there */
  async function endOf(writer: string): Promise<ChainEnd | undefined> {
    const known = ends.get(writer);
    if (known) return known;
    const list = segments.of(writer);
    const found = (await chains.find(writer)) ?? (await begun(writer, list));
    if (!found) return undefined;
    if (!goesOnFrom(writer, list, found)) {
      sayBroken(writer, found.seq);
      return undefined;
    }
    const { seq, link, latest, mostBack } = found;
    const end = { seq, link, latest, mostBack };
    ends.set(writer, end);
    return end;
  }

  async function begun(writer: string, list: readonly Segment[]): Promise<ChainEnd | undefined> {
    const first = list[0]?.header;
    if (!first) return undefined;
    await chains.begin(writer, first.firstSeq, first.previous);
    return chains.find(writer);
  }

  function sayBroken(writer: string, seq: number): void {
    if (broken.has(writer)) return;
    broken.add(writer);
    log(
      { writer, seq },
      'entries of the audit do not follow those in the database: is this data directory the copy of another one?',
    );
  }

  function nextBatch(writer: string, before: ChainEnd): { rows: readonly EntryRow[]; end: ChainEnd } {
    const found: EntryRow[] = [];
    let bytes = 0;
    let end = before;
    for (const entry of entriesIn(segments.of(writer), writer, { from: before.seq + 1, onDamage() {} })) {
      if (entry.seq !== end.seq + 1) {
        sayBroken(writer, end.seq);
        break;
      }
      const next = rows.rowOf({ ...entry, stored: Buffer.from(entry.stored) }, end);
      found.push(next.row);
      end = next.end;
      bytes += entry.stored.length;
      if (found.length >= most || bytes > mostBytes) break;
    }
    return { rows: found, end };
  }
}

/** Whether files go on where a chain ends: its last entry is in them as it was written, or the first one comes behind it. */
export function goesOnFrom(
  writer: string,
  list: readonly Segment[],
  { seq, link }: Pick<ChainEnd, 'seq' | 'link'>,
): boolean {
  if (seq === 0) return true;
  const first = list.find(({ header }) => header)?.header?.firstSeq;
  if (first === undefined) return false;
  if (first === seq + 1) return true;
  return linkAt(writer, list, seq) === link;
}

function linkAt(writer: string, list: readonly Segment[], seq: number): string | undefined {
  const range = { from: seq, until: seq + 1, onDamage() {} };
  const [entry]: (StoredEntry | undefined)[] = [...entriesIn(list, writer, range)];
  return entry?.stored.toString('latin1', 0, linkCharacters);
}
