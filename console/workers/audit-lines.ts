import type { LineSink } from '../../platform/log-output.ts';

/** Lines that come within this time go together: a message costs more than twenty of them. */
const gatherMs = 10;

/** On their way to the audit trail, which another process writes. */
export function createAuditLines(send: (lines: readonly string[]) => void) {
  let waiting: string[] = [];
  let sink: LineSink | undefined;

  return {
    write(line: string) {
      if (sink) {
        sink.write(line);
        return;
      }
      if (waiting.length === 0) setTimeout(flush, gatherMs);
      waiting.push(line);
    },
    flush,
    /** There is nobody to send to any more. */
    sendTo(other: LineSink) {
      sink = other;
      for (const line of waiting.splice(0)) other.write(line);
    },
  };

  function flush(): void {
    if (waiting.length === 0) return;
    const lines = waiting;
    waiting = [];
    send(lines);
  }
}
