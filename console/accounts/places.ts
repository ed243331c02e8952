/** Places for work that costs much, for those first whom it is most likely to serve. */
import { ProblemError, problems } from '../../platform/errors.ts';

/**
 * Who waits: a browser or network that is known to the account, an address without failures, one with some.
 * What an administrator or a session does counts as known.
 */
export type Standing = 'known' | 'clean' | 'suspect';

export interface Turn {
  readonly standing: Standing;
  /** Those of one group wait for each other: many addresses of one network do not keep another one waiting. */
  readonly group: string;
}

const order: readonly Standing[] = ['known', 'clean', 'suspect'];

export interface Places {
  /** @throws {ProblemError} `busy` when too many wait; at once, or when somebody of a higher standing comes */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly start: () => void;
  readonly reject: (reason: ProblemError) => void;
}

/** One line for each group, in the order in which they are served. */
type Lines = Map<string, Waiting[]>;

/**
 * Runs at most `size` pieces of work at once and keeps `maxWaiting` in line: each standing behind those above
 * it, and its groups in turn. When there are more, the last one of the longest line of the lowest standing
 * gives way.
 */
export function createPlaces(size: number, maxWaiting: number): Places {
  const all: Readonly<Record<Standing, Lines>> = { known: new Map(), clean: new Map(), suspect: new Map() };
  let busy = 0;
  let waiting = 0;

  return {
    async run(turn, work) {
      if (busy < size) busy++;
      else await waitFor(turn);
      try {
        return await work();
      } finally {
        const next = takeNext();
        if (next) next.start();
        else busy--;
      }
    },
  };

  function waitFor({ standing, group }: Turn): Promise<void> {
    return new Promise((start, reject) => {
      const lines = all[standing];
      const line = lines.get(group) ?? [];
      line.push({ start, reject });
      lines.set(group, line);
      if (++waiting > maxWaiting) takeLast().reject(tooMany());
    });
  }

  function takeNext(): Waiting | undefined {
    for (const standing of order) {
      const lines = all[standing];
      for (const [group, line] of lines) {
        waiting--;
        const next = line.shift();
        // Behind the others, until it is its turn again.
        lines.delete(group);
        if (line.length > 0) lines.set(group, line);
        return next;
      }
    }
    return undefined;
  }

  function takeLast(): Waiting {
    const lowest = all[order.findLast((standing) => all[standing].size > 0)!];
    const [group, line] = [...lowest].reduce((one, other) => (other[1].length > one[1].length ? other : one));
    waiting--;
    const last = line.pop()!;
    if (line.length === 0) lowest.delete(group);
    return last;
  }
}

function tooMany(): ProblemError {
  return new ProblemError(problems.busy, 'Too many sign-ins at this moment.', {
    headers: { 'Retry-After': '2' },
  });
}
