/**
 * What was used, by day and caller: records of a hundred rows each, which only one process writes. A day has a number
 * of rows and no more: then names fall together, and who asks is told so.
 */
import { createPauses } from '../../platform/async/pauses.ts';
import type { ArtifactStore } from '../storage/storage.ts';
import { addedRow, keyOfRow, otherCallers, otherNames, type UsageRow, type UsedBy } from './usage-row.ts';

/** Why not everything is told apart, or counted. */
export type Gap = 'callers' | 'names' | 'not-counted' | 'separate-proxies';

export interface UsageStoreDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'list' | 'readMany'>;
  /** So many days are kept. */
  readonly days: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Of one day, of all callers. */
const mostRows = 200_000;
/** Of one caller: nobody fills the day for the others. */
const mostOfOne = 20_000;
const chunkRows = 100;
const pageSize = 50;
const dayMs = 86_400_000;

interface Day {
  rows: number;
  gaps: readonly Gap[];
}

interface Chunk {
  readonly who: UsedBy;
  readonly rows: UsageRow[];
}

export function createUsageStore({ artifacts, days, now }: UsageStoreDeps) {
  return {
    /** Adds them to today. @throws {StorageUnavailableError} for those that are left, which it gives */
    async add(rows: readonly UsageRow[], gaps: readonly Gap[] = []): Promise<void> {
      const name = dayOf(now());
      const day = await readDay(name);
      const before = JSON.stringify(day);
      day.gaps = [...new Set([...day.gaps, ...gaps])];
      const byCaller = byCallerOf(rows);
      const pause = createPauses(1);
      try {
        for (const [who, own] of byCaller) {
          const left = await addOf(name, day, who, own);
          // Of callers who are too many to be told apart.
          if (left.length > 0) await addOf(name, day, otherCallers, left);
          byCaller.delete(who);
          await pause();
        }
      } catch (error) {
        throw new UnwrittenRowsError([...byCaller.values()].flat(), { cause: error });
      }
      if (JSON.stringify(day) !== before) await put('UsageDay', name, name, { ...day });
    },
    /**
     * Of the last so many days, today included: all rows, or those of one caller. As many at a time as are stored together:
     * a hundred at most, of one caller.
     */
    async *read(of: { readonly days: number; readonly who?: UsedBy }): AsyncGenerator<readonly UsageRow[]> {
      const names = namesOfDays(of.days);
      const chunks = of.who === undefined ? everyChunk(names) : chunksOfDays(names, of.who);
      for await (const { rows } of chunks) yield rows;
    },
    /** Why what is known of these days is not all. */
    async gaps(of: { readonly days: number }): Promise<readonly Gap[]> {
      const found = new Set<Gap>(days === 0 ? ['not-counted'] : []);
      for (const day of await readDays(namesOfDays(of.days)))
        for (const gap of day?.gaps ?? []) found.add(gap);
      return [...found].sort();
    },
    /** Whether anything was counted so many days ago, or before that, of what is kept. */
    async hasBefore(least: number): Promise<boolean> {
      const found = await readDays(namesOfDays(days).slice(least));
      return found.some((day) => day !== undefined);
    },
    /** The first moment of the first of so many days, epoch milliseconds. */
    since: (count: number): number => startOf(now()) - (Math.max(1, Math.min(count, days)) - 1) * dayMs,
    /** As many as are kept. */
    mostDays: days,
  };

  /** @returns rows for which there is no room but among all callers */
  async function addOf(
    name: string,
    day: Day,
    who: UsedBy,
    own: readonly UsageRow[],
  ): Promise<readonly UsageRow[]> {
    const chunks: Chunk[] = [];
    for await (const chunk of chunksOf(name, who)) chunks.push(chunk);
    const places = new Map<string, readonly [chunk: number, row: number]>();
    for (const [at, { rows }] of chunks.entries()) {
      for (const [place, row] of rows.entries()) places.set(keyOfRow(row), [at, place]);
    }
    const changed = new Set<number>();
    const left: UsageRow[] = [];
    for (const row of own) {
      const asIt: UsageRow = [who, ...(row.slice(1) as Rest)];
      const fitting = places.has(keyOfRow(asIt)) ? asIt : roomFor(asIt, day, places.size);
      if (fitting === undefined) left.push(row);
      else changed.add(merge(fitting, chunks, places, day));
    }
    for (const at of changed) await put(kindOf(name), idOf(who, at), name, { ...chunks[at]! });
    return left;
  }

  async function readDay(name: string): Promise<Day> {
    const { rows = 0, gaps = [] } = ((await artifacts.get('UsageDay', name))?.payload ?? {}) as Partial<Day>;
    return { rows, gaps };
  }

  /** In the order of the names. */
  async function readDays(names: readonly string[]): Promise<readonly (Partial<Day> | undefined)[]> {
    const { named } = await artifacts.readMany({ names: names.map((id) => ({ kind: 'UsageDay', id })) });
    return named.map((day) => day?.payload as Partial<Day> | undefined);
  }

  /** Of most callers a day is one chunk: those are read at once. */
  async function* chunksOfDays(names: readonly string[], who: UsedBy): AsyncGenerator<Chunk> {
    const { named } = await artifacts.readMany({
      names: names.map((name) => ({ kind: kindOf(name), id: idOf(who, 0) })),
    });
    for (const [n, name] of names.entries()) {
      const found = named[n];
      if (!found) continue;
      const first = chunkIn(found.payload);
      yield first;
      if (first.rows.length >= chunkRows) yield* chunksOf(name, who, 1);
    }
  }

  async function* chunksOf(name: string, who: UsedBy, first = 0): AsyncGenerator<Chunk> {
    for (let at = first; ; at++) {
      const found = await artifacts.get(kindOf(name), idOf(who, at));
      if (!found) return;
      yield chunkIn(found.payload);
    }
  }

  async function* everyChunk(names: readonly string[]): AsyncGenerator<Chunk> {
    const pause = createPauses(1);
    for (const name of names) {
      for (let after: string | undefined; ; ) {
        const page = await artifacts.list(kindOf(name), pageSize, after);
        for (const { artifact } of page) {
          yield chunkIn(artifact.payload);
          await pause();
        }
        if (page.length < pageSize) break;
        after = page.at(-1)!.key;
      }
    }
  }

  function put(kind: string, id: string, name: string, payload: Record<string, unknown>): Promise<void> {
    const expiresAt = (Date.parse(name) + (days + 1) * dayMs) / 1000;
    return artifacts.put(kind, id, { payload, expiresAt });
  }

  /** The newest first. */
  function namesOfDays(count: number): readonly string[] {
    const today = startOf(now());
    return Array.from({ length: Math.min(count, days) }, (_, back) => dayOf(today - back * dayMs));
  }
}

type Rest = [string, string, string, boolean, number, number, number, string | null];

/** Those that have not been written: they are to be added again. */
export class UnwrittenRowsError extends Error {
  override readonly name = 'UnwrittenRowsError';
  readonly rows: readonly UsageRow[];

  constructor(rows: readonly UsageRow[], options: ErrorOptions) {
    super('rows of what was used could not be written', options);
    this.rows = rows;
  }
}

function byCallerOf(rows: readonly UsageRow[]): Map<UsedBy, UsageRow[]> {
  const byCaller = new Map<UsedBy, UsageRow[]>();
  for (const row of rows) {
    const own = byCaller.get(row[0]);
    if (own) own.push(row);
    else byCaller.set(row[0], [row]);
  }
  return byCaller;
}

/** @returns the chunk that has changed */
function merge(
  row: UsageRow,
  chunks: Chunk[],
  places: Map<string, readonly [chunk: number, row: number]>,
  day: Day,
): number {
  const key = keyOfRow(row);
  if (row[3] === otherNames) note(day, 'names');
  if (row[0] === otherCallers) note(day, 'callers');
  const place = places.get(key);
  if (place) {
    const [at, index] = place;
    const { rows } = chunks[at]!;
    rows[index] = addedRow(rows[index]!, row);
    return at;
  }
  const last = chunks.at(-1);
  if (!last || last.rows.length >= chunkRows) chunks.push({ who: row[0], rows: [] });
  const at = chunks.length - 1;
  const { rows } = chunks[at]!;
  places.set(key, [at, rows.length]);
  rows.push(row);
  day.rows += 1;
  return at;
}

/** @returns undefined for a caller of whom there is nothing yet, where there is no room for further ones */
function roomFor(row: UsageRow, day: Day, own: number): UsageRow | undefined {
  if (day.rows < mostRows && own < mostOfOne) return row;
  if (own === 0 && row[0] !== otherCallers) return undefined;
  const [who, permission, structure, , ...rest] = row;
  return [who, permission, structure, otherNames, ...rest];
}

function note(day: Day, gap: Gap): void {
  if (!day.gaps.includes(gap)) day.gaps = [...day.gaps, gap];
}

/** Rows of the store are frozen, or shared with whoever else reads them. */
function chunkIn(payload: Readonly<Record<string, unknown>>): Chunk {
  const { who, rows } = payload as unknown as Chunk;
  return { who, rows: [...rows] };
}

function kindOf(day: string): string {
  return `Usage ${day}`;
}

function idOf(who: UsedBy, chunk: number): string {
  return `${who} ${chunk}`;
}

/** `2026-11-23`, UTC. */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function startOf(at: number): number {
  return at - (((at % dayMs) + dayMs) % dayMs);
}
