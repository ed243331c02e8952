/** Reads the history of the main numbers from its files, also beside the process that writes them. */
import { createPauses } from '../../../platform/async/pauses.ts';
import { readColumns } from './columns.ts';
import { coarseForm, fineForm, historyFiles } from './files.ts';
import { pointsOf } from './points.ts';
import { type RingForm, type Row, rowsOf, slotAt } from './ring-file.ts';
import { keyOf, type SeriesId, type SeriesName, seriesOf } from './series.ts';

export interface HistoryQuestion {
  /** Empty: all that are known. */
  readonly names: readonly SeriesName[];
  /** Of series of members: that one's alone. */
  readonly member?: string | undefined;
  /** Epoch milliseconds, both. */
  readonly since: number;
  readonly until: number;
  /** Most points of each series. */
  readonly points: number;
}

/** Point by point; null: a hole. */
export interface SeriesHistory extends SeriesId {
  readonly mean: readonly (number | null)[];
  readonly least: readonly (number | null)[];
  readonly most: readonly (number | null)[];
}

export interface History {
  /** Of the first point, epoch milliseconds. */
  readonly from: number;
  readonly stepSeconds: number;
  readonly series: readonly SeriesHistory[];
}

export type ReadHistory = (question: HistoryQuestion) => Promise<History>;

interface Ring {
  readonly path: string;
  readonly form: RingForm;
  /** Mean, least, most of a column in a row. */
  readonly valuesOf: (row: Row, column: number) => readonly [number, number, number];
}

/** @param now  epoch milliseconds */
export function createReadHistory(dataDir: string, now: () => number): ReadHistory {
  const files = historyFiles(dataDir);
  const fine: Ring = {
    path: files.fine,
    form: fineForm,
    valuesOf: (row, column) => [row[column]!, row[column]!, row[column]!],
  };
  const coarse: Ring = {
    path: files.coarse,
    form: coarseForm,
    valuesOf: (row, column) => [row[column * 3]!, row[column * 3 + 1]!, row[column * 3 + 2]!],
  };
  const fineMs = fineForm.slots * fineForm.slotSeconds * 1000;

  return async ({ names, member, since, until, points }) => {
    // Where a point is of five minutes or more, there are sums of that already.
    const isCoarse = since < now() - fineMs || until - since >= points * coarseForm.slotSeconds * 1000;
    const ring = isCoarse ? coarse : fine;
    const begin = slotAt(ring.form, since);
    const last = Math.min(slotAt(ring.form, until), slotAt(ring.form, now()));
    const { from, slotsEach, count } = pointsOf(begin, last, points);
    const columns = await columnsOf(files.columns, names, member);
    const collected = columns.map(({ id, column, since: known }) => ({
      ...{ id, column },
      first: slotAt(ring.form, known),
      cells: createCells(count),
    }));
    const pause = createPauses();
    for await (const { slot, row } of rowsOf(ring.path, ring.form, begin, last)) {
      const point = Math.floor((slot - from) / slotsEach);
      for (const { column, first, cells } of collected) {
        if (slot >= first) cells.add(point, ring.valuesOf(row, column));
      }
      await pause();
    }
    return {
      from: from * ring.form.slotSeconds * 1000,
      stepSeconds: slotsEach * ring.form.slotSeconds,
      series: collected.map(({ id, cells }) => ({ ...id, ...cells.values() })),
    };
  };
}

async function columnsOf(path: string, names: readonly SeriesName[], member: string | undefined) {
  const columns = (await readColumns(path)) ?? [];
  const found = columns.flatMap((known, column) => {
    const id = known ? seriesOf(known.key) : undefined;
    return id ? [{ id, column, since: known?.since ?? 0 }] : [];
  });
  return found
    .filter(({ id }) => names.length === 0 || names.includes(id.name))
    .filter(({ id }) => member === undefined || id.member === undefined || id.member === member)
    .sort((one, other) => (keyOf(one.id) < keyOf(other.id) ? -1 : 1));
}

/** Points of one series, while they are put together. */
function createCells(points: number) {
  const sums = new Float64Array(points);
  const counts = new Uint32Array(points);
  const least = new Float64Array(points).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(points).fill(Number.NEGATIVE_INFINITY);
  const known = (values: Float64Array) =>
    Array.from(values, (value, point) => (counts[point] === 0 ? null : rounded(value)));
  return {
    add(point: number, [mean, low, high]: readonly [number, number, number]): void {
      if (Number.isNaN(mean)) return;
      sums[point]! += mean;
      counts[point]!++;
      least[point] = Math.min(least[point]!, low);
      most[point] = Math.max(most[point]!, high);
    },
    values: () => ({
      mean: known(sums.map((sum, point) => sum / counts[point]!)),
      least: known(least),
      most: known(most),
    }),
  };
}

/** As many digits as are kept. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
