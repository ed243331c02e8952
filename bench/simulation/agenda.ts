/** What happens when, in simulated time: the earliest comes first. */

export type Happening = () => void;

export interface Agenda {
  /** Simulated microseconds since the beginning. */
  now(): number;
  /** @param delay  microseconds, 0 or more */
  after(delay: number, happens: Happening): void;
  /** Goes on until nothing is left, or until this moment. @returns how many have happened */
  runUntil(end: number): number;
}

/** A binary heap of moments, with what happens then beside it. */
export function createAgenda(): Agenda {
  const moments: number[] = [];
  const happenings: Happening[] = [];
  let at = 0;

  function swap(one: number, other: number): void {
    const moment = moments[one]!;
    const happens = happenings[one]!;
    moments[one] = moments[other]!;
    happenings[one] = happenings[other]!;
    moments[other] = moment;
    happenings[other] = happens;
  }

  function rise(from: number): void {
    for (let child = from; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (moments[parent]! <= moments[child]!) return;
      swap(parent, child);
      child = parent;
    }
  }

  function sink(): void {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      if (left >= moments.length) return;
      const least = left + 1 < moments.length && moments[left + 1]! < moments[left]! ? left + 1 : left;
      if (moments[parent]! <= moments[least]!) return;
      swap(parent, least);
      parent = least;
    }
  }

  function takeFirst(): Happening {
    const first = happenings[0]!;
    const lastMoment = moments.pop()!;
    const last = happenings.pop()!;
    if (moments.length > 0) {
      moments[0] = lastMoment;
      happenings[0] = last;
      sink();
    }
    return first;
  }

  return {
    now: () => at,
    after(delay, happens) {
      moments.push(at + delay);
      happenings.push(happens);
      rise(moments.length - 1);
    },
    runUntil(end) {
      let count = 0;
      while (moments.length > 0 && moments[0]! <= end) {
        at = moments[0]!;
        takeFirst()();
        count += 1;
      }
      at = end;
      return count;
    },
  };
}
