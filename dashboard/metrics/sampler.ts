/** One look at the cluster for one person: everything that the page shows, and a sample for its plots. */
import type { Renewal } from '../identity/renewal.ts';
import type { Session } from '../identity/sessions.ts';
import { type Cluster, type ClusterFacts, type Health, type Reading, TokenRejectedError } from './cluster.ts';

export interface Snapshot {
  readonly at: number;
  readonly facts: Reading<ClusterFacts>;
  readonly health: Reading<Health>;
  readonly version: Reading<string>;
  readonly queues: ReadonlyMap<string, Reading<number>>;
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
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number;
}

interface Sample {
  readonly at: number;
  readonly queues: string;
  readonly snapshot: Promise<Snapshot>;
}

/** Several tabs of one person share a look. */
const freshMs = 900;

export function createSampler({ cluster, renewal, now, elapsed }: SamplerDeps): Sampler {
  const recent = new WeakMap<Session, Sample>();
  /** What a token does not open is not asked for again with the same token: each denial is an audit line there. */
  const denied = new WeakMap<
    Session,
    { readonly token: string; readonly parts: Map<string, Reading<never>> }
  >();

  const sampler: Sampler = {
    sample(session) {
      const queues = session.watched.names().join('\n');
      const last = recent.get(session);
      if (last && last.queues === queues && now() - last.at < freshMs) return last.snapshot;
      const snapshot = sampler.withToken(session, (token) => take(session, token));
      recent.set(session, { at: now(), queues, snapshot });
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
    const [{ reading: health, tookMs }, facts, version, queues] = await Promise.all([
      timed,
      ask(known, 'facts', () => cluster.readFacts(token)),
      ask(known, 'version', () => cluster.readVersion(token)),
      readQueues(session, token, known),
    ]);
    const snapshot = { at: now(), facts, health, version, queues };
    session.history.add({ at: snapshot.at, values: valuesOf(snapshot, tookMs) });
    return snapshot;
  }

  async function readQueues(session: Session, token: string, known: Map<string, Reading<never>>) {
    const names = session.watched.names();
    const sizes = await Promise.all(
      names.map((name) => ask(known, `queue ${name}`, () => cluster.readQueueSize(token, name))),
    );
    return new Map(names.map((name, index) => [name, sizes[index]!]));
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
function valuesOf({ facts, health, queues }: Snapshot, tookMs: number): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  if ('value' in facts) values.set(measures.connections, facts.value.connections);
  if ('value' in health) values.set(measures.roundTrip, tookMs);
  for (const [name, size] of queues) if ('value' in size) values.set(measures.queue(name), size.value);
  return values;
}

export const measures = {
  connections: 'connections',
  roundTrip: 'round trip',
  queue: (name: string) => `queue ${name}`,
} as const;
