/** Reads that go on and on while something happens to the members. */
import { ask, type WireAnswer } from '../../helpers/wire.ts';

export interface Read {
  readonly path: string;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly answer: WireAnswer;
}

export interface SteadyLoad {
  /** Those that have ended, in that order. */
  reads(): readonly Read[];
  /** How many have begun after a moment and have ended. */
  countAfter(moment: number): number;
  /** Ends it when those under way have ended. */
  stop(): Promise<readonly Read[]>;
}

/** @param paths  asked for in turn, by each of the readers from another place on */
export function startLoad(
  origin: string,
  token: string,
  paths: readonly string[],
  readers: number,
): SteadyLoad {
  const done: Read[] = [];
  let isOver = false;
  const read = async (first: number) => {
    for (let turn = first; !isOver; turn += 1) {
      const path = paths[turn % paths.length]!;
      const startedAt = performance.now();
      const answer = await ask(origin, 'GET', path, { headers: { Authorization: `Bearer ${token}` } });
      done.push({ path, startedAt, endedAt: performance.now(), answer });
      // Steady, not as fast as can be: the members and the console share two cores with the test.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const running = Promise.all(Array.from({ length: readers }, (_, i) => read(i)));
  return {
    reads: () => done,
    countAfter: (moment) => done.filter(({ startedAt }) => startedAt > moment).length,
    async stop() {
      isOver = true;
      await running;
      return done;
    },
  };
}
