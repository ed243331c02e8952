/** When a connection goes on with what was sent ahead on it: never at once, so that others come in between. */
export interface SentAhead {
  /**
   * @param isQuick  whether it asks for calls to members that succeed: some programs send those ahead, for the sake of
   *   speed. Nobody who means well does so with pages and endpoints, nor with what is refused
   */
  next(goOn: () => void, isQuick: boolean): void;
}

/** Of the quick ones: milliseconds of one turn of the event loop. */
const turnMs = 2;
/** Of the others one in so many milliseconds, of all connections together: a small part of a processor. */
const pauseMs = 10;

/** @param now  monotonic milliseconds */
export function createSentAhead(now: () => number): SentAhead {
  const quick: (() => void)[] = [];
  const slow: (() => void)[] = [];
  let isQuickDue = false;
  let isSlowDue = false;

  return {
    next(goOn, isQuick) {
      (isQuick ? quick : slow).push(goOn);
      if (isQuick) dueQuick();
      else dueSlow();
    },
  };

  function dueQuick(): void {
    if (isQuickDue) return;
    isQuickDue = true;
    setImmediate(() => {
      isQuickDue = false;
      const until = now() + turnMs;
      const due = quick.splice(0);
      let done = 0;
      do due[done++]!();
      while (done < due.length && now() < until);
      quick.unshift(...due.slice(done));
      if (quick.length > 0) dueQuick();
    });
  }

  function dueSlow(): void {
    if (isSlowDue) return;
    isSlowDue = true;
    setTimeout(() => {
      isSlowDue = false;
      slow.shift()!();
      if (slow.length > 0) dueSlow();
    }, pauseMs).unref();
  }
}
