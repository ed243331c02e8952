import type { Connection } from './attempt.ts';

export interface Resting {
  /** Answered in this turn. */
  readonly count: number;
  /** Answered in this turn or the one before: whoever waits already would get it before it is read once more. */
  readonly countForWaiting: number;
  add(connection: Connection): void;
}

export interface RestingEvents {
  /** @param rested  may be given to calls that come from now on, as far as they still stand */
  onRested(rested: readonly Connection[]): void;
  /** All reads of one more turn are over: those that wait may have them as well. */
  onRead(): void;
}

export function createResting({ onRested, onRead }: RestingEvents): Resting {
  let resting: Connection[] = [];
  let rested = 0;
  let isTurning = false;

  return {
    get count() {
      return resting.length;
    },
    get countForWaiting() {
      return resting.length + rested;
    },
    add(connection) {
      resting.push(connection);
      if (isTurning) return;
      isTurning = true;
      setImmediate(turn);
    },
  };

  /** Runs after the reads of each turn, as long as there is something to wait for. */
  function turn(): void {
    const hasRead = rested > 0;
    const next = resting;
    rested = next.length;
    resting = [];
    isTurning = rested > 0;
    if (isTurning) setImmediate(turn);
    if (hasRead) onRead();
    if (isTurning) onRested(next);
  }
}
