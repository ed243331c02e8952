import type { LineSink } from '../../platform/log-output.ts';

/** Lines that come within this time go together: a message costs more than twenty of them. */
const gatherMs = 10;

/** On their way to the audit trail, which another process writes. */
export function createAuditLines(send: (lines: string) => void) {
  let waiting = '';
  let sink: LineSink | undefined;

  return {
    write(line: string) {
      if (sink) {
        sink.write(line);
        return;
      }
      if (waiting === '') setTimeout(flush, gatherMs);
      waiting += line;
    },
    flush,
    /** There is nobody to send to any more. */
    sendTo(other: LineSink) {
      sink = other;
      if (waiting !== '') other.write(waiting);
      waiting = '';
    },
  };

  function flush(): void {
    if (waiting === '') return;
    const lines = waiting;
    waiting = '';
    send(lines);
  }
}
