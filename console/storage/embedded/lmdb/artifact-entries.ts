/** Artifacts as they lie in LMDB: one entry each, and one index entry for each way to find it. */

import { digest } from '../../digest.ts';
import type { Artifact, ArtifactKind } from '../../storage.ts';
import type { Environment, LmdbDatabase, LmdbKey } from './lmdb-environment.ts';
import { DamagedRecordError } from './record-codec.ts';

/** An artifact as it lies in the database. */
export interface Entry extends Artifact {
  /** Rises with each put under the same `uid`, so that the newest can be told. */
  readonly uidOrder?: number;
}

export interface ArtifactEntries {
  readonly entries: LmdbDatabase<Entry>;
  readonly index: LmdbDatabase<true>;
  /** Only inside a write, as all that follows. */
  put(kind: ArtifactKind, key: string, artifact: Artifact): void;
  /** The same of what has its place among those of its `uid`. */
  set(kind: ArtifactKind, key: string, entry: Entry): void;
  /** @returns whether there was one */
  unset(kind: ArtifactKind, key: string): boolean;
}

export function openArtifactEntries(environment: Environment): ArtifactEntries {
  const entries = environment.records<Entry>('artifacts');
  const index = environment.database<true>('artifact-index');

  /** Ways to it that stay as they are are not written: each lies on a page of its own, once there are many. */
  function set(kind: ArtifactKind, key: string, entry: Entry): void {
    const former = wholeOrNone(kind, key);
    const ways = indexKeys(kind, key, entry);
    const formerWays = former ? indexKeys(kind, key, former) : [];
    entries.put([kind, key], entry);
    for (const way of without(formerWays, ways)) index.remove(way);
    for (const way of without(ways, formerWays)) index.put(way, true);
  }

  function unset(kind: ArtifactKind, key: string): boolean {
    const entry = wholeOrNone(kind, key);
    if (!entry) return false;
    entries.remove([kind, key]);
    for (const indexKey of indexKeys(kind, key, entry)) index.remove(indexKey);
    return true;
  }

  /** A damaged one goes: it names no index entries any more, and what replaces it must not fail for it. */
  function wholeOrNone(kind: ArtifactKind, key: string): Entry | undefined {
    try {
      return entries.get([kind, key]);
    } catch (error) {
      if (!(error instanceof DamagedRecordError)) throw error;
      entries.remove([kind, key]);
      return undefined;
    }
  }

  function withUidOrder(kind: ArtifactKind, key: string, artifact: Artifact): Entry {
    if (artifact.uid === undefined) return artifact;
    const [newest] = index.under(['uid', kind, digest(artifact.uid)], { reverse: true, limit: 1 });
    const order = newest ? Number(newest.key[3]) : 0;
    return { ...artifact, uidOrder: newest?.key[4] === key ? order : order + 1 };
  }

  return {
    entries,
    index,
    put: (kind, key, artifact) => set(kind, key, withUidOrder(kind, key, artifact)),
    set,
    unset,
  };
}

function without(keys: readonly LmdbKey[], others: readonly LmdbKey[]): readonly LmdbKey[] {
  if (others.length === 0) return keys;
  return keys.filter((key) => !others.some((other) => isSameKey(key, other)));
}

function isSameKey(key: LmdbKey, other: LmdbKey): boolean {
  return key.length === other.length && key.every((part, i) => part === other[i]);
}

/** Digests keep the keys short and free of NUL, whatever the indexed values look like. */
export function indexKeys(kind: ArtifactKind, key: string, entry: Entry): LmdbKey[] {
  const { expiresAt, uid, uidOrder = 0, grantId, accountId } = entry;
  const keys: LmdbKey[] = [];
  if (expiresAt !== undefined) keys.push(['expiry', expiresAt, kind, key]);
  if (uid !== undefined) keys.push(['uid', kind, digest(uid), uidOrder, key]);
  if (grantId !== undefined) keys.push(['grant', digest(grantId), kind, key]);
  if (accountId !== undefined) keys.push(['account', kind, digest(accountId), key]);
  return keys;
}
