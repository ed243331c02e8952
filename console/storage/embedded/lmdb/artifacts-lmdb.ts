/** Sign-in artifacts in LMDB: one entry per artifact plus one index entry per way to find it. */

import { createPauses } from '../../../../platform/async/pauses.ts';
import {
  asCounter,
  askOneByOne,
  byExpiry,
  countOf,
  decideExchange,
  isLive,
  type ManyReads,
  nextCount,
} from '../../artifact-rules.ts';
import { artifactKey, digest } from '../../digest.ts';
import {
  type Artifact,
  type ArtifactKind,
  type ArtifactStore,
  type ListedArtifact,
  StorageUnavailableError,
} from '../../storage.ts';
import { type Entry, openArtifactEntries } from './artifact-entries.ts';
import type { Environment, LmdbKey } from './lmdb-environment.ts';
import { DamagedRecordError, wholeRecord } from './record-codec.ts';

export interface LmdbArtifactsDeps {
  readonly environment: Environment;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The same, going on evenly whatever is done to the clock: counters go by it. */
  readonly steady: () => number;
  /** Where another process writes: has it write down what was found expired. */
  readonly recordEnds?: (ended: readonly EndedArtifact[]) => Promise<void>;
}

export interface EndedArtifact {
  readonly kind: ArtifactKind;
  readonly key: string;
  /** Epoch seconds, fractions included. */
  readonly at: number;
}

/** Expired artifacts that one transaction deletes: about 5 ms, during which other writers wait. */
const sweepBatch = 200;

/** Artifacts that a list reads at once at most, and how long that may go on: whoever lists thousands holds up nobody. */
const listSlice = 200;
const listSliceMs = 0.5;

/** The store, and what another process has found expired in it. */
export interface LmdbArtifacts extends Omit<ArtifactStore, 'onPut'> {
  recordEnds(ended: readonly EndedArtifact[]): Promise<void>;
}

/** Opens the artifacts of `environment`. Every write is on the disk when its promise resolves. */
export function openLmdbArtifacts({
  environment,
  now,
  steady,
  recordEnds,
}: LmdbArtifactsDeps): LmdbArtifacts {
  const { entries, index, put, set, unset } = openArtifactEntries(environment);
  const bytes = environment.bytes('artifacts');
  const nowSeconds = () => now() / 1000;
  const steadySeconds = () => steady() / 1000;

  async function write<T>(work: () => T): Promise<T> {
    try {
      return await environment.write(work);
    } catch (error) {
      if (error instanceof StorageUnavailableError || error instanceof DamagedRecordError) throw error;
      throw new StorageUnavailableError('the artifacts cannot be written', { cause: error });
    }
  }

  /** What was found expired, until that is written down. */
  let ended: EndedArtifact[] = [];

  function live(kind: ArtifactKind, key: string): Entry | undefined {
    const entry = entries.get([kind, key]);
    if (!entry || isLive(entry, nowSeconds())) return entry;
    if (entry.expiresAt !== 0) ended.push({ kind, key, at: nowSeconds() });
    return undefined;
  }

  /** What a reader was told is over stays so, also when the clock is put back (a session must not come back). */
  async function read<T>(work: () => T): Promise<T> {
    const result = environment.read(work);
    if (ended.length > 0) await writeEnds();
    return result;
  }

  async function writeEnds(): Promise<void> {
    const recorded = ended;
    ended = [];
    try {
      await (recordEnds ?? writeEnded)(recorded);
    } catch {
      // It is over all the same; whoever reads it next tries again.
    }
  }

  function writeEnded(recorded: readonly EndedArtifact[]): Promise<void> {
    return environment.write(() => {
      for (const { kind, key, at } of recorded) {
        const entry = entries.get([kind, key]);
        if (entry && !isLive(entry, at)) set(kind, key, { ...entry, expiresAt: 0 });
      }
    });
  }

  function liveCounter(kind: ArtifactKind, key: string): Entry | undefined {
    const entry = entries.get([kind, key]);
    return entry && isLive(entry, steadySeconds()) ? entry : undefined;
  }

  function use(kind: ArtifactKind, key: string, entry: Entry): void {
    entries.put([kind, key], { ...entry, consumedAt: Math.floor(nowSeconds()) });
  }

  /** Of a session. What is damaged names no account. */
  function isOfAccount(key: string, accountId: string | undefined): boolean {
    const value = bytes.get(['Session', key]);
    const own = value && wholeRecord<Entry>(['Session', key], value)?.accountId;
    return own !== undefined && (accountId === undefined || own === accountId);
  }

  const keysUnder = (prefix: LmdbKey) => [...index.under(prefix)].map(({ key }) => String(key.at(-1)));

  const store: Omit<LmdbArtifacts, keyof ManyReads> = {
    recordEnds: writeEnded,
    async put(kind, id, artifact) {
      const key = artifactKey(id);
      await write(() => put(kind, key, artifact));
    },
    async get(kind, id) {
      const entry = await read(() => live(kind, artifactKey(id)));
      return entry && asArtifact(entry);
    },
    async findByUid(kind, uid) {
      return read(() => {
        const keys = keysUnder(['uid', kind, digest(uid)]).reverse();
        return listed(keys, (key) => live(kind, key)).at(0);
      });
    },
    async consume(kind, id) {
      const key = artifactKey(id);
      return write(() => {
        const entry = live(kind, key);
        if (!entry || entry.consumedAt !== undefined) return false;
        use(kind, key, entry);
        return true;
      });
    },
    async exchange(exchange) {
      const { consume, put: replacements = [], remove = [] } = exchange;
      return write(() => {
        const outcome = decideExchange(exchange, ({ kind, id }) => live(kind, artifactKey(id)));
        const source = entries.get([consume.kind, artifactKey(consume.id)]);
        if (outcome !== 'won' || !source) return outcome;
        use(consume.kind, artifactKey(consume.id), source);
        for (const { kind, id } of remove) unset(kind, artifactKey(id));
        for (const { kind, id, artifact } of replacements) put(kind, artifactKey(id), artifact);
        return outcome;
      });
    },
    async remove(kind, id) {
      await write(() => unset(kind, artifactKey(id)));
    },
    async removeByKey(kind, key) {
      await write(() => unset(kind, key));
    },
    async extend(kind, key, change) {
      await write(() => {
        const entry = live(kind, key);
        if (entry) set(kind, key, { ...entry, ...change });
      });
    },
    async removeByGrant(grantId, kinds) {
      const grant = digest(grantId);
      return write(() => {
        const found = kinds.flatMap((kind) =>
          keysUnder(['grant', grant, kind]).map((key) => ({ kind, key })),
        );
        return found.filter(({ kind, key }) => unset(kind, key)).length;
      });
    },
    async findByKey(kind, key) {
      return read(() => listed([key], () => live(kind, key)).at(0));
    },
    async listByUid(kind, uid) {
      return read(() => listed(keysUnder(['uid', kind, digest(uid)]), (key) => live(kind, key)));
    },
    async listByAccount(kind, accountId, limit = Infinity) {
      return read(() => {
        const found: ListedArtifact[] = [];
        for (const { key } of index.under(['account', kind, digest(accountId)])) {
          found.push(...listed([String(key.at(-1))], (one) => live(kind, one)));
          if (found.length >= limit) break;
        }
        return found.sort(byExpiry);
      });
    },
    async pageByAccount(kind, accountId, limit, after) {
      return read(() => {
        const prefix: LmdbKey = ['account', kind, digest(accountId)];
        const from = after === undefined ? prefix : [...prefix, after];
        const found: ListedArtifact[] = [];
        // The first is the one after which the page begins, if it is still there.
        for (const { key } of index.under(prefix, { from })) {
          if (found.length >= limit) break;
          const own = String(key.at(-1));
          if (own !== after) found.push(...listed([own], (one) => live(kind, one)));
        }
        return found;
      });
    },
    async list(kind, limit, after) {
      const found: ListedArtifact[] = [];
      const pause = createPauses(listSliceMs);
      let last: LmdbKey | undefined = after === undefined ? undefined : [kind, after];
      while (found.length < limit) {
        const from: LmdbKey = last ?? [kind];
        // Some more than are wanted: the last one of before, and those that do not count any more.
        const wanted = Math.min(listSlice, limit - found.length + 10);
        const isOver = environment.read(() => {
          let visited = 0;
          for (const { key, value } of bytes.under([kind], { from, limit: wanted })) {
            visited++;
            const isNew = last?.[1] !== key[1];
            last = key;
            // Of those that are damaged a list says nothing.
            const entry = isNew ? wholeRecord<Entry>(key, value) : undefined;
            if (entry && isLive(entry, nowSeconds()))
              found.push({ key: String(key[1]), artifact: asArtifact(entry) });
            if (found.length === limit || pause.areDue()) return false;
          }
          return visited < wanted;
        });
        if (isOver) break;
        await pause();
      }
      return found;
    },
    async countSessions(most, accountId) {
      const owner = accountId === undefined ? [] : [digest(accountId)];
      return environment.read(() => {
        // Since the last sweep.
        const expired = [...index.under(['expiry'], { upTo: ['expiry', nowSeconds()] })].filter(
          ({ key: [, , kind, key] }) => kind === 'Session' && isOfAccount(String(key), accountId),
        ).length;
        const value = index.countUnder(['account', 'Session', ...owner], most + expired) - expired;
        return { value: Math.min(value, most), isExact: value <= most };
      });
    },
    async count(kind, id, windowSeconds) {
      const key = artifactKey(id);
      return write(() => {
        const next = nextCount(liveCounter(kind, key), steadySeconds(), windowSeconds);
        set(kind, key, asCounter(next));
        return next;
      });
    },
    async uncount(kind, id) {
      const key = artifactKey(id);
      await write(() => {
        const entry = liveCounter(kind, key);
        const count = countOf(entry);
        if (entry && count > 0) entries.put([kind, key], { ...entry, payload: { count: count - 1 } });
      });
    },
    async sweep() {
      let removed = 0;
      for (;;) {
        const batch = await write(() => {
          const expired = [...index.under(['expiry'], { upTo: ['expiry', nowSeconds()], limit: sweepBatch })];
          for (const { key } of expired) {
            unset(String(key[2]), String(key[3]));
            index.remove(key); // of a record that was damaged, nobody else does
          }
          return expired.length;
        });
        removed += batch;
        if (batch < sweepBatch) return removed;
      }
    },
  };
  return { ...store, ...askOneByOne(store) };
}

function asArtifact({ uidOrder: _uidOrder, ...artifact }: Entry): Artifact {
  return artifact;
}

function listed(keys: readonly string[], find: (key: string) => Entry | undefined): ListedArtifact[] {
  return keys.flatMap((key) => {
    const entry = find(key);
    return entry ? [{ key, artifact: asArtifact(entry) }] : [];
  });
}
