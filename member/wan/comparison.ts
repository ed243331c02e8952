import { parseJson } from '../../platform/json.ts';
import {
  deepestLevel,
  differingLeaves,
  type Entries,
  eachDigest,
  type LeafLayer,
  leafOf,
  leavesOf,
} from './digest.ts';

/** What one cluster has where its tree differs from the other's. */
export interface Comparison {
  readonly differing: ReadonlySet<number>;
  /** Hash of each entry in those leaves; it covers the key. */
  readonly entries: ReadonlySet<bigint>;
}

/** Compares our entries with the other cluster's leaves, and lists what we have where they differ. */
export async function compare(entries: () => Entries, theirs: LeafLayer): Promise<Comparison> {
  const ours = await leavesOf(entries(), theirs.depth);
  const differing = differingLeaves(ours, theirs);
  const listed = new Set<bigint>();
  if (differing.size > 0) {
    await eachDigest(entries(), (digest) => {
      if (differing.has(leafOf(digest, theirs.depth))) listed.add(digest.entry);
    });
  }
  return { differing, entries: listed };
}

/** The keys of our entries that the other cluster does not have, or has with another value. */
export async function keysMissingIn(
  { differing, entries: theirs }: Comparison,
  ours: Entries,
  depth: number,
): Promise<Set<string>> {
  const missing = new Set<string>();
  if (differing.size === 0) return missing;
  await eachDigest(ours, (digest, key) => {
    if (differing.has(leafOf(digest, depth)) && !theirs.has(digest.entry)) missing.add(key);
  });
  return missing;
}

/** Numbers of 4 bytes: how many leaves differ, and each; then 8 bytes for each entry. */
export function encodeComparison({ differing, entries }: Comparison): Buffer {
  const bytes = Buffer.allocUnsafe(4 + 4 * differing.size + 8 * entries.size);
  let at = bytes.writeUInt32BE(differing.size);
  for (const leaf of differing) at = bytes.writeUInt32BE(leaf, at);
  for (const entry of entries) at = bytes.writeBigUInt64BE(entry, at);
  return bytes;
}

/** @returns `undefined` for bytes of another form */
export function decodeComparison(bytes: Buffer): Comparison | undefined {
  if (bytes.length < 4) return undefined;
  const count = bytes.readUInt32BE();
  const entriesAt = 4 + 4 * count;
  if (entriesAt > bytes.length || (bytes.length - entriesAt) % 8 !== 0) return undefined;
  const differing = new Set<number>();
  for (let at = 4; at < entriesAt; at += 4) differing.add(bytes.readUInt32BE(at));
  const entries = new Set<bigint>();
  for (let at = entriesAt; at < bytes.length; at += 8) entries.add(bytes.readBigUInt64BE(at));
  return { differing, entries };
}

/** The map's name on a line, then each leaf in 8 bytes. */
export function encodeLeaves(map: string, { leaves }: LeafLayer): Buffer {
  const bytes = Buffer.allocUnsafe(8 * leaves.length);
  for (const [index, leaf] of leaves.entries()) bytes.writeBigUInt64BE(leaf, 8 * index);
  return Buffer.concat([Buffer.from(`${JSON.stringify(map)}\n`), bytes]);
}

/** @returns `undefined` for bytes of another form, and for leaves of a tree deeper than any of ours */
export function decodeLeaves(bytes: Buffer): { readonly map: string; readonly layer: LeafLayer } | undefined {
  const end = bytes.indexOf('\n');
  const map = end === -1 ? undefined : parseName(bytes.toString('utf8', 0, end));
  const count = (bytes.length - end - 1) / 8;
  const depth = Math.log2(count) + 1;
  if (map === undefined || !Number.isInteger(depth) || depth < 2 || depth > deepestLevel) return undefined;
  const leaves = BigUint64Array.from({ length: count }, (_, index) =>
    bytes.readBigUInt64BE(end + 1 + 8 * index),
  );
  return { map, layer: { depth, leaves } };
}

function parseName(text: string): string | undefined {
  const name = parseJson(text);
  return typeof name === 'string' && name !== '' ? name : undefined;
}
