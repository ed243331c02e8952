import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Reads an LMDB file without LMDB: a page that is not what the pages before it say ends the whole
 * process there (SIGBUS, SIGSEGV), so a file is walked page by page before it is opened, and what can
 * be read of a damaged one is read here. Knows the format of lmdb 3.x (LMDB data version 2, little endian).
 */
const pageHeadBytes = 24;
const nodeHeadBytes = 8;
const magic = 0xbeefc0de;
const dataVersion = 2;
const noPage = 0xffff_ffff_ffff_ffffn;
const pageFlags = { branch: 0x01, leaf: 0x02, overflow: 0x04 };
const nodeFlags = { overflow: 0x01, subDatabase: 0x02 };
const firstDataPage = 2;

export interface LeafEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/**
 * The first thing that is wrong with a file, in words that follow its path; `undefined` when LMDB can
 * use it, or when there is none.
 */
export function flawOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  let flaw: string | undefined;
  const visitor: Visitor = {
    onFlaw(found) {
      flaw ??= found;
      return undefined;
    },
    isDone: () => flaw !== undefined,
  };
  withFile(path, visitor, (file) => {
    walkTree(file, file.freeRoot, visitor, (_key, value) => {
      // A list that names pages that are not there would let LMDB write over data.
      if (freePagesIn(file, value) === undefined) visitor.onFlaw('its list of free pages is damaged');
    });
    walkTree(file, file.mainRoot, visitor, () => {});
  });
  return flaw;
}

/**
 * All entries that can still be read, in no order, without the tree that would lead to them. The list of
 * free pages tells what is out of date; without it the newest state of a key is taken, which may be one
 * that was removed later.
 *
 * @returns whether the list of free pages could be read
 */
export function readableEntries(path: string, onEntry: (entry: LeafEntry) => void): boolean {
  let free: ReadonlySet<number> | undefined;
  withFile(path, lenient, (file) => {
    free = freePagesOf(file);
    const newest = new Map<string, bigint>();
    const nameOf = (key: Buffer) => key.toString('latin1');
    if (free === undefined) {
      eachLeaf(file, noPages, ({ key }, transaction) => {
        const known = newest.get(nameOf(key));
        if (known === undefined || known < transaction) newest.set(nameOf(key), transaction);
      });
    }
    eachLeaf(file, free ?? noPages, (entry, transaction) => {
      if (free !== undefined || newest.get(nameOf(entry.key)) === transaction) onEntry(entry);
    });
  });
  return free !== undefined;
}

const lenient: Visitor = { onFlaw: () => undefined, isDone: () => false };
const noPages: ReadonlySet<number> = new Set();

/** @param visit  hears of each entry, and of the transaction that wrote its page */
function eachLeaf(
  file: PageFile,
  free: ReadonlySet<number>,
  visit: (entry: LeafEntry, transaction: bigint) => void,
): void {
  for (let number = firstDataPage; number <= file.lastPage && number < file.pages; number += 1) {
    const page = free.has(number) ? undefined : readPage(file, number, 1);
    if (page === undefined || !(page.readUInt16LE(18) & pageFlags.leaf)) continue;
    const transaction = page.readBigUInt64LE(8);
    for (const node of nodesOf(page) ?? []) {
      if (node.readUInt16LE(4) & nodeFlags.subDatabase) continue;
      walkLeaf(file, node, lenient, (key, value) => visit({ key, value }, transaction));
    }
  }
}

/** @returns `undefined` when some of the list cannot be read */
function freePagesOf(file: PageFile): ReadonlySet<number> | undefined {
  if (file.transaction === 0n) return undefined;
  const pages = new Set<number>();
  let isWhole = true;
  const onFlaw = (): undefined => {
    isWhole = false;
  };
  const visitor: Visitor = { onFlaw, isDone: () => !isWhole };
  walkTree(file, file.freeRoot, visitor, (_key, value) => {
    for (const page of freePagesIn(file, value) ?? [onFlaw()]) if (page !== undefined) pages.add(page);
  });
  return isWhole ? pages : undefined;
}

interface Visitor {
  onFlaw(flaw: string): undefined;
  isDone(): boolean;
}

function withFile(path: string, visitor: Visitor, work: (file: PageFile) => void): void {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = fstatSync(descriptor).size;
    if (bytes === 0) return; // LMDB initialises it
    const meta = readNewestMeta(descriptor, visitor) ?? guessedMeta(bytes);
    work({ descriptor, ...meta, pages: Math.floor(bytes / meta.pageBytes) });
  } finally {
    closeSync(descriptor);
  }
}

interface Meta {
  readonly pageBytes: number;
  readonly freeRoot: bigint;
  readonly mainRoot: bigint;
  readonly lastPage: number;
  readonly transaction: bigint;
}

interface PageFile extends Meta {
  readonly descriptor: number;
  /** Whole pages that the file holds; free ones at its end may be missing. */
  readonly pages: number;
}

function readNewestMeta(descriptor: number, visitor: Visitor): Meta | undefined {
  const first = readMeta(descriptor, 0);
  const second = readMeta(descriptor, first?.pageBytes ?? 4096);
  for (const [page, meta] of [first, second].entries()) {
    if (meta === undefined) visitor.onFlaw(`its head (page ${page}) is not that of a store of this member`);
  }
  if (first === undefined || second === undefined) return first ?? second;
  return second.transaction > first.transaction ? second : first;
}

/** For a file whose heads are both lost: it leads nowhere, but its pages may still be read one by one. */
function guessedMeta(bytes: number): Meta {
  const pageBytes = 4096;
  const lastPage = Math.floor(bytes / pageBytes) - 1;
  return { pageBytes, freeRoot: noPage, mainRoot: noPage, lastPage, transaction: 0n };
}

function readMeta(descriptor: number, position: number): Meta | undefined {
  const bytes = Buffer.alloc(pageHeadBytes + 144);
  if (readSync(descriptor, bytes, 0, bytes.length, position) < bytes.length) return undefined;
  const meta = bytes.subarray(pageHeadBytes);
  const pageBytes = meta.readUInt32LE(24);
  if (meta.readUInt32LE(0) !== magic || (meta.readUInt32LE(4) & 0xffff) !== dataVersion) return undefined;
  if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) return undefined;
  return {
    pageBytes,
    freeRoot: meta.readBigUInt64LE(64),
    mainRoot: meta.readBigUInt64LE(112),
    lastPage: Number(meta.readBigUInt64LE(120)),
    transaction: meta.readBigUInt64LE(128),
  };
}

type OnLeaf = (key: Buffer, value: Buffer) => void;

function walkTree(file: PageFile, root: bigint, visitor: Visitor, onLeaf: OnLeaf): undefined {
  if (root === noPage) return;
  const open = [Number(root)];
  const seen = new Set<number>();
  for (let number = open.pop(); number !== undefined && !visitor.isDone(); number = open.pop()) {
    const page = seen.has(number) ? undefined : readPage(file, number, 1);
    seen.add(number);
    const nodes = page && nodesOf(page);
    if (nodes === undefined) visitor.onFlaw(`page ${number} is damaged or missing`);
    else if (page!.readUInt16LE(18) & pageFlags.branch) open.push(...nodes.map(childOf).reverse());
    else for (const node of nodes) walkLeaf(file, node, visitor, onLeaf);
  }
}

function walkLeaf(file: PageFile, node: Buffer, visitor: Visitor, onLeaf: OnLeaf): undefined {
  const flags = node.readUInt16LE(4);
  const keyEnd = nodeHeadBytes + node.readUInt16LE(6);
  const key = node.subarray(nodeHeadBytes, keyEnd);
  const valueBytes = node.readUInt16LE(0) | (node.readUInt16LE(2) << 16);
  const value =
    flags & nodeFlags.overflow
      ? overflowOf(file, node, keyEnd, valueBytes)
      : within(node, keyEnd, valueBytes);
  if (value === undefined) return visitor.onFlaw('the value of a record is damaged or missing');
  if (flags & nodeFlags.subDatabase) {
    if (value.length < 48) return visitor.onFlaw('the head of a part of it is damaged');
    return walkTree(file, value.readBigUInt64LE(40), visitor, onLeaf);
  }
  onLeaf(Buffer.from(key), Buffer.from(value));
}

function within(node: Buffer, start: number, bytes: number): Buffer | undefined {
  return start + bytes <= node.length ? node.subarray(start, start + bytes) : undefined;
}

/** A large value has pages of its own, one after the other; only the first one has a head. */
function overflowOf(file: PageFile, node: Buffer, start: number, bytes: number): Buffer | undefined {
  if (start + 24 > node.length) return undefined;
  const count = Number(node.readBigUInt64LE(start + 16));
  if (count * file.pageBytes < pageHeadBytes + bytes || count > file.pages) return undefined;
  const pages = readPage(file, Number(node.readBigUInt64LE(start)), count);
  if (pages === undefined || !(pages.readUInt16LE(18) & pageFlags.overflow)) return undefined;
  return pages.subarray(pageHeadBytes, pageHeadBytes + bytes);
}

/** @returns `undefined` unless it is there and says that it is that page */
function readPage({ descriptor, pageBytes, pages, lastPage }: PageFile, number: number, count: number) {
  if (number < firstDataPage || number + count - 1 > lastPage || number + count > pages) return undefined;
  const page = Buffer.alloc(pageBytes * count);
  readSync(descriptor, page, 0, page.length, number * pageBytes);
  return Number(page.readBigUInt64LE(0)) === number ? page : undefined;
}

/** @returns `undefined` unless all of them lie inside the page */
function nodesOf(page: Buffer): Buffer[] | undefined {
  const flags = page.readUInt16LE(18);
  if (!(flags & pageFlags.branch) === !(flags & pageFlags.leaf)) return undefined;
  const body = page.subarray(pageHeadBytes);
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  if (lower % 2 !== 0 || lower > upper || upper > body.length) return undefined;
  const nodes: Buffer[] = [];
  for (let at = 0; at < lower; at += 2) {
    const start = body.readUInt16LE(at);
    if (start < upper || start + nodeHeadBytes > body.length) return undefined;
    const node = body.subarray(start);
    if (nodeHeadBytes + node.readUInt16LE(6) > node.length) return undefined;
    nodes.push(node);
  }
  return nodes;
}

/** 48 bits: the low and high half of the size field, then the flags field. */
function childOf(node: Buffer): number {
  return node.readUIntLE(0, 6);
}

/** @returns `undefined` when it names pages that are not there */
function freePagesIn({ lastPage }: PageFile, value: Buffer): number[] | undefined {
  const count = value.length >= 8 ? Number(value.readBigUInt64LE(0)) : -1;
  if (count < 0 || (count + 1) * 8 > value.length) return undefined;
  const pages: number[] = [];
  let run = 1;
  for (let at = 1; at <= count; at += 1) {
    const entry = Number(value.readBigInt64LE(at * 8));
    // lmdb lists a run of pages as its length, negative, and its first page; a place may be empty.
    if (entry > 0) {
      if (entry + run - 1 > lastPage) return undefined;
      for (let page = entry; page < entry + run; page += 1) pages.push(page);
    }
    run = entry < 0 ? -entry : 1;
  }
  return pages;
}
