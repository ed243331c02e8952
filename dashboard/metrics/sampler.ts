/** One look at the cluster for one person: everything that the page shows, and a sample for its plots. */
import type { Renewal } from '../identity/renewal.ts';
import type { Session } from '../identity/sessions.ts';
import {
  type Cluster,
  type ClusterFacts,
  type Entry,
  type Health,
  type Reading,
  TokenRejectedError,
} from './cluster.ts';
import type { History } from './history.ts';
import type { WatchedEntry } from './watched.ts';

export interface Snapshot {
  readonly at: number;
  readonly facts: Reading<ClusterFacts>;
  readonly health: Reading<Health>;
  readonly version: Reading<string>;
  readonly queues: ReadonlyMap<string, Reading<number>>;
  /** Null: there is no such entry. */
  readonly entries: readonly (WatchedEntry & { readonly reading: Reading<Entry | null> })[];
}

export interface Sampler {
  /** @throws {SessionOverError} */
  sample(session: Session): Promise<Snapshot>;
  /** After a change of one's own: the next look is a new one. */
  forget(session: Session): void;
  /** Calls with a token that is good, and once more with a new one when it turns out revoked. @throws {SessionOverError} */
  withToken<T>(session: Session, call: (token: string) => Promise<T>): Promise<T>;
}

export interface SamplerDeps {
  readonly cluster: Cluster;
  readonly renewal: Renewal;
  /** Of all who look: each sees of it what they may read now. */
  readonly history: Pick<History, 'add'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number;
}

interface Sample {
  readonly at: number;
  readonly watched: string;
  readonly snapshot: Promise<Snapshot>;
}

/** Several tabs of one person share a look. */
const freshMs = 900;

export function createSampler({ cluster, renewal, history, now, elapsed }: SamplerDeps): Sampler {
  const recent = new WeakMap<Session, Sample>();
  /** What a token does not open is not asked for again with the same token: each denial is an audit line there. */
  const denied = new WeakMap<
    Session,
    { readonly token: string; readonly parts: Map<string, Reading<never>> }
  >();

  const sampler: Sampler = {
    sample(session) {
      const watched = JSON.stringify([session.watched.queues(), [...session.watched.entries().keys()]]);
      const last = recent.get(session);
      if (last && last.watched === watched && now() - last.at < freshMs) return last.snapshot;
      const snapshot = sampler.withToken(session, (token) => take(session, token));
      recent.set(session, { at: now(), watched, snapshot });
      snapshot.catch(() => recent.delete(session));
      return snapshot;
    },
    forget: (session) => void recent.delete(session),
    async withToken(session, call) {
      const token = await renewal.accessToken(session);
      try {
        return await call(token);
      } catch (error) {
        if (!(error instanceof TokenRejectedError)) throw error;
        return call(await renewal.replaceRejected(session, token));
      }
    },
  };
  return sampler;

  async function take(session: Session, token: string): Promise<Snapshot> {
    const known = errorsOf(session, token);
    const started = elapsed();
    const timed = ask(known, 'health', () => cluster.readHealth(token)).then((reading) => {
      return { reading, tookMs: elapsed() - started };
    });
    const [{ reading: health, tookMs }, facts, version, queues, entries] = await Promise.all([
      timed,
      ask(known, 'facts', () => cluster.readFacts(token)),
      ask(known, 'version', () => cluster.readVersion(token)),
      readQueues(session, token, known),
      readEntries(session, token, known),
    ]);
    const snapshot = { at: now(), facts, health, version, queues, entries };
    history.add({ at: snapshot.at, values: valuesOf(snapshot, tookMs) });
    return snapshot;
  }

  async function readQueues(session: Session, token: string, known: Map<string, Reading<never>>) {
    const names = session.watched.queues();
    const sizes = await Promise.all(
      names.map((name) => ask(known, `queue ${name}`, () => cluster.readQueueSize(token, name))),
    );
    return new Map(names.map((name, index) => [name, sizes[index]!]));
  }

  function readEntries(session: Session, token: string, known: Map<string, Reading<never>>) {
    return Promise.all(
      [...session.watched.entries()].map(async ([id, { map, key }]) => {
        const reading = await ask(known, `entry ${id}`, () => cluster.readEntry(token, map, key));
        return { map, key, reading };
      }),
    );
  }

  function errorsOf(session: Session, token: string): Map<string, Reading<never>> {
    const found = denied.get(session);
    if (found?.token === token) return found.parts;
    const parts = new Map<string, Reading<never>>();
    denied.set(session, { token, parts });
    return parts;
  }
}

async function ask<T>(
  known: Map<string, Reading<never>>,
  part: string,
  read: () => Promise<Reading<T>>,
): Promise<Reading<T>> {
  const denial = known.get(part);
  if (denial) return denial;
  const reading = await read();
  if ('denial' in reading && reading.denial.scope !== undefined) known.set(part, reading);
  return reading;
}

/** Names of measures are those that {@link measures} gives. */
function valuesOf({ facts, health, queues, entries }: Snapshot, tookMs: number): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  if ('value' in facts) values.set(measures.connections, facts.value.connections);
  if ('value' in health) values.set(measures.latency, tookMs);
  for (const [name, size] of queues) if ('value' in size) values.set(measures.queue(name), size.value);
  for (const { map, key, reading } of entries) {
    const number = 'value' in reading ? numberIn(reading.value) : undefined;
    if (number !== undefined) values.set(measures.entry(map, key), number);
  }
  return values;
}

/** @returns the number that an entry is, as a counter or a JSON number; undefined of anything else */
export function numberIn(entry: Entry | null): number | undefined {
  const text = entry?.isCut ? undefined : entry?.text?.trim();
  return text !== undefined && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

export const measures = {
  connections: 'connections',
  latency: 'latency',
  queue: (name: string) => `queue ${name}`,
  entry: (map: string, key: string) => `entry ${JSON.stringify([map, key])}`,
} as const;
