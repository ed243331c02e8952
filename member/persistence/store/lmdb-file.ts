import { existsSync } from 'node:fs';
import {
  firstDataPage,
  nodeFlags,
  nodesOf,
  type PageFile,
  pageFlags,
  readPage,
  type Visitor,
  walkLeaf,
  walkTree,
  withFile,
} from './lmdb-pages.ts';

export interface LeafEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/**
 * The first thing that is wrong with a file, in words that follow its path; `undefined` when LMDB can
 * use it, or when there is none.
 */
export function corruptionOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  let corruption: string | undefined;
  const visitor: Visitor = {
    onCorruption(found) {
      corruption ??= found;
      return undefined;
    },
    isDone: () => corruption !== undefined,
  };
  withFile(path, visitor, (file) => {
    walkTree(file, file.freeRoot, visitor, (_key, value) => {
      // A list that names pages that are not there would let LMDB write over data.
      if (freePagesIn(file, value) === undefined) visitor.onCorruption('its list of free pages is damaged');
    });
    walkTree(file, file.mainRoot, visitor, () => {});
  });
  return corruption;
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

const lenient: Visitor = { onCorruption: () => undefined, isDone: () => false };
const noPages: ReadonlySet<number> = new Set();

/** @param visit  is called for each entry, and of the transaction that wrote its page */
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
  const onCorruption = (): undefined => {
    isWhole = false;
  };
  const visitor: Visitor = { onCorruption, isDone: () => !isWhole };
  walkTree(file, file.freeRoot, visitor, (_key, value) => {
    for (const page of freePagesIn(file, value) ?? [onCorruption()]) if (page !== undefined) pages.add(page);
  });
  return isWhole ? pages : undefined;
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
