/**
 * Everything that lies in a store, from one engine to another: page by page, so that memory stays flat; each page with
 * the place where it ends in one commit, so that whatever ends it can be gone on with; and compared at the end, record
 * by record. What is sealed stays sealed: nothing of it is opened.
 */
import { createHash } from 'node:crypto';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Artifact } from './artifact.ts';
import type { ClientRecord, Collection, RegistryRecords, UserRecord } from './records.ts';
import type { StoreCheck } from './storage.ts';

/** In the order in which they are written. */
export const storeParts = ['users', 'clients', 'artifacts', 'registry'] as const;
export type StorePart = (typeof storeParts)[number];

export interface StoreItems {
  readonly users: UserRecord;
  readonly clients: ClientRecord;
  readonly artifacts: StoredArtifact;
  readonly registry: { readonly collection: Collection; readonly record: RegistryRecords[Collection] };
}

export interface StoredArtifact {
  readonly kind: string;
  /** As it is stored: the digest of its id. */
  readonly key: string;
  readonly artifact: Artifact;
  /** Among those with its `uid`: the newest has the highest. */
  readonly uidOrder: number;
}

export interface StorePage<P extends StorePart> {
  readonly items: readonly StoreItems[P][];
  /** Give it back as `after` for the next page; absent: this was the last one. */
  readonly next?: string;
}

/** A store as it lies there, expired and used-up artifacts included. Nobody else has it open. */
export interface StoreContents {
  /**
   * @param after  the place that a page before has named, of the same store
   * @throws {StorageRejectedError} `corrupt` where a record is not what was stored
   */
  page<P extends StorePart>(part: P, after: string | undefined): Promise<StorePage<P>>;
  /** About how many there are; 0: not known. */
  size(part: StorePart): Promise<number>;
  /** That nobody else has written meanwhile. @throws {StorageRejectedError} `locked` */
  confirmUnused(): Promise<void>;
  close(): Promise<void>;
}

export interface StorePlace {
  readonly part: StorePart;
  /** Of the source; absent: its beginning. */
  readonly after?: string;
}

/** A store that is being filled. Until {@link finish} no console starts on it. */
export interface StoreTarget extends StoreContents {
  /** How far an earlier run has come; undefined: this is the first one. */
  readonly place: StorePlace | undefined;
  /** All of it, and the place, in one commit. */
  write<P extends StorePart>(part: P, items: readonly StoreItems[P][], place: StorePlace): Promise<void>;
  check(): Promise<StoreCheck>;
  /** From now on it is a store as any other. */
  finish(): Promise<void>;
}

/** Of a collection: how many, and a sum over all of them that does not depend on their order. */
export interface CollectionSum {
  readonly name: string;
  readonly records: number;
  /** Of the SHA-256 of each, modulo 2^256, in hexadecimal. */
  readonly digest: string;
}

export interface MigrationProgress {
  readonly step: 'writing' | 'comparing' | 'checking';
  readonly part: StorePart;
  readonly done: number;
  /** 0: not known. */
  readonly of: number;
}

/**
 * @returns what both stores hold
 * @throws {ProblemError} `conflict` when the target is not what the source is: nobody starts on it
 */
export async function migrateStore(
  source: StoreContents,
  target: StoreTarget,
  onProgress: (progress: MigrationProgress) => void,
): Promise<readonly CollectionSum[]> {
  const place = target.place ?? { part: storeParts[0] };
  for (const part of storeParts.slice(storeParts.indexOf(place.part)))
    await writePart(part, part === place.part ? place.after : undefined);
  const sums = await sumsOf(source, (part, done, of) => onProgress({ step: 'comparing', part, done, of }));
  const differing = differences(sums, await sumsOf(target));
  if (differing.length > 0) throw notTheSame(differing);
  onProgress({ step: 'checking', part: 'registry', done: 0, of: 0 });
  const { damaged, unindexed, stray, miscounted, named } = await target.check();
  if (damaged + unindexed + stray + miscounted > 0) throw notTheSame([...named, 'its indexes or counts']);
  await source.confirmUnused();
  await target.finish();
  return sums;

  async function writePart<P extends StorePart>(part: P, from: string | undefined): Promise<void> {
    const of = await source.size(part);
    let [after, done] = [from, 0];
    do {
      const { items, next } = await source.page(part, after);
      await target.write(part, items, next === undefined ? following(part) : { part, after: next });
      done += items.length;
      // What an earlier run has written is not counted, so there may be no end to name.
      onProgress({ step: 'writing', part, done, of: from === undefined ? of : 0 });
      after = next;
    } while (after !== undefined);
  }
}

/** Of the last one there is nothing behind: it is small, and written once more. */
function following(part: StorePart): StorePlace {
  return { part: storeParts[storeParts.indexOf(part) + 1] ?? part };
}

/** @param onProgress  of each page */
export async function sumsOf(
  store: Pick<StoreContents, 'page' | 'size'>,
  onProgress: (part: StorePart, done: number, of: number) => void = () => {},
): Promise<readonly CollectionSum[]> {
  const sums = new Map<string, { records: number; sum: bigint }>();
  const add = (name: string, text: string) => {
    const { records, sum } = sums.get(name) ?? { records: 0, sum: 0n };
    const digest = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
    sums.set(name, { records: records + 1, sum: BigInt.asUintN(256, sum + digest) });
  };
  for (const part of storeParts) {
    const of = await store.size(part);
    let [after, done]: [string | undefined, number] = [undefined, 0];
    do {
      const page: StorePage<StorePart> = await store.page(part, after);
      for (const item of page.items) {
        const name = nameOf(part, item);
        // The order of the registry is that of its lists.
        add(name, textOf(part, item, sums.get(name)?.records ?? 0));
      }
      done += page.items.length;
      onProgress(part, done, of);
      after = page.next;
    } while (after !== undefined);
  }
  return [...sums]
    .map(([name, { records, sum }]) => ({ name, records, digest: sum.toString(16).padStart(64, '0') }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function nameOf(part: StorePart, item: StoreItems[StorePart]): string {
  if (part === 'registry') return (item as StoreItems['registry']).collection;
  return part === 'artifacts' ? (item as StoredArtifact).kind : part;
}

function textOf(part: StorePart, item: StoreItems[StorePart], n: number): string {
  if (part === 'registry') return JSON.stringify([n, (item as StoreItems['registry']).record]);
  if (part !== 'artifacts') return JSON.stringify(item);
  const { kind, key, artifact, uidOrder } = item as StoredArtifact;
  const { payload, grantId = null, uid = null, accountId = null } = artifact;
  const { expiresAt = null, consumedAt = null } = artifact;
  const order = uid === null ? null : uidOrder;
  return JSON.stringify([kind, key, payload, grantId, uid, accountId, expiresAt, consumedAt, order]);
}

function differences(source: readonly CollectionSum[], target: readonly CollectionSum[]): readonly string[] {
  const names = [...new Set([...source, ...target].map(({ name }) => name))].sort();
  const of = (sums: readonly CollectionSum[], name: string) => sums.find((sum) => sum.name === name);
  return names
    .map((name) => ({ name, one: of(source, name), other: of(target, name) }))
    .filter(({ one, other }) => one?.digest !== other?.digest || one?.records !== other?.records)
    .map(({ name, one, other }) => `${name} (${one?.records ?? 0}, and there ${other?.records ?? 0})`);
}

function notTheSame(what: readonly string[]): ProblemError {
  return new ProblemError(
    problems.conflict,
    `What is in the target is not what is in the source: ${what.slice(0, 5).join(', ')}. Somebody has changed one of them since ` +
      'it was begun. Empty the target and begin anew; no console starts on it until then.',
  );
}
