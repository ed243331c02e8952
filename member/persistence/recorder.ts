import type { Change, ChangeRecorder } from '../data/changes.ts';
import type { Operation } from './operations.ts';
import {
  purge,
  putEntry,
  putItem,
  putStructure,
  removeEntry,
  removeItem,
  removeStructure,
  type StructureKind,
} from './records.ts';
import type { Safety, WriteQueue } from './write-queue.ts';

/** The numbers that structures have in the store. */
export interface StructureNumbers {
  readonly map: Map<string, number>;
  readonly queue: Map<string, number>;
  last: number;
}

export interface RecorderDeps {
  readonly numbers: StructureNumbers;
  readonly writes: Pick<WriteQueue, 'add'>;
  /** What a caller waits for; `undefined` for a structure that is not persisted. */
  readonly safetyOf: (structure: StructureKind, name: string) => Safety | undefined;
}

/** Turns changes into writes, and applies them once those are safe. */
export function createRecorder({ numbers, writes, safetyOf }: RecorderDeps): ChangeRecorder {
  /** Puts that are not applied yet: an entry that expires meanwhile must not take the new one along. */
  const unapplied = new Map<string, number>();

  /** What a change does to the store, and how to take back what was prepared for it. */
  function planOf(change: Change): { operations: Operation[]; undo?: () => void } {
    switch (change.kind) {
      case 'put': {
        const { id, operations, undo } = numberOf('map', change.map);
        return {
          operations: [...operations, putEntry(id, change.key, change.value, change.writtenAt)],
          undo,
        };
      }
      case 'offer': {
        const { id, operations, undo } = numberOf('queue', change.queue);
        return { operations: [...operations, putItem(id, change.number, change.item)], undo };
      }
      case 'remove':
      case 'expired': {
        const id = numbers.map.get(change.map);
        return { operations: id === undefined ? [] : [removeEntry(id, change.key)] };
      }
      case 'delivered': {
        const id = numbers.queue.get(change.queue);
        return { operations: id === undefined ? [] : [removeItem(id, change.number)] };
      }
      case 'clear': {
        const { map: name } = change;
        const id = numbers.map.get(name);
        if (id === undefined) return { operations: [] };
        numbers.map.delete(name);
        return {
          operations: [removeStructure('map', name), purge('map', id)],
          undo: () => void numbers.map.set(name, id),
        };
      }
    }
  }

  function numberOf(structure: StructureKind, name: string) {
    const known = numbers[structure].get(name);
    if (known !== undefined) return { id: known, operations: [], undo() {} };
    numbers.last += 1;
    const id = numbers.last;
    numbers[structure].set(name, id);
    return {
      id,
      operations: [putStructure(structure, name, id)],
      undo: () => void numbers[structure].delete(name),
    };
  }

  function countUnapplied(change: Change, by: 1 | -1): void {
    if (change.kind !== 'put') return;
    const key = unappliedKey(change.map, change.key);
    const count = (unapplied.get(key) ?? 0) + by;
    if (count === 0) unapplied.delete(key);
    else unapplied.set(key, count);
  }

  return {
    record(change, apply) {
      const safety = safetyFor(change);
      if (safety === undefined) return apply();
      const { operations, undo } = planOf(change);
      if (operations.length === 0) return apply();
      countUnapplied(change, 1);
      return new Promise((resolve, reject) => {
        writes.add({
          operations,
          safety,
          done() {
            countUnapplied(change, -1);
            resolve(apply());
          },
          failed(error) {
            countUnapplied(change, -1);
            undo?.();
            reject(error);
          },
        });
      });
    },

    note(change) {
      if (safetyFor(change) === undefined) return;
      if (change.kind === 'expired' && unapplied.has(unappliedKey(change.map, change.key))) return;
      const { operations } = planOf(change);
      if (operations.length === 0) return;
      writes.add({ operations, safety: 'journal', isFact: true, done() {}, failed() {} });
    },
  };

  function safetyFor(change: Change): Safety | undefined {
    return 'map' in change ? safetyOf('map', change.map) : safetyOf('queue', change.queue);
  }
}

/** No two pairs have the same one, whatever characters the names hold. */
function unappliedKey(map: string, key: string): string {
  return `${map.length}:${map}${key}`;
}
