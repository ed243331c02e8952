/**
 * What a console remembers of a session's own work on entries: the values that it has replaced or removed, and the keys that
 * it has opened. In memory alone and never more than is said here, so that neither store nor audit nor log has any of it.
 */

/** Whose, and of which entry. */
export interface RememberedEntry {
  /** The `uid` of the session. */
  readonly session: string;
  readonly map: string;
  readonly key: string;
}

/** A value that is there no more. */
export interface FormerValue {
  readonly type: string | null;
  /** In base64. */
  readonly value: string;
}

export interface ListedFormerValue {
  readonly id: string;
  readonly type: string | null;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly replacedAt: number;
}

export interface OpenedKey {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Of several processes of a console one remembers for all of them. */
export interface EntryMemories {
  /** @returns its id; undefined: it is too large, or could not be handed on */
  storeFormer(entry: RememberedEntry, former: FormerValue): MaybeLater<string | undefined>;
  /** The newest first. */
  formersOf(entry: RememberedEntry): MaybeLater<readonly ListedFormerValue[]>;
  /** @returns undefined: it is not kept any more */
  formerValue(entry: RememberedEntry, id: string): MaybeLater<FormerValue | undefined>;
  addOpenedKey(entry: RememberedEntry): MaybeLater<void>;
  /** The newest first. */
  openedKeys(session: string, map: string): MaybeLater<readonly OpenedKey[]>;
}

type MaybeLater<T> = T | Promise<T>;

interface Former {
  readonly id: string;
  readonly session: string;
  readonly type: string | null;
  readonly bytes: Buffer;
  readonly replacedAt: number;
}

export const formerMs = 10 * 60_000;
/** Of a value. */
export const mostFormerBytes = 1024 * 1024;
/** Of one entry. */
export const mostFormerValues = 3;
const mostBytesOfSession = 8 * 1024 * 1024;
const mostBytesOfAll = 32 * 1024 * 1024;
/** What one costs beside its bytes. */
const besideBytes = 1024;

/** Of one map. */
export const mostOpenedKeys = 10;
/** Longer than any session. */
const openedMs = 24 * 3_600_000;
const mostMapsOfSession = 50;
const mostMapsOfAll = 2_000;

/** @param now  epoch milliseconds */
export function createEntryMemories(now: () => number = Date.now): EntryMemories {
  return { ...createFormerMemory(now), ...createKeyMemory(now) };
}

type FormerMemory = Pick<EntryMemories, 'storeFormer' | 'formersOf' | 'formerValue'>;

function createFormerMemory(now: () => number): FormerMemory {
  /** By id, the oldest first. */
  const all = new Map<string, { readonly entry: string; readonly former: Former }>();
  const byEntry = new Map<string, readonly Former[]>();
  const bytesOfSession = new Map<string, number>();
  let bytesOfAll = 0;
  let made = 0;
  let timer: NodeJS.Timeout | undefined;

  return {
    storeFormer(entry, { type, value }) {
      const bytes = Buffer.from(value, 'base64');
      if (bytes.length > mostFormerBytes) return undefined;
      const name = nameOf(entry);
      const former = { id: String(++made), session: entry.session, type, bytes, replacedAt: now() };
      all.set(former.id, { entry: name, former });
      byEntry.set(name, [former, ...(byEntry.get(name) ?? [])]);
      count(former, 1);
      for (const { id } of byEntry.get(name)!.slice(mostFormerValues)) drop(id);
      dropOld();
      dropTooMany(entry.session);
      return former.id;
    },
    formersOf(entry) {
      dropOld();
      return (byEntry.get(nameOf(entry)) ?? []).map(({ id, type, bytes, replacedAt }) => ({
        ...{ id, type, replacedAt },
        bytes: bytes.length,
      }));
    },
    formerValue(entry, wanted) {
      dropOld();
      const found = byEntry.get(nameOf(entry))?.find(({ id }) => id === wanted);
      return found && { type: found.type, value: found.bytes.toString('base64') };
    },
  };

  /** A clock that was put back keeps nothing for longer. */
  function dropOld(): void {
    const at = now();
    for (const [id, { former }] of all) {
      if (at - former.replacedAt >= formerMs || former.replacedAt > at) drop(id);
      else break;
    }
    clearTimeout(timer);
    timer = undefined;
    // What nobody asks for goes as well.
    const [oldest] = all.values();
    if (oldest) timer = setTimeout(dropOld, oldest.former.replacedAt + formerMs - at).unref();
  }

  function dropTooMany(session: string): void {
    for (const [id, { former }] of all) {
      if ((bytesOfSession.get(session) ?? 0) <= mostBytesOfSession) break;
      if (former.session === session) drop(id);
    }
    for (const id of all.keys()) {
      if (bytesOfAll <= mostBytesOfAll) break;
      drop(id);
    }
  }

  function drop(id: string): void {
    const { entry, former } = all.get(id)!;
    all.delete(id);
    const left = byEntry.get(entry)!.filter((one) => one !== former);
    if (left.length === 0) byEntry.delete(entry);
    else byEntry.set(entry, left);
    count(former, -1);
  }

  function count({ session, bytes }: Former, sign: 1 | -1): void {
    const change = sign * (bytes.length + besideBytes);
    bytesOfAll += change;
    const ofSession = (bytesOfSession.get(session) ?? 0) + change;
    if (ofSession === 0) bytesOfSession.delete(session);
    else bytesOfSession.set(session, ofSession);
  }
}

function createKeyMemory(now: () => number): Pick<EntryMemories, 'addOpenedKey' | 'openedKeys'> {
  /** By session and map; the one of the last look is the last. */
  const all = new Map<string, { readonly session: string; readonly keys: readonly OpenedKey[] }>();

  return {
    addOpenedKey({ session, map, key }) {
      const name = JSON.stringify([session, map]);
      const before = all.get(name)?.keys ?? [];
      const others = before.filter((one) => one.key !== key);
      all.delete(name);
      all.set(name, { session, keys: [{ key, at: now() }, ...others].slice(0, mostOpenedKeys) });
      dropOldest(session);
    },
    openedKeys(session, map) {
      const since = now() - openedMs;
      return (all.get(JSON.stringify([session, map]))?.keys ?? []).filter(({ at }) => at > since);
    },
  };

  function dropOldest(session: string): void {
    const since = now() - openedMs;
    const own = [...all].filter(([, one]) => one.session === session).map(([name]) => name);
    for (const name of own.slice(0, -mostMapsOfSession)) all.delete(name);
    for (const [name, { keys }] of all) {
      if (all.size <= mostMapsOfAll && keys[0]!.at > since) break;
      all.delete(name);
    }
  }
}

function nameOf({ session, map, key }: RememberedEntry): string {
  return JSON.stringify([session, map, key]);
}
