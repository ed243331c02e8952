/** What may be due a thousand times at once, a little in each turn of the event loop: probes and calls come in between. */
export type TimeSlicer = (task: () => void) => void;

/** Milliseconds of one turn of the event loop. */
const turnMs = 2;

export function createTimeSlicer(): TimeSlicer {
  const due: (() => void)[] = [];
  return (task) => {
    due.push(task);
    if (due.length === 1) setImmediate(runSome);
  };

  function runSome(): void {
    const until = performance.now() + turnMs;
    let done = 0;
    try {
      do due[done++]!();
      while (done < due.length && performance.now() < until);
    } finally {
      due.splice(0, done);
      if (due.length > 0) setImmediate(runSome);
    }
  }
}
