/**
 * Looks at an LMDB file before LMDB does: reading beyond the end of a mapped file kills the process
 * (SIGBUS), and the binding may crash after refusing a file that is not LMDB's. Knows just enough of
 * the format of lmdb 3.x (LMDB data version 2, little endian) to follow the page numbers.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const pageHeaderBytes = 24;
const nodeHeaderBytes = 8;
const magic = 0xbeefc0de;
const dataVersion = 2;
const noPage = 0xffff_ffff_ffff_ffffn;
const pageFlags = { branch: 0x01, leaf: 0x02 };
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

interface Meta {
  readonly pageBytes: number;
  /** Root pages of the free list and of the main database. */
  readonly roots: readonly bigint[];
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
    roots: [meta.readBigUInt64LE(64), meta.readBigUInt64LE(112)],
    lastPage: meta.readBigUInt64LE(120),
    transaction: meta.readBigUInt64LE(128),
  };
}

/** A file may rightly be shorter than its last page says when its last pages are free. */
function holdsAllPages(descriptor: number, { pageBytes, roots, lastPage }: Meta): boolean {
  const pages = BigInt(Math.floor(fstatSync(descriptor).size / pageBytes));
  if (lastPage < pages) return true;

  const open = roots.filter((root) => root !== noPage);
  const page = Buffer.alloc(pageBytes);
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (number >= pages) return false;
    readSync(descriptor, page, 0, pageBytes, Number(number) * pageBytes);
    for (const { first, count, isTree } of pagesNamedBy(page)) {
      if (first + count > pages) return false;
      if (isTree) open.push(first);
    }
  }
  return true;
}

interface NamedPages {
  readonly first: bigint;
  readonly count: bigint;
  /** Whether that page names further ones. */
  readonly isTree: boolean;
}

function pagesNamedBy(page: Buffer): NamedPages[] {
  const flags = page.readUInt16LE(18);
  const nodes = page.readUInt16LE(20) >> 1;
  const named: NamedPages[] = [];
  for (let n = 0; n < nodes; n++) {
    const node = page.subarray(pageHeaderBytes + page.readUInt16LE(pageHeaderBytes + 2 * n));
    if (flags & pageFlags.branch) named.push({ first: childOf(node), count: 1n, isTree: true });
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
  if (flags & nodeFlags.overflow) {
    return [{ first: data.readBigUInt64LE(0), count: data.readBigUInt64LE(16), isTree: false }];
  }
  if (!(flags & nodeFlags.subDatabase)) return [];
  const root = data.readBigUInt64LE(40);
  return root === noPage ? [] : [{ first: root, count: 1n, isTree: true }];
}
