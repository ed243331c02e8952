import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredValue } from '../data/values.ts';

/** Key and value as one number each: what two clusters compare instead of the data. */
export interface EntryDigest {
  readonly key: bigint;
  readonly entry: bigint;
}

export type Entries = Iterable<readonly [key: string, value: StoredValue]>;

/** Deeper trees are compared at this depth: 32,768 leaves are 256 KiB. */
export const deepestLevel = 16;

/**
 * The leaves of a Merkle tree over the entries of a map. An entry belongs to the leaf that the first
 * bits of its key's hash name, and a leaf is all its entries' hashes combined, whatever their order.
 */
export interface LeafLayer {
  readonly depth: number;
  /** 2^(depth - 1) numbers of 8 bytes. */
  readonly leaves: BigUint64Array;
}

/** @param depth  levels of the tree, 2 and more; what lies beneath level 16 is not looked at */
export async function leavesOf(entries: Entries, depth: number): Promise<LeafLayer> {
  const levels = Math.min(depth, deepestLevel);
  const leaves = new BigUint64Array(2 ** (levels - 1));
  await eachDigest(entries, (digest) => {
    leaves[leafOf(digest, levels)]! ^= digest.entry;
  });
  return { depth: levels, leaves };
}

/** The leaves in which two layers of the same depth differ. */
export function differingLeaves(ours: LeafLayer, theirs: LeafLayer): ReadonlySet<number> {
  const differing = new Set<number>();
  for (const [index, leaf] of ours.leaves.entries()) {
    if (leaf !== theirs.leaves[index]) differing.add(index);
  }
  return differing;
}

export function leafOf({ key }: EntryDigest, depth: number): number {
  return Number(key >> BigInt(64 - (depth - 1)));
}

/** Walks entries a slice at a time, so that calls are answered in between. */
export async function eachDigest(
  entries: Entries,
  visit: (digest: EntryDigest, key: string, value: StoredValue) => void,
): Promise<void> {
  let checked = 0;
  for (const [key, value] of entries) {
    visit(digestOf(key, value), key, value);
    checked += 1;
    if (checked % entriesPerTurn === 0) await nextTurn();
  }
}

const entriesPerTurn = 500;

function digestOf(key: string, { bytes, contentType = '' }: StoredValue): EntryDigest {
  const head = Buffer.from(JSON.stringify([key, contentType]));
  return { key: shortHash(Buffer.from(key)), entry: shortHash(Buffer.concat([head, bytes])) };
}

/** Differences are looked for between clusters of one owner: nobody makes collisions to hide one. */
function shortHash(bytes: Buffer): bigint {
  return hash('sha1', bytes, 'buffer').readBigUInt64BE();
}
