import { TimeSlicer } from './time-slicer.ts';

/** When a connection goes on with what was sent ahead on it: never at once, so that others come in between. */
export type SentAhead = ReturnType<typeof createSentAhead>;

/** Of the quick ones: milliseconds of one turn of the event loop. */
const turnMs = 2;
/** Of the others one in so many milliseconds, of all connections together: a small part of a processor. */
const pauseMs = 10;

export function createSentAhead() {
  const quick = new TimeSlicer(turnMs);
  const slow: (() => void)[] = [];
  let isSlowDue = false;

  return {
    /**
     * @param isQuick  whether it asks for calls to members that succeed: some programs send those ahead, for the sake of
     *   speed. Nobody who means well does so with pages and endpoints, nor with what is refused
     */
    next(goOn: () => void, isQuick: boolean) {
      if (isQuick) {
        quick.later(goOn);
        return;
      }
      slow.push(goOn);
      dueSlow();
    },
  };

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
