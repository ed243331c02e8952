/**
 * Looks at an LMDB file before LMDB does: reading beyond the end of a mapped file kills the process
 * (SIGBUS), and the binding may crash after refusing a file that is not LMDB's. Knows just enough of
 * the format of lmdb 3.x (LMDB data version 2, little endian) to follow the page numbers.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';

const pageHeaderBytes = 24;
const nodeHeaderBytes = 8;
const magic = 0xbeefc0de;
const dataVersion = 2;
const noPage = 0xffff_ffff_ffff_ffffn;
const pageFlags = { branch: 0x01, leaf: 0x02 };
const treeFlags = { severalValues: 0x04 };
const nodeFlags = { overflow: 0x01, subDatabase: 0x02 };

/** Why a file cannot be opened: not LMDB's, of another version, or without pages that it needs. */
export type LmdbFileCorruption = 'foreign' | 'version' | 'cut';

/**
 * @param file  `data.mdb`; an empty one is fine, since LMDB will initialise it
 * @returns what is wrong with it, if anything
 */
export function findLmdbFileCorruption(file: string): LmdbFileCorruption | undefined {
  const descriptor = openSync(file, 'r');
  try {
    if (fstatSync(descriptor).size === 0) return undefined;
    for (;;) {
      const meta = readNewestMeta(descriptor);
      if (typeof meta === 'string') return meta;
      if (holdsAllPages(descriptor, meta)) return undefined;
      // Another process may have committed meanwhile and reused pages: only a quiet look counts.
      const after = readNewestMeta(descriptor);
      if (typeof after === 'object' && after.transaction === meta.transaction) return 'cut';
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Lengthens a file that ends before its last page, as LMDB leaves it when its last pages are free: else each
 * {@link findLmdbFileCorruption} has to look at whole trees. Only where no one can commit meanwhile.
 *
 * @param file  `data.mdb`, in which nothing was found
 */
export function lengthenLmdbFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    const meta = readNewestMeta(descriptor);
    if (typeof meta === 'string' || !endsEarly(descriptor, meta)) return;
    ftruncateSync(descriptor, (Number(meta.lastPage) + 1) * meta.pageBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** @returns whether {@link lengthenLmdbFile} has something to do */
export function lmdbFileEndsEarly(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const meta = readNewestMeta(descriptor);
    return typeof meta === 'object' && endsEarly(descriptor, meta);
  } finally {
    closeSync(descriptor);
  }
}

interface Tree {
  readonly root: bigint;
  /** Levels from the root to the leaves, both counted. */
  readonly depth: number;
  /** Whether its leaves name pages: those of long values, or of other trees. */
  readonly leavesNamePages: boolean;
}

interface Meta {
  readonly pageBytes: number;
  /** The free list and the main database. */
  readonly trees: readonly Tree[];
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

function readNewestMeta(descriptor: number): Meta | LmdbFileCorruption {
  const first = readMeta(descriptor, 0);
  if (typeof first !== 'object') return first;
  const second = readMeta(descriptor, first.pageBytes);
  if (typeof second !== 'object') return second;
  return second.transaction > first.transaction ? second : first;
}

function readMeta(descriptor: number, position: number): Meta | LmdbFileCorruption {
  const bytes = Buffer.alloc(pageHeaderBytes + 144);
  const found = readSync(descriptor, bytes, 0, bytes.length, position);
  if (found < bytes.length) return 'cut';
  const meta = bytes.subarray(pageHeaderBytes);
  if (meta.readUInt32LE(0) !== magic) return 'foreign';
  if ((meta.readUInt32LE(4) & 0xffff) !== dataVersion) return 'version';
  return {
    pageBytes: meta.readUInt32LE(24),
    trees: [treeAt(meta, 24), { ...treeAt(meta, 72), leavesNamePages: true }],
    lastPage: meta.readBigUInt64LE(120),
    transaction: meta.readBigUInt64LE(128),
  };
}

/** @param position  of the description of a database */
function treeAt(bytes: Buffer, position: number): Tree {
  const flags = bytes.readUInt16LE(position + 4);
  const longValuePages = bytes.readBigUInt64LE(position + 24);
  return {
    root: bytes.readBigUInt64LE(position + 40),
    depth: bytes.readUInt16LE(position + 6),
    leavesNamePages: longValuePages > 0n || (flags & treeFlags.severalValues) !== 0,
  };
}

function pagesOf(descriptor: number, pageBytes: number): bigint {
  return BigInt(Math.floor(fstatSync(descriptor).size / pageBytes));
}

function endsEarly(descriptor: number, { pageBytes, lastPage }: Meta): boolean {
  return lastPage >= pagesOf(descriptor, pageBytes);
}

/**
 * A file may rightly be shorter than its last page says when its last pages are free. Where the leaves of a tree name no
 * pages, only its branches are read: a hundredth of its pages.
 */
function holdsAllPages(descriptor: number, meta: Meta): boolean {
  if (!endsEarly(descriptor, meta)) return true;
  const { pageBytes, trees } = meta;
  const pages = pagesOf(descriptor, pageBytes);
  const open: NamedPages[] = trees.flatMap(rootOf);
  const page = Buffer.alloc(pageBytes);
  for (let named = open.pop(); named !== undefined; named = open.pop()) {
    const { first, count, tree, level } = named;
    if (first + count > pages) return false;
    if (tree === undefined || (level === 1 && !tree.leavesNamePages)) continue;
    readSync(descriptor, page, 0, pageBytes, Number(first) * pageBytes);
    open.push(...pagesNamedBy(page, tree, level));
  }
  return true;
}

interface NamedPages {
  readonly first: bigint;
  readonly count: bigint;
  /** Of a long value, none: its pages name no others. */
  readonly tree?: Tree;
  /** Above its leaves, which are at 1. */
  readonly level: number;
}

function rootOf(tree: Tree): NamedPages[] {
  return tree.root === noPage ? [] : [{ first: tree.root, count: 1n, tree, level: tree.depth }];
}

function pagesNamedBy(page: Buffer, tree: Tree, level: number): NamedPages[] {
  const flags = page.readUInt16LE(18);
  const nodes = page.readUInt16LE(20) >> 1;
  const named: NamedPages[] = [];
  for (let n = 0; n < nodes; n++) {
    const node = page.subarray(pageHeaderBytes + page.readUInt16LE(pageHeaderBytes + 2 * n));
    if (flags & pageFlags.branch) named.push({ first: childOf(node), count: 1n, tree, level: level - 1 });
    if (flags & pageFlags.leaf) named.push(...pagesOfLeafNode(node));
  }
  return named;
}

/** 48 bits: the low and high half of the size field, then the flags field. */
function childOf(node: Buffer): bigint {
  return BigInt(node.readUIntLE(0, 6));
}

function pagesOfLeafNode(node: Buffer): NamedPages[] {
  const flags = node.readUInt16LE(4);
  const data = node.subarray(nodeHeaderBytes + node.readUInt16LE(6));
  if (flags & nodeFlags.overflow)
    return [{ first: data.readBigUInt64LE(0), count: data.readBigUInt64LE(16), level: 0 }];
  return flags & nodeFlags.subDatabase ? rootOf(treeAt(data, 0)) : [];
}
