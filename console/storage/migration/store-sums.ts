/** What two stores are compared by: of each collection, how many records there are, and the sum of their digests. */
import { createHash } from 'node:crypto';
import {
  type StoreContents,
  type StoredArtifact,
  type StoreItems,
  type StorePage,
  type StorePart,
  storeParts,
} from './store-contents.ts';

/** Of a collection: how many, and a sum over all of them that does not depend on their order. */
export interface CollectionSum {
  readonly name: string;
  readonly records: number;
  /** Of the SHA-256 of each, modulo 2^256, in hexadecimal. */
  readonly digest: string;
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
