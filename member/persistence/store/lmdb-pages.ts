import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The pages of an LMDB file, read without LMDB: one that is not what the pages before it say ends the
 * whole process there (SIGBUS, SIGSEGV). Knows the format of lmdb 3.x (LMDB data version 2, little endian).
 */
const pageHeadBytes = 24;
const nodeHeadBytes = 8;
const magic = 0xbeefc0de;
const dataVersion = 2;
const noPage = 0xffff_ffff_ffff_ffffn;
export const pageFlags = { branch: 0x01, leaf: 0x02, overflow: 0x04 };
export const nodeFlags = { overflow: 0x01, subDatabase: 0x02 };
export const firstDataPage = 2;

/** What a walk meets. */
export interface Visitor {
  onCorruption(corruption: string): undefined;
  isDone(): boolean;
}

export function withFile(path: string, visitor: Visitor, work: (file: PageFile) => void): void {
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

export interface PageFile extends Meta {
  readonly descriptor: number;
  /** Whole pages that the file holds; free ones at its end may be missing. */
  readonly pages: number;
}

function readNewestMeta(descriptor: number, visitor: Visitor): Meta | undefined {
  const first = readMeta(descriptor, 0);
  const second = readMeta(descriptor, first?.pageBytes ?? 4096);
  for (const [page, meta] of [first, second].entries()) {
    if (meta === undefined)
      visitor.onCorruption(`its head (page ${page}) is not that of a store of this member`);
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

export type OnLeaf = (key: Buffer, value: Buffer) => void;

export function walkTree(file: PageFile, root: bigint, visitor: Visitor, onLeaf: OnLeaf): undefined {
  if (root === noPage) return;
  const open = [Number(root)];
  const seen = new Set<number>();
  for (let number = open.pop(); number !== undefined && !visitor.isDone(); number = open.pop()) {
    const page = seen.has(number) ? undefined : readPage(file, number, 1);
    seen.add(number);
    const nodes = page && nodesOf(page);
    if (nodes === undefined) visitor.onCorruption(`page ${number} is damaged or missing`);
    else if (page!.readUInt16LE(18) & pageFlags.branch) open.push(...nodes.map(childOf).reverse());
    else for (const node of nodes) walkLeaf(file, node, visitor, onLeaf);
  }
}

export function walkLeaf(file: PageFile, node: Buffer, visitor: Visitor, onLeaf: OnLeaf): undefined {
  const flags = node.readUInt16LE(4);
  const keyEnd = nodeHeadBytes + node.readUInt16LE(6);
  const key = node.subarray(nodeHeadBytes, keyEnd);
  const valueBytes = node.readUInt16LE(0) | (node.readUInt16LE(2) << 16);
  const value =
    flags & nodeFlags.overflow
      ? overflowOf(file, node, keyEnd, valueBytes)
      : within(node, keyEnd, valueBytes);
  if (value === undefined) return visitor.onCorruption('the value of a record is damaged or missing');
  if (flags & nodeFlags.subDatabase) {
    if (value.length < 48) return visitor.onCorruption('the head of a part of it is damaged');
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
export function readPage(
  { descriptor, pageBytes, pages, lastPage }: PageFile,
  number: number,
  count: number,
) {
  if (number < firstDataPage || number + count - 1 > lastPage || number + count > pages) return undefined;
  const page = Buffer.alloc(pageBytes * count);
  readSync(descriptor, page, 0, page.length, number * pageBytes);
  return Number(page.readBigUInt64LE(0)) === number ? page : undefined;
}

/** @returns `undefined` unless all of them lie inside the page */
export function nodesOf(page: Buffer): Buffer[] | undefined {
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
