import type { Call } from './call.ts';

/** The calls that wait for a member. */
export interface InFlightCalls {
  add(call: Call): void;
  /** Nothing happens when it is not among them. */
  remove(call: Call): void;
  /** Those of this moment; they may come and go meanwhile. */
  list(): readonly Call[];
}

/**
 * An array in which each call knows its place. A `Set` through which everything passes once makes itself a new table
 * every few calls, and the old one, once it is among the old objects of the heap, keeps the new one and all its
 * calls from the quick collections: that took more processor time than the checks of a call.
 */
export function createInFlightCalls(): InFlightCalls {
  const calls: Call[] = [];
  return {
    add(call) {
      call.place = calls.push(call) - 1;
    },
    remove(call) {
      if (call.place === undefined) return;
      const last = calls.pop()!;
      if (last !== call) {
        calls[call.place] = last;
        last.place = call.place;
      }
      call.place = undefined;
    },
    list: () => [...calls],
  };
}
