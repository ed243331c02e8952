/**
 * Connections that have just been answered. Each is read once more before anybody gets it: a member that answers twice
 * spoils its connection so, where the next caller would take the late answer for the one to his own call.
 */
import type { Connection } from './connection.ts';

export interface Resting {
  readonly count: number;
  add(connection: Connection): void;
}

/** @param onRested  gets those that may be given out again, as far as they still stand */
export function createResting(onRested: (rested: readonly Connection[]) => void): Resting {
  let arrived: Connection[] = [];
  let read: Connection[] = [];
  let isTurning = false;

  return {
    get count() {
      return arrived.length + read.length;
    },
    add(connection) {
      arrived.push(connection);
      if (isTurning) return;
      isTurning = true;
      setImmediate(turn);
    },
  };

  /** Runs after the reads of each turn of the event loop; the first may have come before the last answers. */
  function turn(): void {
    const rested = read;
    read = arrived;
    arrived = [];
    if (read.length > 0) setImmediate(turn);
    else isTurning = false;
    if (rested.length > 0) onRested(rested);
  }
}
