/**
 * Names of maps and queues that have been called through the console: members tell none over REST
 * (docs/admin-api.md#maps-and-queues), so who looks for one is shown what others have used.
 */
import type { CallRecord } from '../../member-proxy/call-record.ts';
import type { Registry } from '../storage/storage.ts';

export type CalledStructures = ReturnType<typeof createCalledStructures>;

export type StructureKind = 'map' | 'queue';

const recordId = 'called-structures';
const dayMs = 24 * 3600 * 1000;
const mostDays = 30;
/** Of each kind; the ones called last stay. */
const mostNames = 500;
/** New names are kept together, milliseconds. */
const settleMs = 500;
const beginnings = [
  ['map', '/rest/maps/'],
  ['queue', '/rest/queues/'],
] as const;

/** Names by kind, with the day of the last call, counted from 1970. */
type Days = Record<StructureKind, Record<string, number>>;

export interface CalledStructuresDeps {
  readonly registry: Registry;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createCalledStructures({ registry, now }: CalledStructuresDeps) {
  /** Those that this process has reported of today. */
  let reported = { day: 0, names: new Set<string>() };
  let unreported: { readonly kind: StructureKind; readonly name: string }[] = [];

  return {
    /** Costs a look into a set for nearly every call. */
    record({ path, decision, status }: Pick<CallRecord, 'path' | 'decision' | 'status'>): void {
      if (decision !== 'forwarded' || status === 0 || status >= 300) return;
      for (const [kind, beginning] of beginnings) {
        const at = path.indexOf(beginning);
        if (at >= 0) see(kind, nameAt(path, at + beginning.length));
      }
    },
    /** The same of a call through another process. @param structure  `map:orders` */
    recordNamed(structure: string): void {
      const at = structure.indexOf(':');
      const kind = structure.slice(0, at);
      if (kind !== 'map' && kind !== 'queue') return;
      const encoded = encodedName(structure.slice(at + 1));
      if (encoded !== undefined) see(kind, encoded);
    },
    /** By the name; `lastCallOn` is the day's first moment, epoch milliseconds. */
    list(kind: StructureKind): readonly { readonly name: string; readonly lastCallOn: number }[] {
      const first = dayOf(now()) - mostDays;
      return Object.entries(stored()[kind])
        .filter(([, day]) => day >= first)
        .map(([name, day]) => ({ name, lastCallOn: day * dayMs }));
    },
  };

  function see(kind: StructureKind, encoded: string): void {
    const day = dayOf(now());
    if (reported.day !== day) reported = { day, names: new Set() };
    const key = `${kind} ${encoded}`;
    if (reported.names.has(key) || reported.names.size >= 2 * mostNames) return;
    reported.names.add(key);
    const name = decoded(encoded);
    if (name === undefined) return;
    unreported.push({ kind, name });
    if (unreported.length === 1) setTimeout(report, settleMs).unref();
  }

  function report(): void {
    const names = unreported;
    unreported = [];
    const day = dayOf(now());
    if (names.every(({ kind, name }) => stored()[kind][name] === day)) return;
    // What is not kept is reported again by a call of tomorrow.
    registry
      .update((transaction) => {
        const value = daysIn(transaction.get('settings', recordId)?.value);
        for (const { kind, name } of names) value[kind][name] = day;
        transaction.put('settings', { id: recordId, value: newest(value, day - mostDays) });
      })
      .catch(() => {});
  }

  function stored(): Days {
    return daysIn(registry.get('settings', recordId)?.value);
  }
}

function daysIn(value: unknown): Days {
  const { map = {}, queue = {} } = (value ?? {}) as Partial<Days>;
  const without = (days: Record<string, number>) => Object.assign(Object.create(null), days);
  return { map: without(map), queue: without(queue) };
}

function newest(days: Days, since: number): Days {
  const some = (of: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(of)
        .filter(([, day]) => day >= since)
        .sort(([, one], [, other]) => other - one)
        .slice(0, mostNames),
    );
  return { map: some(days.map), queue: some(days.queue) };
}

function nameAt(path: string, from: number): string {
  const end = path.indexOf('/', from);
  return end < 0 ? path.slice(from) : path.slice(from, end);
}

function encodedName(name: string): string | undefined {
  try {
    return encodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name) || undefined;
  } catch {
    return undefined;
  }
}

function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}
