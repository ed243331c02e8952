/**
 * Since when what was issued counts, of the accounts and clients that have lost something within the life of a token;
 * whoever is not named has lost nothing. Asked on every call, so it answers from memory, and its size is bounded: above
 * the bound the oldest marks become one time for everybody, before which nothing counts (fail closed). People then get
 * new tokens by their refresh tokens, and machines ask again.
 */
import type { Party, VoidFloor, VoidMark } from '../../accounts/void-marks.ts';

export interface VoidMemoryDeps {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Most marks of one kind of party. */
  readonly limit?: number;
}

interface Entry {
  /** Epoch seconds; Infinity: nothing counts. */
  readonly from: number;
  /** Epoch seconds of the last thing that was made void: what counts again later is not older. */
  readonly least: number;
  readonly until: number;
}

interface PartyVoids {
  readonly entries: Map<string, Entry>;
  before: number;
  /** Epoch seconds. */
  checkedAt: number;
}

export type VoidMemory = ReturnType<typeof createVoidMemory>;

const usualLimit = 200_000;
/** Entries that have not expired, and stand before some that have. */
const passedOver = 16;

export function createVoidMemory({ now, limit = usualLimit }: VoidMemoryDeps) {
  const ofParty: Readonly<Record<Party, PartyVoids>> = {
    account: { entries: new Map(), before: 0, checkedAt: 0 },
    client: { entries: new Map(), before: 0, checkedAt: 0 },
  };
  const { account, client } = ofParty;

  return {
    /** @param iat  epoch seconds */
    isVoid(clientId: string, sub: string, iat: number): boolean {
      return isBefore(client, clientId, iat) || (sub !== clientId && isBefore(account, sub, iat));
    },
    /** Epoch seconds from which on it counts, Infinity for never; undefined for whoever has lost nothing. */
    from: (party: Party, id: string): number | undefined => ofParty[party].entries.get(id)?.from,
    /**
     * Takes over a mark; what was void stays void, also when the mark says less.
     *
     * @returns the mark as it holds from then on; undefined when nothing is different
     */
    add({ party, id, from, until }: VoidMark): VoidMark | undefined {
      const { entries } = ofParty[party];
      const known = entries.get(id);
      const least = Math.max(known?.least ?? 0, from ?? Math.floor(now() / 1000));
      const entry = { from: from === undefined ? Number.POSITIVE_INFINITY : least, least, until };
      if (known?.from === entry.from) return undefined;
      // To the end: the order of the map is nearly the order in which entries expire.
      entries.delete(id);
      entries.set(id, entry);
      forgetExpired(ofParty[party]);
      return asVoidMark(party, id, entry);
    },
    /** Takes over what another memory says, whatever was known. */
    replace({ party, id, from, until }: VoidMark): void {
      const { entries } = ofParty[party];
      const least = from ?? Math.floor(now() / 1000);
      entries.delete(id);
      entries.set(id, { from: from ?? Number.POSITIVE_INFINITY, least, until });
      forgetExpired(ofParty[party]);
    },
    /** What was issued to anybody before that time is void. */
    raise,
    /** Makes room if there are too many. @returns what is void for everybody from then on, where it has changed */
    makeRoom(): VoidFloor[] {
      return (['account', 'client'] as const).flatMap((party) => {
        const { entries } = ofParty[party];
        if (entries.size <= limit) return [];
        const before = dropOldest(entries, Math.ceil(limit / 2));
        raise({ party, before });
        return [{ party, before }];
      });
    },
    /** Everything that holds. */
    *all(): Iterable<VoidMark> {
      const seconds = now() / 1000;
      for (const party of ['account', 'client'] as const) {
        for (const [id, entry] of ofParty[party].entries) {
          if (entry.until >= seconds) yield asVoidMark(party, id, entry);
        }
      }
    },
    floors: (): VoidFloor[] =>
      (['account', 'client'] as const)
        .map((party) => ({ party, before: ofParty[party].before }))
        .filter(({ before }) => before > 0),
    size: (party: Party): number => ofParty[party].entries.size,
  };

  function isBefore({ entries, before }: PartyVoids, id: string, iat: number): boolean {
    if (iat < before) return true;
    if (entries.size === 0) return false;
    const entry = entries.get(id);
    return entry !== undefined && iat < entry.from;
  }

  function raise({ party, before }: VoidFloor): void {
    ofParty[party].before = Math.max(ofParty[party].before, before);
  }

  /** Once a second: what is removed from the front of a map is passed over by who looks there next. */
  function forgetExpired(voids: PartyVoids): void {
    const seconds = Math.floor(now() / 1000);
    if (seconds === voids.checkedAt) return;
    voids.checkedAt = seconds;
    let passed = 0;
    for (const [id, { until }] of voids.entries) {
      if (until < seconds) voids.entries.delete(id);
      else if (passed++ > passedOver) return;
    }
  }
}

/** @returns the time before which all that they said, and more, is void */
function dropOldest(entries: Map<string, Entry>, remaining: number): number {
  let before = 0;
  for (const [id, { least }] of entries) {
    if (entries.size <= remaining) break;
    entries.delete(id);
    // The second of the loss itself is void too.
    before = Math.max(before, least + 1);
  }
  return before;
}

function asVoidMark(party: Party, id: string, { from, until }: Entry): VoidMark {
  return { party, id, until, ...(Number.isFinite(from) ? { from } : {}) };
}
