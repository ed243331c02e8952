/** What the calls of one minute came to, by client and by map and queue: plain values that one process can send another. */

export interface ClientCounts {
  fine: number;
  /** Answered with 400 to 499. */
  denied: number;
  /** Answered with 500 or more, or not at all. */
  failed: number;
}

export interface StructureCounts extends ClientCounts {
  /** Reads of a map that found an entry; polls that were given an item. */
  found: number;
  /** Reads and polls that found none. */
  missed: number;
  /** Entries that were put, items that were offered. */
  written: number;
  /** Values that were read or put and whose size is known, and the bytes of all and of the largest. */
  values: number;
  valueBytes: number;
  mostBytes: number;
}

export interface MinuteOfCalls {
  readonly clients: readonly (readonly [id: string, counts: ClientCounts])[];
  /** By `map:orders`, `queue:jobs`. */
  readonly structures: readonly (readonly [id: string, counts: StructureCounts])[];
  /** Polls that wait now, by `queue:jobs`. */
  readonly waiting: readonly (readonly [id: string, polls: number])[];
  /** False: there were more combinations than a minute tells apart, so that these are too few. */
  readonly isWhole: boolean;
}

export const noMinute: MinuteOfCalls = { clients: [], structures: [], waiting: [], isWhole: true };

export function newClientCounts(): ClientCounts {
  return { fine: 0, denied: 0, failed: 0 };
}

export function newStructureCounts(): StructureCounts {
  return {
    ...newClientCounts(),
    found: 0,
    missed: 0,
    written: 0,
    values: 0,
    valueBytes: 0,
    mostBytes: 0,
  };
}

export function addClientCounts(sum: ClientCounts, { fine, denied, failed }: ClientCounts): void {
  sum.fine += fine;
  sum.denied += denied;
  sum.failed += failed;
}

export function addStructureCounts(sum: StructureCounts, counts: StructureCounts): void {
  addClientCounts(sum, counts);
  sum.found += counts.found;
  sum.missed += counts.missed;
  sum.written += counts.written;
  sum.values += counts.values;
  sum.valueBytes += counts.valueBytes;
  sum.mostBytes = Math.max(sum.mostBytes, counts.mostBytes);
}

/** The same minute of several processes as one. */
export function sumOfMinutes(all: readonly MinuteOfCalls[]): MinuteOfCalls {
  const clients = new Map<string, ClientCounts>();
  const structures = new Map<string, StructureCounts>();
  const waiting = new Map<string, number>();
  for (const minute of all) {
    for (const [id, counts] of minute.clients) addClientCounts(of(clients, id, newClientCounts), counts);
    for (const [id, counts] of minute.structures) {
      addStructureCounts(of(structures, id, newStructureCounts), counts);
    }
    for (const [id, polls] of minute.waiting) waiting.set(id, (waiting.get(id) ?? 0) + polls);
  }
  return {
    clients: [...clients],
    structures: [...structures],
    waiting: [...waiting],
    isWhole: all.every(({ isWhole }) => isWhole),
  };
}

function of<Counts>(map: Map<string, Counts>, id: string, make: () => Counts): Counts {
  let counts = map.get(id);
  if (counts === undefined) {
    counts = make();
    map.set(id, counts);
  }
  return counts;
}
