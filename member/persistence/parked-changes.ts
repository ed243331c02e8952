import type { Change } from '../data/changes.ts';
import { type Operation, operationOf } from './operations.ts';

/**
 * What was persisted of maps and queues that are not now: it stays on the disk, for a start with a configuration
 * that has them again.
 */
export interface ParkedChanges {
  add(change: Change): void;
  /** A newer change of the same key counts. */
  supersede(change: Change): void;
  operations(): Iterable<Operation>;
}

export function createParkedChanges(): ParkedChanges {
  /** By map or queue, and by key or number. */
  const all = new Map<string, Map<string | number, Operation>>();

  function supersede(change: Change): void {
    const structure = structureOf(change);
    if (change.kind === 'clear') all.delete(structure);
    else all.get(structure)?.delete(placeOf(change));
  }

  return {
    add(change) {
      supersede(change);
      if (change.kind !== 'put' && change.kind !== 'offer') return;
      const structure = structureOf(change);
      const places = all.get(structure) ?? new Map<string | number, Operation>();
      all.set(structure, places.set(placeOf(change), operationOf(change)));
    },
    supersede(change) {
      if (all.size > 0) supersede(change);
    },
    *operations() {
      for (const places of all.values()) yield* places.values();
    },
  };
}

function structureOf(change: Change): string {
  return 'map' in change ? `map ${change.map}` : `queue ${change.queue}`;
}

function placeOf(change: Exclude<Change, { kind: 'clear' }>): string | number {
  return 'map' in change ? change.key : change.number;
}
