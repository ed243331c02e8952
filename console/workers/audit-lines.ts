import type { AuditFields } from '../../platform/log.ts';
import { createBatchReader } from '../audit/batches/batch-reader.ts';
import { type Batch, createBatchWriter } from '../audit/batches/batch-writer.ts';

/** Entries that come within this time go together: a message costs more than twenty of them. */
const gatherMs = 10;

/** Where entries go when there is nobody to send them to. */
export interface EntrySink {
  record(event: string, fields: AuditFields): void;
  /** @param bodies  of entries, one a line */
  addBodies(bodies: string): void;
}

export interface AuditLinesDeps {
  readonly send: (batch: Batch) => void;
  /** Resolves when what was sent is in the file. */
  readonly written: () => Promise<void>;
  /** Resolves when it is on the disk. */
  readonly synced: () => Promise<void>;
  /** Whether what is sent now is kept. */
  readonly isAvailable: boolean;
}

/** Entries on their way to the audit, which another process writes. */
export function createAuditLines({ send, written, synced, isAvailable }: AuditLinesDeps) {
  let isKept = isAvailable;
  const waiting = createBatchWriter();
  let timer: NodeJS.Timeout | undefined;
  let sink: EntrySink | undefined;

  return {
    record(event: string, fields: AuditFields): void {
      if (!sink) {
        waiting.record(event, fields, Date.now());
        timer ??= setTimeout(flush, gatherMs);
      } else if (fields.outbox === undefined) sink.record(event, fields);
    },
    /** An owner that does not answer is gone, and answers are cut. */
    written(): Promise<void> {
      flush();
      return written();
    },
    synced(): Promise<void> {
      flush();
      return synced();
    },
    isAvailable: () => isKept,
    setAvailable(is: boolean): void {
      isKept = is;
    },
    flush,
    /** There is nobody to send to any more. */
    sendTo(other: EntrySink): void {
      sink = other;
      const own = createBatchReader()(waiting.take().text).filter((body) => !isInOutbox(body));
      if (own.length > 0) other.addBodies(own.join('\n'));
    },
  };

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!waiting.isEmpty()) send(waiting.take());
  }
}

/** The next owner writes it: it is in the store. A quote within a text has a backslash before it. */
function isInOutbox(body: string): boolean {
  return body.includes('"outbox":"');
}
