/**
 * Tokens that clients got within the last hour, by the minute. Each process that writes has a record of its own for a
 * client, so that consoles on one database never write over each other; a reader adds them up.
 */
import { randomUUID } from 'node:crypto';
import type { ArtifactStore } from '../../storage/storage.ts';

type Stored = { readonly payload: Readonly<Record<string, unknown>> };

export interface TokenCountsDeps {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

type Minute = readonly [minute: number, tokens: number];

/** Of the records of a client. */
export const tokensKindOf = (clientId: string) => `ClientTokens ${clientId}`;
const minuteMs = 60_000;
const minutesShown = 60;
/** More than all consoles that can have written within an hour, each start of one counted anew. */
export const mostWriters = 200;

export function createTokenCounts({ artifacts, now }: TokenCountsDeps) {
  const writer = randomUUID();
  const thisMinute = () => Math.floor(now() / minuteMs);

  return {
    /** They count for the minute in which they are written. @throws {StorageUnavailableError} and has added none */
    async add(clientId: string, tokens: number): Promise<void> {
      const minute = thisMinute();
      const earlier = minutesIn(await artifacts.get(tokensKindOf(clientId), writer));
      const kept = earlier.filter(([at]) => at > minute - minutesShown);
      const last = kept.at(-1);
      const minutes: readonly Minute[] =
        last?.[0] === minute
          ? [...kept.slice(0, -1), [minute, last[1] + tokens]]
          : [...kept, [minute, tokens]];
      const expiresAt = (minute + minutesShown + 1) * (minuteMs / 1000);
      await artifacts.put(tokensKindOf(clientId), writer, { payload: { minutes }, expiresAt });
    },
    sumOf,
    /** Whether a client that got its last token then can have got any within the hour. */
    isWithin: (lastAt: number) => Math.floor(lastAt / minuteMs) >= thisMinute() - minutesShown - 1,
  };

  /**
   * @param records    of all that write for the client
   * @param createdAt  of the client, epoch milliseconds: what another of its id got earlier does not count
   */
  function sumOf(records: readonly Stored[], createdAt: number): number {
    const first = Math.max(thisMinute() - minutesShown, Math.floor(createdAt / minuteMs) - 1);
    return records
      .flatMap((record) => minutesIn(record))
      .filter(([at]) => at > first)
      .reduce((sum, [, tokens]) => sum + tokens, 0);
  }
}

function minutesIn(artifact: Stored | undefined) {
  return (artifact?.payload.minutes ?? []) as readonly Minute[];
}
