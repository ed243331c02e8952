/**
 * Which column is whose: a series keeps its own, and one that is not seen for longer than there is history gives it up. Where there
 * is no room, the one that was seen longest ago gives way, after two days.
 */
import { readFile, rename } from 'node:fs/promises';
import { writeTemporary } from '../../../platform/files/durable-file.ts';
import { mostSeries } from './files.ts';

export interface Column {
  readonly key: string;
  /** Days since 1970. */
  readonly lastDay: number;
  /** What stands in it from before is another's; epoch milliseconds. */
  readonly since?: number;
}

/** By their number; null: nobody's. */
export type Columns = readonly (Column | null)[];

const dayMs = 86_400_000;
/** Longer than any history. */
const storedDays = 32;
/** A member that restarts, or is away over night, finds its history again. */
const leastDays = 2;

/** @returns undefined where there is no file, or one that cannot be read: nobody knows then whose the columns are */
export async function readColumns(path: string): Promise<Columns | undefined> {
  try {
    const { columns } = JSON.parse(await readFile(path, 'utf8')) as { readonly columns: Columns };
    const isWhole = columns.length <= mostSeries && columns.every((one) => one === null || isColumn(one));
    return isWhole ? columns : undefined;
  } catch {
    return undefined;
  }
}

function isColumn({ key, lastDay, since = 0 }: Partial<Column>): boolean {
  return typeof key === 'string' && typeof lastDay === 'number' && typeof since === 'number';
}

export interface ColumnBook {
  /** @returns the columns of these series, as far as there are any; what is new is in the file by then */
  of(keys: readonly string[], now: number): Promise<ReadonlyMap<string, number>>;
}

/** @param found  as they are in the file */
export function openColumnBook(path: string, found: Columns): ColumnBook {
  let columns = [...found];
  let known = numbersOf(columns);
  let writtenOn = 0;

  return {
    async of(keys, now) {
      const today = Math.floor(now / dayMs);
      if (today === writtenOn && keys.every((key) => known.has(key))) return known;
      const next = withKeys(columns, keys, now);
      // A row is for who finds its columns in the file.
      if (JSON.stringify(next) !== JSON.stringify(columns)) {
        await rename(await writeTemporary(path, [`${JSON.stringify({ columns: next })}\n`]), path);
      }
      columns = next;
      known = numbersOf(columns);
      writtenOn = today;
      return known;
    },
  };
}

function withKeys(columns: Columns, keys: readonly string[], now: number): (Column | null)[] {
  const today = Math.floor(now / dayMs);
  const wanted = new Set(keys);
  const next = columns.map((column) => {
    if (column === null) return null;
    if (wanted.has(column.key)) return { ...column, lastDay: today };
    return Math.abs(today - column.lastDay) > storedDays ? null : column;
  });
  const there = new Set(next.map((column) => column?.key));
  for (const key of wanted) {
    if (there.has(key)) continue;
    const free = next.indexOf(null);
    if (free >= 0) next[free] = { key, lastDay: today };
    else if (next.length < mostSeries) next.push({ key, lastDay: today });
    else {
      const oldest = oldestOf(next, today - leastDays);
      if (oldest !== undefined) next[oldest] = { key, lastDay: today, since: now };
    }
  }
  return next;
}

/** The place of the one that was seen longest ago. @param lastDay  and not since */
function oldestOf(columns: Columns, lastDay: number): number | undefined {
  const [oldest] = [...columns.entries()]
    .filter(([, column]) => column !== null && column.lastDay <= lastDay)
    .sort(([, one], [, other]) => one!.lastDay - other!.lastDay);
  return oldest?.[0];
}

function numbersOf(columns: Columns): ReadonlyMap<string, number> {
  return new Map(
    columns.flatMap((column, number) => (column === null ? [] : [[column.key, number] as const])),
  );
}
