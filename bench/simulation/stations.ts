/** What work waits for: processors, connections, a disk. First come, first served. */
import type { Agenda, Happening } from './agenda.ts';

export interface Station {
  /** Takes one place for so many microseconds, when there is one. */
  serve(micros: number, done: Happening): void;
  /** Places are busy to this share, from 0 to 1, since {@link Station.forget}. */
  busy(): number;
  forget(): void;
}

/** So many places side by side. */
export function createStation(agenda: Agenda, places: number): Station {
  const waiting = new Queue<readonly [number, Happening]>();
  let free = places;
  let busyMicros = 0;
  let since = 0;

  function start(micros: number, done: Happening): void {
    free -= 1;
    busyMicros += micros;
    agenda.after(micros, () => {
      free += 1;
      const next = waiting.take();
      if (next) start(...next);
      done();
    });
  }

  return {
    serve(micros, done) {
      if (free > 0) start(micros, done);
      else waiting.add([micros, done]);
    },
    busy: () => busyMicros / places / Math.max(1, agenda.now() - since),
    forget() {
      busyMicros = 0;
      since = agenda.now();
    },
  };
}

export interface Places {
  /** @param given  called with what gives the place back */
  take(given: (giveBack: Happening) => void): void;
}

/** Places that are held for as long as whoever has one wants, as connections are. */
export function createPlaces(count: number): Places {
  const waiting = new Queue<(giveBack: Happening) => void>();
  let free = count;

  function giveBack(): void {
    const next = waiting.take();
    if (next) next(giveBack);
    else free += 1;
  }

  return {
    take(given) {
      if (free === 0) return waiting.add(given);
      free -= 1;
      given(giveBack);
    },
  };
}

export interface Disk extends Omit<Station, 'serve'> {
  /** Done when it is on the disk: all that waits goes there in one write. */
  flush(done: Happening): void;
}

/** @param micros  of one write, whoever is in it */
export function createDisk(agenda: Agenda, micros: number): Disk {
  const station = createStation(agenda, 1);
  let waiting: Happening[] = [];
  let isWriting = false;

  function write(): void {
    const written = waiting;
    waiting = [];
    isWriting = written.length > 0;
    if (!isWriting) return;
    station.serve(micros, () => {
      write();
      for (const done of written) done();
    });
  }

  return {
    busy: station.busy,
    forget: station.forget,
    flush(done) {
      waiting.push(done);
      if (!isWriting) write();
    },
  };
}

/** Taken from the front without moving the rest. */
class Queue<T> {
  #items: T[] = [];
  #first = 0;

  add(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    if (this.#first === this.#items.length) return undefined;
    const item = this.#items[this.#first]!;
    this.#first += 1;
    if (this.#first > 1024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
