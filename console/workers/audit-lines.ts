import type { LineSink } from '../../platform/log-output.ts';

/** Lines of one turn of the event loop go together: a message costs more than twenty of them. */
export function createAuditLines(send: (lines: readonly string[]) => void) {
  let waiting: string[] = [];
  let sink: LineSink | undefined;

  return {
    write(line: string) {
      if (sink) {
        sink.write(line);
        return;
      }
      if (waiting.length === 0) setImmediate(flush);
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
