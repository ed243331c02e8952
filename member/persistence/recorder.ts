import type { Change, ChangeRecorder } from '../data/changes.ts';
import { operationOf } from './operations.ts';
import type { Safety, WriteQueue } from './write-queue.ts';

export interface RecorderDeps {
  readonly writes: Pick<WriteQueue, 'add'>;
  /** What a caller waits for; `undefined` for a change of what is not persisted. */
  readonly safetyOf: (change: Change) => Safety | undefined;
}

/** Turns changes into writes, and applies them once those are safe. */
export function createRecorder({ writes, safetyOf }: RecorderDeps): ChangeRecorder {
  /** Puts that are not applied yet: an entry that expires meanwhile must not take the new one along. */
  const unapplied = new Map<string, number>();

  function countUnapplied(change: Change, by: 1 | -1): void {
    if (change.kind !== 'put') return;
    const key = unappliedKey(change.map, change.key);
    const count = (unapplied.get(key) ?? 0) + by;
    if (count === 0) unapplied.delete(key);
    else unapplied.set(key, count);
  }

  return {
    record(change, apply) {
      const safety = safetyOf(change);
      if (safety === undefined) return apply();
      const operation = operationOf(change);
      countUnapplied(change, 1);
      return new Promise((resolve, reject) => {
        writes.add({
          operation,
          safety,
          done() {
            countUnapplied(change, -1);
            resolve(apply());
          },
          failed(error) {
            countUnapplied(change, -1);
            reject(error);
          },
        });
      });
    },

    append(change) {
      if (safetyOf(change) === undefined) return;
      if (change.kind === 'expired' && unapplied.has(unappliedKey(change.map, change.key))) return;
      const operation = operationOf(change);
      writes.add({ operation, safety: 'system', isFact: true, done() {}, failed() {} });
    },
  };
}

/** No two pairs have the same one, whatever characters the names hold. */
function unappliedKey(map: string, key: string): string {
  return `${map.length}:${map}${key}`;
}
