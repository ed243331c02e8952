import {
  checksumBytes,
  endOf,
  headBytes,
  isOfStructure,
  type Operation,
  operations,
  prefixBytes,
} from './operations.ts';

/** What operations do to the records beneath them: the last one on each key, and what was purged before. */
export interface Overlay {
  /** Adds packed operations behind those that are there. @returns whether they are whole */
  add(packed: Buffer): boolean;
  /** The greatest number of a structure that any of them names. */
  readonly lastId: number;
  /** Whether a record beneath with this key was purged. */
  isPurged(key: Buffer): boolean;
  /** The prefixes whose records beneath were purged. */
  purged(): Buffer[];
  /** The last operation on each key, puts and removals, in the order of the keys; none is added meanwhile. */
  inOrder(): Iterable<Operation>;
}

/** @param bytes  what the operations will take, about: they are copied to one place */
export function createOverlay(bytes: number): Overlay {
  let all: Buffer = Buffer.allocUnsafeSlow(bytes);
  let used = 0;
  /** Where the last operation on a key begins, by the kind and number in the key: a purge forgets all of a number. */
  const groups = new Map<number, Map<string, number>>();
  const purged = new Map<number, Buffer>();
  let lastId = 0;

  function groupOf(number: number): Map<string, number> {
    const known = groups.get(number);
    if (known !== undefined) return known;
    const group = new Map<string, number>();
    groups.set(number, group);
    return group;
  }

  function take(at: number): void {
    const keyStart = at + headBytes;
    const keyEnd = keyStart + all.readUInt16BE(at + 1);
    const number = groupNumber(all, keyStart);
    lastId = Math.max(lastId, idIn(all, at, keyEnd));
    if (all[at] === operations.purge) {
      purged.set(number, Buffer.from(all.subarray(keyStart, keyEnd)));
      groups.delete(number);
    } else groupOf(number).set(all.toString('latin1', keyStart, keyEnd), at);
  }

  return {
    add(packed) {
      const end = used + packed.length;
      if (end > all.length) all = Buffer.concat([all], 2 * end);
      packed.copy(all, used);
      while (used < end) {
        const next = endOf(all, used);
        if (next === undefined || next > end) return false;
        take(used);
        used = next;
      }
      return true;
    },
    get lastId() {
      return lastId;
    },
    isPurged: (key) => purged.size > 0 && key.length >= prefixBytes && purged.has(groupNumber(key, 0)),
    purged: () => [...purged.values()],
    *inOrder() {
      for (const number of [...groups.keys()].sort((a, b) => a - b)) {
        const group = groups.get(number)!;
        // One latin1 character for each byte: they sort as the keys do.
        for (const key of [...group.keys()].sort()) {
          const at = group.get(key)!;
          yield all.subarray(at, endOf(all, at));
        }
      }
    },
  };
}

/** As keys sort: the kind of the record, and the number of what holds an entry or item. */
function groupNumber(bytes: Buffer, at: number): number {
  const kind = bytes[at]!;
  return kind === 0 ? 0 : kind * 2 ** 32 + bytes.readUInt32BE(at + 1);
}

/** The number of a structure that the operation at `at` names, 0 when it names none. */
function idIn(packed: Buffer, at: number, keyEnd: number): number {
  if (!isOfStructure(packed, at)) return packed.readUInt32BE(at + headBytes + 1);
  return packed[at] === operations.put ? packed.readUInt32BE(keyEnd + checksumBytes + 1) : 0;
}
