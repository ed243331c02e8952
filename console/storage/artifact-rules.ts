/** What every artifact store must decide the same way. */
import { mapWithPauses } from '../../platform/async/pauses.ts';
import type {
  Artifact,
  ArtifactName,
  ArtifactStore,
  Count,
  Exchange,
  Exchanged,
  ListedArtifact,
} from './storage.ts';

/** @param nowSeconds  epoch seconds, fractions included */
export function isLive({ expiresAt }: Artifact, nowSeconds: number): boolean {
  return expiresAt === undefined || expiresAt > nowSeconds;
}

/** @param find  an artifact that is live, as it is within the transaction */
export function decideExchange(
  { consume, require = [] }: Exchange,
  find: (name: ArtifactName) => Artifact | undefined,
): Exchanged {
  const source = find(consume);
  if (!source) return 'absent';
  // Told even when what is required has gone: reuse is reuse.
  if (source.consumedAt !== undefined) return 'used';
  return require.every((name) => find(name) !== undefined) ? 'won' : 'absent';
}

/** What a counter holds, 0 when it has not been counted in this window. */
export function countOf(counter: Artifact | undefined): number {
  return Number(counter?.payload.count ?? 0);
}

/**
 * @param counter     the live counter, if any
 * @param nowSeconds  epoch seconds; a new window starts there
 * @returns what never ends later than a window from now: a clock that was put back prolongs nothing
 */
export function nextCount(counter: Artifact | undefined, nowSeconds: number, windowSeconds: number): Count {
  return {
    count: countOf(counter) + 1,
    resetsAt: Math.min(counter?.expiresAt ?? Infinity, Math.ceil(nowSeconds) + windowSeconds),
  };
}

/** A counter is an artifact that expires with its window. */
export function asCounter({ count, resetsAt }: Count): Artifact {
  return { payload: { count }, expiresAt: resetsAt };
}

/** For sorting: newest expiry last, what never expires after that. */
export function byExpiry(one: ListedArtifact, other: ListedArtifact): number {
  const [first, second] = [one.artifact.expiresAt ?? Infinity, other.artifact.expiresAt ?? Infinity];
  return first === second ? 0 : first - second;
}

export type ManyReads = Pick<ArtifactStore, 'readMany' | 'findByUids' | 'listByUids'>;

type SingleReads = Pick<ArtifactStore, 'get' | 'list' | 'findByUid' | 'findByKey' | 'listByUid'>;

/** Questions about many, in a store in which a look at each costs next to nothing. */
export function askOneByOne({ get, list, findByUid, findByKey, listByUid }: SingleReads): ManyReads {
  return {
    readMany: async ({ names, kinds = [], mostOfKind = 0 }) => ({
      named: await mapWithPauses(names, ({ kind, id }) => get(kind, id)),
      ofKinds: await mapWithPauses(kinds, async (kind) =>
        (await list(kind, mostOfKind)).map(({ artifact }) => artifact),
      ),
    }),
    async findByUids(kind, uids, before) {
      const findOne = async (uid: string) => {
        const key = before?.get(uid);
        const known = key === undefined ? undefined : await findByKey(kind, key);
        return known?.artifact.uid === uid ? known : findByUid(kind, uid);
      };
      const found = await mapWithPauses(uids, async (uid) => [uid, await findOne(uid)] as const);
      return new Map(found.flatMap(([uid, one]) => (one ? [[uid, one] as const] : [])));
    },
    async listByUids(kind, uids) {
      const found = await mapWithPauses(uids, async (uid) => [uid, await listByUid(kind, uid)] as const);
      return new Map(found.filter(([, listed]) => listed.length > 0));
    },
  };
}
