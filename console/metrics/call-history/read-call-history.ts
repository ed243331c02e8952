/** Reads the calls of a day of one client, map or queue from its ring, also beside the process that writes it. */
import { join } from 'node:path';
import { pointsOf } from '../history/points.ts';
import { type Row, rowsOf, slotAt } from '../history/ring-file.ts';
import {
  callHistoryFiles,
  clientForm,
  clientValues,
  presenceForm,
  ringName,
  type StructureRow,
  structureForm,
  structureValues,
} from './forms.ts';
import { newStructureCounts } from './minute-of-calls.ts';
import { type CallSeries, type CallSeriesName, type CallSubject, callSeriesOf } from './series-of-calls.ts';

export interface CallHistoryQuestion {
  readonly subject: CallSubject;
  /** Of those that its kind has. */
  readonly names: readonly CallSeriesName[];
  /** Epoch milliseconds, both. */
  readonly since: number;
  readonly until: number;
  /** Most points of each series. */
  readonly points: number;
}

export interface CallSeriesHistory {
  readonly name: CallSeriesName;
  /** Point by point; null: a hole. */
  readonly mean: readonly (number | null)[];
  readonly least: readonly (number | null)[];
  readonly most: readonly (number | null)[];
  /** Of what can be added up. */
  readonly sum: number | null;
}

export interface CallHistory {
  /** Of the first point, epoch milliseconds. */
  readonly from: number;
  readonly stepSeconds: number;
  /** False: there were more names than there is room for, so that calls may be missing. */
  readonly isWhole: boolean;
  readonly series: readonly CallSeriesHistory[];
}

export type ReadCallHistory = (question: CallHistoryQuestion) => Promise<CallHistory>;

const noRow: StructureRow = { ...newStructureCounts(), size: Number.NaN, waiting: Number.NaN };

/** @param now  epoch milliseconds */
export function createReadCallHistory(dataDir: string, now: () => number): ReadCallHistory {
  const files = callHistoryFiles(dataDir);

  return async ({ subject, names, since, until, points }) => {
    const first = slotAt(presenceForm, since);
    const last = Math.min(slotAt(presenceForm, until), slotAt(presenceForm, now()));
    const { from, slotsEach, count } = pointsOf(first, last, points);
    const rows = await rowsOfSubject(subject, first, last);
    const described = callSeriesOf(subject);
    const series = names.map((name) => ({ name, points: createPoints(described[name]!, count) }));
    let isWhole = true;
    for await (const { slot, row: presence } of rowsOf(files.presence, presenceForm, first, last)) {
      if (presence[0] === 0) isWhole = false;
      const row = rows.get(slot) ?? noRow;
      for (const { points: of } of series) of.add(Math.floor((slot - from) / slotsEach), row);
    }
    return {
      from: from * 60_000,
      stepSeconds: slotsEach * 60,
      isWhole,
      series: series.map(({ name, points: of }) => ({ name, ...of.values() })),
    };
  };

  async function rowsOfSubject({ kind, id }: CallSubject, first: number, last: number) {
    const [directory, form, places] =
      kind === 'client'
        ? [files.clients, clientForm, clientValues]
        : [files.structures, structureForm, structureValues];
    const rows = new Map<number, StructureRow>();
    for await (const { slot, row } of rowsOf(join(directory, ringName(id)), form, first, last)) {
      rows.set(slot, named(row, places));
    }
    return rows;
  }
}

function named(row: Row, places: readonly (keyof StructureRow)[]): StructureRow {
  return { ...noRow, ...Object.fromEntries(places.map((place, at) => [place, row[at]!])) };
}

/** Points of one series, while they are put together. */
function createPoints({ of, most = () => Number.NaN, hasSum }: CallSeries, count: number) {
  const sums = new Float64Array(count);
  const weights = new Float64Array(count);
  const least = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const largest = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  const known = (value: (point: number) => number) =>
    Array.from(weights, (weight, point) => (weight === 0 ? null : Number(value(point).toPrecision(6))));
  return {
    add(point: number, row: StructureRow): void {
      const [value, weight] = of(row);
      if (weight === 0) return;
      sums[point]! += value;
      weights[point]! += weight;
      const ofMost = most(row);
      least[point] = Math.min(least[point]!, value / weight);
      largest[point] = Math.max(largest[point]!, Number.isNaN(ofMost) ? value / weight : ofMost);
    },
    values: () => ({
      mean: known((point) => sums[point]! / weights[point]!),
      least: known((point) => least[point]!),
      most: known((point) => largest[point]!),
      sum: hasSum ? sums.reduce((total, value) => total + value, 0) : null,
    }),
  };
}
