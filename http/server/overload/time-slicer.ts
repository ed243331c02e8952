/** Turns in a row in which nothing runs because connections come: what is due waits a few milliseconds, and not for ever. */
const mostTurnsGiven = 16;

/**
 * What may be due a thousand times at once, a little in each turn of the event loop: probes, and calls on connections
 * that were served before, come in between. Each of those needs several turns, so a turn has to be short.
 */
export class TimeSlicer {
  private readonly turnMs: number;
  private due: (() => void)[] = [];
  /** Monotonic milliseconds; undefined while nothing has run in this turn. */
  private turnBegan: number | undefined;
  private isScheduled = false;
  private givesWay = false;
  private turnsGiven = 0;

  /** @param turnMs  milliseconds of one turn that may be taken; what has begun then is not cut short */
  constructor(turnMs: number) {
    this.turnMs = turnMs;
  }

  /** Runs it at once when nothing waits and this turn has time for it, else as {@link later}. */
  soon(task: () => void): void {
    if (this.due.length > 0 || !this.hasTime()) {
      this.later(task);
      return;
    }
    this.schedule();
    task();
  }

  /**
   * To be called when a connection came in this turn. A turn takes one from the system's queue, so while there are more the
   * turns are kept short: whoever asks by a new connection stands behind all that came before it.
   */
  giveWay(): void {
    this.givesWay = true;
    this.schedule();
  }

  /** Runs it in one of the next turns, in order. */
  later(task: () => void): void {
    this.due.push(task);
    this.schedule();
  }

  private hasTime(): boolean {
    if (this.givesWay) return false;
    const now = performance.now();
    this.turnBegan ??= now;
    return now - this.turnBegan < this.turnMs;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.turnBegan = undefined;
      const waits = this.givesWay && this.due.length > 0 && this.turnsGiven < mostTurnsGiven;
      this.givesWay = false;
      this.turnsGiven = waits ? this.turnsGiven + 1 : 0;
      if (waits) this.schedule();
      else if (this.due.length > 0) this.runSome();
    });
  }

  private runSome(): void {
    let done = 0;
    this.turnBegan = performance.now();
    try {
      do this.due[done++]!();
      while (done < this.due.length && this.hasTime());
    } finally {
      this.due.splice(0, done);
      if (this.due.length > 0) this.schedule();
      else this.turnBegan = undefined;
    }
  }
}
