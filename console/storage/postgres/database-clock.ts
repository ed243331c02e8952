/** How the clock of the database is against that of this process: what is asked of it anyway says so. */
import type { StorageLog } from '../engine/storage-log.ts';

export interface DatabaseClock {
  /** The database's against ours, milliseconds; 0 until it has been asked. */
  aheadMs(): number;
  /** Of the database, epoch milliseconds, as far as it is known: what is done to our clock changes it at the next answer at the latest. */
  now(): number;
  /** @param askedAt  of ours, before it was asked; @param clock  what it answered; both epoch milliseconds */
  answered(askedAt: number, clock: number): void;
}

/** More than that: what a console has dated ends early or late. */
const mostAheadMs = 5_000;
/** An answer that took longer says too little: this process was suspended, or the way is slow. */
const mostAnswerMs = 1_000;

/** @param now  epoch milliseconds */
export function createDatabaseClock(now: () => number, log: StorageLog | undefined): DatabaseClock {
  let aheadMs = 0;
  let isOff = false;
  /** Of the last answer, and when that was by a clock that goes on evenly. */
  let known: { readonly clock: number; readonly at: number } | undefined;

  return {
    aheadMs: () => aheadMs,
    now: () => (known ? Math.round(known.clock + performance.now() - known.at) : now()),
    answered(askedAt, clock) {
      const tookMs = now() - askedAt;
      if (tookMs < 0 || tookMs > mostAnswerMs) return;
      known = { clock: clock + tookMs / 2, at: performance.now() };
      aheadMs = Math.round(clock - askedAt - tookMs / 2);
      if (isOff === Math.abs(aheadMs) > mostAheadMs) return;
      isOff = !isOff;
      if (isOff)
        log?.warn({ aheadMs }, 'the clock of the database is not the one of this machine: set both by NTP');
      else log?.warn({ aheadMs }, 'the clock of the database is the one of this machine again');
    },
  };
}
