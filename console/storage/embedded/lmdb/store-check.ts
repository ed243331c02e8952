/** Reads everything that lies in LMDB, a slice at a time, and holds up nobody. */
import { setTimeout as delay } from 'node:timers/promises';
import { countKeysOf, indexKeysOf } from '../../engine/record-indexes.ts';
import { type GrowingCollection, growingCollections } from '../../record-store.ts';
import type { StoreCheck } from '../../storage.ts';
import { type Entry, indexKeys } from './artifact-entries.ts';
import { presentKeys } from './index-filling.ts';
import type { Environment, LmdbKey } from './lmdb-environment.ts';
import { isWholeRecord, wholeRecord } from './record-codec.ts';
import { type StoredRecord, sequenceKey } from './record-databases.ts';

/** Entries that are read at once: about 2 ms. */
const sliceSize = 200;
/** Between two slices where nobody waits for the end: a million records take nine minutes and a fiftieth of a processor. */
const restMs = 100;
/** Of what is wrong, so many are named. */
const mostNamed = 20;

const withSums = ['artifacts', ...growingCollections] as const;
type WithSums = (typeof withSums)[number];

/**
 * @param signal  ends it early
 * @returns how many records there are whose sum does not fit
 */
export async function countDamaged(environment: Environment, signal?: AbortSignal): Promise<number> {
  let damaged = 0;
  for (const name of withSums) {
    const bytes = environment.bytes(name);
    const visit = (key: LmdbKey, value: Buffer) => {
      if (!isWholeRecord(key, value)) damaged++;
    };
    // Ends by itself: nobody stays for it.
    const rest = () => delay(restMs, undefined, { ref: false });
    await walk(environment, (options) => bytes.under([], options), visit, { rest, signal });
  }
  return damaged;
}

/** Each record by its sum, each way to it, each entry of an index by what it leads to, and the counts. */
export async function checkStore(environment: Environment): Promise<StoreCheck> {
  const found = { records: 0, damaged: 0, unindexed: 0, stray: 0 };
  const named: string[] = [];
  const indexes = {
    artifacts: environment.database<true>('artifact-index'),
    records: environment.database<true>('record-index'),
  };
  const bytes = {
    artifacts: environment.bytes('artifacts'),
    users: environment.bytes('users'),
    clients: environment.bytes('clients'),
  };
  const meta = environment.database<number>('record-meta');
  const sequence = () => environment.read(() => meta.get(sequenceKey));
  const before = sequence();
  const databases = { index: indexes.records, meta };
  const counted = new Map<string, number>();

  function report(what: 'damaged' | 'unindexed' | 'stray', where: string): void {
    found[what]++;
    if (named.length < mostNamed) named.push(`${what}: ${where}`);
  }

  for (const name of withSums) {
    const index = name === 'artifacts' ? indexes.artifacts : indexes.records;
    const visit = (key: LmdbKey, value: Buffer) => {
      found.records++;
      const record = decoded(key, value);
      if (record === undefined) return report('damaged', `${name} ${key.join(' ')}`);
      // What is still being filled in is not missing.
      const due = presentKeys(databases, {
        index: waysTo(name, key, record),
        counts: countsOf(name, record),
      });
      for (const way of due.index) {
        if (!index.get(way)) report('unindexed', `${name} ${key.join(' ')} by ${way[0]}`);
      }
      for (const each of due.counts) counted.set(textOf(each), (counted.get(textOf(each)) ?? 0) + 1);
    };
    await walk(environment, (options) => bytes[name].under([], options), visit);
  }
  for (const [of, index] of Object.entries(indexes)) {
    const visit = (way: LmdbKey) => {
      const isRight = targetsOf(of === 'artifacts', way).some(({ name, key }) => {
        const record = decoded(key, bytes[name].get(key));
        return record !== undefined && waysTo(name, key, record).some((own) => isSame(own, way));
      });
      if (!isRight) report('stray', `${of} ${way.join(' ')}`);
    };
    await walk(environment, (options) => index.under([], options), visit);
  }

  const recorded = environment.read(() =>
    [...meta.under(['count'])].map(({ key, value }) => [textOf(key), value] as const),
  );
  // Counts of a store that has changed meanwhile are of no single moment.
  const isStill = sequence() === before;
  return { ...found, miscounted: isStill ? differing(counted, new Map(recorded)) : 0, named };
}

function decoded(key: LmdbKey, value: Buffer | undefined): unknown {
  return value && wholeRecord(key, value);
}

function waysTo(name: WithSums, key: LmdbKey, record: unknown): readonly LmdbKey[] {
  if (name === 'artifacts') return indexKeys(String(key[0]), String(key[1]), record as Entry);
  return indexKeysOf(name, (record as StoredRecord<never>).record);
}

function countsOf(name: WithSums, record: unknown): readonly LmdbKey[] {
  return name === 'artifacts' ? [] : countKeysOf(name, (record as StoredRecord<never>).record);
}

/** What an entry of an index may lead to. */
function targetsOf(
  isOfArtifacts: boolean,
  way: LmdbKey,
): { readonly name: WithSums; readonly key: LmdbKey }[] {
  if (!isOfArtifacts)
    return growingCollections.map((name: GrowingCollection) => ({ name, key: way.slice(-1) }));
  const kind = way[0] === 'uid' || way[0] === 'account' ? way[1]! : way[2]!;
  return [{ name: 'artifacts', key: [kind, way.at(-1)!] }];
}

function differing(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => one.get(key) !== other.get(key)).length;
}

interface WalkOptions {
  readonly rest?: () => Promise<unknown>;
  readonly signal?: AbortSignal | undefined;
}

type Slice<V> = (options: {
  readonly limit: number;
  readonly from?: LmdbKey;
}) => Iterable<{ readonly key: LmdbKey; readonly value: V }>;

async function walk<V>(
  environment: Environment,
  slice: Slice<V>,
  visit: (key: LmdbKey, value: V) => void,
  { rest = () => new Promise((resolve) => setImmediate(resolve)), signal }: WalkOptions = {},
): Promise<void> {
  let last: LmdbKey | undefined;
  while (!signal?.aborted) {
    const from = last;
    const entries = environment.read(() => {
      const copied = [...slice({ limit: sliceSize, ...(from ? { from } : {}) })];
      for (const { key, value } of copied) if (!from || !isSame(key, from)) visit(key, value);
      return copied;
    });
    if (entries.length < sliceSize) return;
    last = entries.at(-1)!.key;
    await rest();
  }
}

function isSame(one: LmdbKey, other: LmdbKey): boolean {
  return textOf(one) === textOf(other);
}

function textOf(key: LmdbKey): string {
  return key.join('\0');
}
