/** How soon a member that is drained at a console gets no calls any more. */
import { until } from '../helpers/store.ts';
import { call } from './support.ts';

/** For as long nothing has gone there before it is believed, milliseconds. */
const quietMs = 1_500;
const rounds = 3;

export interface CalledPlace {
  readonly url: string;
}

export interface DrainedMember {
  /** Whose answer says which member gave it. */
  readonly path: string;
  /** That of the member. */
  readonly answer: string;
  drain(): Promise<unknown>;
  undrain(): Promise<unknown>;
}

/**
 * Drains it several times, drained at last, while each place is called all the time. A machine that does much besides may
 * hold any of them up: the best of each is what the way itself takes.
 *
 * @returns of each place, milliseconds from the answer to the drain to the start of the last call that went there
 */
export async function lastCallsAtDrained(
  places: readonly CalledPlace[],
  token: string,
  member: DrainedMember,
): Promise<readonly number[]> {
  let best = places.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    await member.undrain();
    const lasts = await lastCalls(places, token, member);
    best = best.map((known, n) => Math.min(known, lasts[n]!));
  }
  return best;
}

async function lastCalls(
  places: readonly CalledPlace[],
  token: string,
  { path, answer: gone, drain }: DrainedMember,
): Promise<readonly number[]> {
  let drainedAt = Number.POSITIVE_INFINITY;
  const answeredThere = new Set<CalledPlace>();
  const watched = Promise.all(
    places.map(async (place) => {
      let last = 0;
      for (;;) {
        const begun = performance.now();
        const answer = await call(place, token, path);
        const text = await answer.text();
        if (answer.status !== 200) throw new Error(`${place.url}: ${answer.status} ${text}`);
        if (text === gone) answeredThere.add(place);
        if (text === gone && begun > drainedAt) last = begun - drainedAt;
        if (begun > drainedAt + last + quietMs) return last;
      }
    }),
  );
  const drained = until(
    async () => answeredThere.size === places.length,
    `answers of ${gone} everywhere`,
    20_000,
  )
    .then(drain)
    .then(() => {
      drainedAt = performance.now();
    });
  const [lasts] = await Promise.all([watched, drained]);
  return lasts;
}
