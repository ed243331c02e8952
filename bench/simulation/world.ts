/** Consoles, their database and a proxy: what there is to wait for, and what is counted. */
import type { Agenda, Happening } from './agenda.ts';
import type { Figures } from './figures.ts';
import { createDisk, createPlaces, createStation, type Places, type Station } from './stations.ts';

export interface ConsoleProcess {
  readonly processor: Station;
  readonly hashing: Station;
  readonly pool: Places;
  /** Changes up to this one it has read. */
  known: number;
  /** Changes that it has made and not told of yet: when each was made. */
  unannounced: number[];
  isReading: boolean;
  /** Somebody told of changes while it was reading. */
  hasMissed: boolean;
}

export interface Outcome {
  /** Simulated seconds that were measured. */
  readonly seconds: number;
  readonly events: number;
  /** From 0 to 1, by the name of what may be the limit. */
  readonly busy: Readonly<Record<string, number>>;
  /** Milliseconds that each took, ascending, by name. */
  readonly took: Readonly<Record<string, Float64Array>>;
  /** Processors of the database that each kind of work takes, by name. */
  readonly database: Readonly<Record<string, number>>;
  /** Rows of changes that consoles read again and again. */
  readonly changeRowsReadPerSecond: number;
}

export const second = 1_000_000;

export type World = ReturnType<typeof createWorld>;

/** @param count  of consoles */
export function createWorld({ micros, installation }: Figures, count: number, agenda: Agenda) {
  const database = createStation(agenda, installation.databaseProcessors);
  const disk = createDisk(agenda, micros.databaseFlush);
  // Proxies have nothing in common, so one of them shows how all are.
  const proxy = createStation(agenda, 1);
  const consoles = Array.from(
    { length: count },
    (): ConsoleProcess => ({
      processor: createStation(agenda, 1),
      hashing: createStation(agenda, installation.hashThreads),
      pool: createPlaces(installation.poolPerConsole),
      known: 0,
      unannounced: [],
      isReading: false,
      hasMissed: false,
    }),
  );
  let took = new Map<string, number[]>();
  let changeRowsRead = 0;
  let databaseMicros = new Map<string, number>();
  let changes = 0;
  /** Each change has its number until its commit: nobody else makes one meanwhile. */
  const changeClock = createPlaces(1);

  return {
    ...{ consoles, proxy, database, disk, changeClock },
    record(name: string, startedAt: number): void {
      const list = took.get(name) ?? [];
      list.push((agenda.now() - startedAt) / 1000);
      took.set(name, list);
    },
    /** Work of the database, counted under its name. */
    ask(name: string, work: number, done: Happening): void {
      databaseMicros.set(name, (databaseMicros.get(name) ?? 0) + work);
      database.serve(work, done);
    },
    change(): void {
      changes += 1;
    },
    /** @returns rows that this console finds which it has not read yet */
    readChanges(one: ConsoleProcess): number {
      const rows = changes - one.known;
      one.known = changes;
      changeRowsRead += rows;
      return rows;
    },
    forget(): void {
      took = new Map();
      changeRowsRead = 0;
      databaseMicros = new Map();
      for (const each of [database, disk, proxy]) each.forget();
      for (const { processor, hashing } of consoles) {
        processor.forget();
        hashing.forget();
      }
    },
    outcome: (seconds: number, events: number): Outcome => ({
      ...{ seconds, events },
      busy: {
        'database, processors': database.busy(),
        'database, disk': disk.busy(),
        'consoles, main thread': mean(consoles.map(({ processor }) => processor.busy())),
        'consoles, hashing': mean(consoles.map(({ hashing }) => hashing.busy())),
        'a proxy': proxy.busy(),
      },
      took: Object.fromEntries([...took].map(([name, list]) => [name, Float64Array.from(list).sort()])),
      database: Object.fromEntries(
        [...databaseMicros].map(([name, micros]) => [name, micros / seconds / second]),
      ),
      changeRowsReadPerSecond: changeRowsRead / seconds,
    }),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
