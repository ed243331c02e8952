import type { AuditFields } from '../../platform/log.ts';
import { createEventBody } from '../audit/event-body.ts';

/** Entries that come within this time go together: a message costs more than twenty of them. */
const gatherMs = 10;

/** Where entries go when there is nobody to send them to. */
export interface BodySink {
  addBodies(text: string): void;
}

export interface AuditLinesDeps {
  /** Takes bodies of entries, one a line. */
  readonly send: (bodies: string) => void;
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
  const bodyOf = createEventBody();
  let waiting = '';
  let sink: BodySink | undefined;

  return {
    record(event: string, fields: AuditFields): void {
      const body = bodyOf(event, fields, Date.now());
      if (sink) {
        if (!isInOutbox(body)) sink.addBodies(body);
        return;
      }
      if (waiting === '') setTimeout(flush, gatherMs);
      waiting += waiting === '' ? body : `\n${body}`;
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
    sendTo(other: BodySink): void {
      sink = other;
      const own = waiting.split('\n').filter((body) => body !== '' && !isInOutbox(body));
      if (own.length > 0) other.addBodies(own.join('\n'));
      waiting = '';
    },
  };

  function flush(): void {
    if (waiting === '') return;
    const bodies = waiting;
    waiting = '';
    send(bodies);
  }
}

/** The next owner writes it: it is in the store. A quote within a text has a backslash before it. */
function isInOutbox(body: string): boolean {
  return body.includes('"outbox":"');
}
