/** Writes the history of the main numbers: every five seconds a row, and one of mean, least and most every five minutes. */
import { mkdir, rm } from 'node:fs/promises';
import type { MainNumbers } from '../main-numbers.ts';
import { type ColumnBook, openColumnBook, readColumns } from './columns.ts';
import { coarseForm, fineForm, historyFiles, mostSeries } from './files.ts';
import { openRingWriter, type RingWriter, type Row, rowsOf, slotAt } from './ring-file.ts';
import { type Totals, valuesBetween } from './series.ts';

export interface HistoryDeps {
  readonly dataDir: string;
  /** By process: the numbers of each that answers. */
  readonly readNumbers: () => Promise<ReadonlyMap<number | string, MainNumbers>>;
  readonly readTotals: () => Promise<Totals>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { warn(fields: object, message: string): void };
}

export interface HistoryRecorder {
  /** Writes what is known by now, once for each slot. */
  record(): Promise<void>;
  close(): Promise<void>;
}

/** Records by itself until it is closed. @returns ends it, when the row that is under way is written */
export function startHistory(deps: HistoryDeps): () => Promise<void> {
  const { now, log } = deps;
  let recorder: Promise<HistoryRecorder> | undefined;
  let round = Promise.resolve();
  let isFailing = false;
  const work = async () => {
    try {
      recorder ??= openHistory(deps);
      await (await recorder).record();
      isFailing = false;
    } catch (error) {
      // The disk is full, or gone: nothing hangs on it, and it is tried again, with files opened anew.
      const former = recorder;
      recorder = undefined;
      await former?.then((opened) => opened.close()).catch(() => {});
      if (!isFailing) log.warn({ err: error }, 'the history of numbers cannot be written');
      isFailing = true;
    }
  };
  const slotMs = fineForm.slotSeconds * 1000;
  let timer: NodeJS.Timeout;
  const plan = () => {
    // Just after a slot has begun, so that it is about the one before.
    timer = setTimeout(
      () => {
        round = round.then(work).then(plan);
      },
      slotMs - (now() % slotMs) + 1,
    ).unref();
  };
  round = work().then(plan);
  return async () => {
    await round;
    clearTimeout(timer);
    await (await recorder?.catch(() => undefined))?.close();
  };
}

export async function openHistory(deps: HistoryDeps): Promise<HistoryRecorder> {
  const files = historyFiles(deps.dataDir);
  await mkdir(files.directory, { recursive: true, mode: 0o700 });
  const known = await readColumns(files.columns);
  // What nobody can tell apart any more is no history.
  if (!known) await Promise.all([files.fine, files.coarse].map((file) => rm(file, { force: true })));
  const columns = openColumnBook(files.columns, known ?? []);
  const fine = await openRingWriter(files.fine, fineForm);
  const coarse = await openRingWriter(files.coarse, coarseForm).catch((error) => closedAfter(error, fine));
  const spans = createSpans(coarse);
  await spans.takeUp(files.fine, deps.now()).catch((error) => closedAfter(error, fine, coarse));
  return recorderOf(deps, { columns, fine, spans, coarse });
}

/** Closes what was opened before, and goes on with the error. */
async function closedAfter(error: unknown, ...opened: readonly RingWriter[]): Promise<never> {
  await Promise.all(opened.map((writer) => writer.close()));
  throw error;
}

interface Parts {
  readonly columns: ColumnBook;
  readonly fine: RingWriter;
  readonly coarse: RingWriter;
  readonly spans: ReturnType<typeof createSpans>;
}

function recorderOf(deps: HistoryDeps, { columns, fine, coarse, spans }: Parts): HistoryRecorder {
  const { now, readNumbers, readTotals } = deps;
  let last:
    | {
        readonly at: number;
        readonly slot: number;
        readonly numbers: ReadonlyMap<number | string, MainNumbers>;
      }
    | undefined;

  return {
    async record() {
      const at = now();
      const slot = slotAt(fineForm, at);
      if (slot === last?.slot) return;
      const [numbers, totals] = await Promise.all([readNumbers(), readTotals()]);
      const before = last;
      last = { at, slot, numbers };
      // A rate needs two readings; where the clock was set back, it has no meaning.
      if (!before || at <= before.at) return;
      const values = valuesBetween(before.numbers, numbers, totals, (at - before.at) / 1000);
      const numberOf = await columns.of([...values.keys()], at);
      const row = new Float32Array(mostSeries).fill(Number.NaN);
      for (const [key, value] of values) {
        const column = numberOf.get(key);
        if (column !== undefined) row[column] = value;
      }
      // It is about the five seconds before now.
      await fine.write(slot - 1, row);
      await spans.add(slot - 1, row);
    },
    async close() {
      await Promise.all([fine.close(), coarse.close()]);
    },
  };
}

/** What five minutes come to. */
function createSpans(coarse: RingWriter) {
  const rowsEach = coarseForm.slotSeconds / fineForm.slotSeconds;
  const spanOf = (slot: number) => Math.floor(slot / rowsEach);
  let span: number | undefined;
  let rows: Row[] = [];

  return {
    /** After a start: what this span has had before it. */
    async takeUp(path: string, at: number): Promise<void> {
      const slot = slotAt(fineForm, at);
      span = spanOf(slot);
      rows = [];
      for await (const { row } of rowsOf(path, fineForm, span * rowsEach, slot)) rows.push(row);
    },
    /** A row each time, so that one that goes on is there up to now. */
    async add(slot: number, row: Row): Promise<void> {
      if (spanOf(slot) !== span) {
        span = spanOf(slot);
        rows = [];
      }
      rows.push(row);
      await coarse.write(span, summaryOf(rows));
    },
  };
}

/** Of each column: mean, least, most of what is known. */
function summaryOf(rows: readonly Row[]): Row {
  const summary = new Float32Array(coarseForm.values).fill(Number.NaN);
  for (let column = 0; column < mostSeries; column++) {
    let count = 0;
    let sum = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const row of rows) {
      const value = row[column]!;
      if (Number.isNaN(value)) continue;
      count++;
      sum += value;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    if (count > 0) summary.set([sum / count, least, most], column * 3);
  }
  return summary;
}
