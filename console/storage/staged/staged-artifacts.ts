/**
 * The artifacts as they would be. What is written is seen by whoever reads here, so that loops that go on until nothing
 * is left come to an end, and is done to the base only when it is replayed.
 */
import { askOneByOne, byExpiry, decideExchange, isLive } from '../artifact-rules.ts';
import { artifactKey } from '../digest.ts';
import type { Artifact, ArtifactKind, ArtifactStore, ListedArtifact } from '../storage.ts';
import { createStagedListeners } from './staged-listeners.ts';

export interface StagedArtifacts extends ArtifactStore {
  /** What the commit of a change writes: seen from now on, and not replayed. */
  take(kind: ArtifactKind, id: string, artifact: Omit<Artifact, 'consumedAt'>): void;
  /** Does to the base what has been done here, in the same order. */
  replay(): Promise<void>;
}

const countedAtOnce = 500;

type Write = (base: ArtifactStore) => Promise<unknown>;

/** @param now  epoch milliseconds */
export function createStagedArtifacts(base: ArtifactStore, now: () => number): StagedArtifacts {
  const own = new Map<
    string,
    { readonly kind: ArtifactKind; readonly key: string; readonly artifact?: Artifact }
  >();
  const ended = new Map<string, ReadonlySet<ArtifactKind>>();
  const writes: Write[] = [];
  const listeners = new Map<string, ReturnType<typeof createStagedListeners<Omit<Artifact, 'consumedAt'>>>>();
  const nameOf = (kind: ArtifactKind, key: string) => `${kind} ${key}`;

  function set(kind: ArtifactKind, key: string, artifact: Artifact | undefined): void {
    own.delete(nameOf(kind, key));
    own.set(nameOf(kind, key), { kind, key, ...(artifact && { artifact: structuredClone(artifact) }) });
  }

  const isEnded = (kind: ArtifactKind, { grantId }: Artifact) =>
    grantId !== undefined && (ended.get(grantId)?.has(kind) ?? false);

  async function find(kind: ArtifactKind, key: string): Promise<Artifact | undefined> {
    const staged = own.get(nameOf(kind, key));
    if (staged) return staged.artifact && isLive(staged.artifact, now() / 1000) ? staged.artifact : undefined;
    const found = (await base.findByKey(kind, key))?.artifact;
    return found && !isEnded(kind, found) ? found : undefined;
  }

  async function findByKey(kind: ArtifactKind, key: string): Promise<ListedArtifact | undefined> {
    const artifact = await find(kind, key);
    return artifact && { key, artifact };
  }

  /** Those of the base that are still so, and those of here. */
  function merged(
    kind: ArtifactKind,
    listed: readonly ListedArtifact[],
    isWanted: (artifact: Artifact) => boolean,
  ): ListedArtifact[] {
    const left = listed.filter(
      ({ key, artifact }) => !own.has(nameOf(kind, key)) && !isEnded(kind, artifact),
    );
    const staged = [...own.values()].flatMap(({ kind: of, key, artifact }) =>
      of === kind && artifact && isLive(artifact, now() / 1000) && isWanted(artifact)
        ? [{ key, artifact }]
        : [],
    );
    return [...left, ...staged];
  }

  async function list(kind: ArtifactKind, limit: number, after = ''): Promise<ListedArtifact[]> {
    const listed = await base.list(kind, limit + own.size, after);
    return pageOf(
      merged(kind, listed, () => true),
      limit,
      after,
    );
  }

  async function listByUid(kind: ArtifactKind, uid: string): Promise<ListedArtifact[]> {
    return merged(kind, await base.listByUid(kind, uid), (artifact) => artifact.uid === uid);
  }

  const get = (kind: ArtifactKind, id: string) => find(kind, artifactKey(id));
  const findByUid = async (kind: ArtifactKind, uid: string) => (await listByUid(kind, uid)).at(-1);

  async function put(kind: ArtifactKind, id: string, artifact: Omit<Artifact, 'consumedAt'>): Promise<void> {
    set(kind, artifactKey(id), artifact);
    writes.push((store) => store.put(kind, id, artifact));
    listeners.get(kind)?.emit(artifact);
  }

  async function removeByKey(kind: ArtifactKind, key: string): Promise<void> {
    set(kind, key, undefined);
    writes.push((store) => store.removeByKey(kind, key));
  }

  return {
    put,
    take: (kind, id, artifact) => set(kind, artifactKey(id), artifact),
    get,
    findByUid,
    async consume(kind, id) {
      const found = await find(kind, artifactKey(id));
      if (!found || found.consumedAt !== undefined) return false;
      set(kind, artifactKey(id), { ...found, consumedAt: Math.floor(now() / 1000) });
      writes.push((store) => store.consume(kind, id));
      return true;
    },
    async exchange(exchange) {
      const names = [exchange.consume, ...(exchange.require ?? [])];
      const found = await Promise.all(names.map(({ kind, id }) => find(kind, artifactKey(id))));
      const outcome = decideExchange(exchange, (name) => found[names.indexOf(name)]);
      if (outcome !== 'won') return outcome;
      const { consume, remove = [], put: puts = [] } = exchange;
      set(consume.kind, artifactKey(consume.id), { ...found[0]!, consumedAt: Math.floor(now() / 1000) });
      for (const { kind, id } of remove) set(kind, artifactKey(id), undefined);
      for (const { kind, id, artifact } of puts) set(kind, artifactKey(id), artifact);
      writes.push((store) => store.exchange(exchange));
      return outcome;
    },
    remove: (kind, id) => removeByKey(kind, artifactKey(id)),
    removeByKey,
    async extend(kind, key, change) {
      const found = await find(kind, key);
      if (!found) return;
      set(kind, key, { ...found, ...change });
      writes.push((store) => store.extend(kind, key, change));
    },
    async removeByGrant(grantId, kinds) {
      ended.set(grantId, new Set([...(ended.get(grantId) ?? []), ...kinds]));
      const staged = [...own.values()].filter(
        ({ kind, artifact }) => artifact?.grantId === grantId && kinds.includes(kind),
      );
      for (const { kind, key } of staged) set(kind, key, undefined);
      writes.push((store) => store.removeByGrant(grantId, kinds));
      return staged.length;
    },
    findByKey,
    listByUid,
    ...askOneByOne({ get, list, findByUid, findByKey, listByUid }),
    /** So many of the base beside those that are gone from here, which it would list again and again. */
    async listByAccount(kind, accountId, limit) {
      const asked = limit === undefined ? undefined : limit + own.size;
      const listed = await base.listByAccount(kind, accountId, asked);
      return merged(kind, listed, (artifact) => artifact.accountId === accountId)
        .slice(0, limit)
        .sort(byExpiry);
    },
    async pageByAccount(kind, accountId, limit, after = '') {
      const listed = await base.pageByAccount(kind, accountId, limit + own.size, after);
      return pageOf(
        merged(kind, listed, (artifact) => artifact.accountId === accountId),
        limit,
        after,
      );
    },
    list,
    /** One by one: what is staged may have ended any of them. */
    async countSessions(most, accountId) {
      let value = 0;
      let after: string | undefined;
      do {
        const page = await list('Session', countedAtOnce, after);
        value += page.filter(
          ({ artifact: { accountId: of } }) => of && (!accountId || of === accountId),
        ).length;
        after = page.length < countedAtOnce ? undefined : page.at(-1)!.key;
      } while (after !== undefined && value <= most);
      return { value: Math.min(value, most), isExact: value <= most };
    },
    count: async (_kind, _id, windowSeconds) => ({
      count: 1,
      resetsAt: Math.ceil(now() / 1000) + windowSeconds,
    }),
    async uncount() {},
    sweep: async () => 0,
    onPut(kind, listener) {
      const ofKind = listeners.get(kind) ?? createStagedListeners<Omit<Artifact, 'consumedAt'>>();
      listeners.set(kind, ofKind);
      return ofKind.add(listener);
    },
    async replay() {
      for (const write of writes.splice(0)) await write(base);
    },
  };
}

function pageOf(listed: readonly ListedArtifact[], limit: number, after: string): ListedArtifact[] {
  return listed
    .filter(({ key }) => key > after)
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, limit);
}
