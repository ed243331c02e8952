/** An answer of a member for a reader inside the console, at the reader's pace: none of it is held but what has just come. */
import type { ReplyHead } from '../http/client/reply-head.ts';
import { ProblemError, problems } from '../platform/errors.ts';
import type { OpenReply } from '../platform/member-call.ts';
import type { Exchange, ReplyListener } from './forwarding/upstream-request.ts';

/** So long a reader may take nothing, milliseconds: a member's connection is not for whoever has gone to sleep. */
const stallMs = 60_000;

export interface ReplyReader {
  readonly listener: ReplyListener;
  /** Resolves with the head of the answer. @throws {ProblemError} */
  readonly opened: Promise<OpenReply>;
}

/** @param exchange  that which tells the listener, once it has begun */
export function createReplyReader(exchange: () => Exchange): ReplyReader {
  let resolve: (reply: OpenReply) => void;
  let reject: (error: ProblemError) => void;
  const opened = new Promise<OpenReply>((resolveOpened, rejectOpened) => {
    [resolve, reject] = [resolveOpened, rejectOpened];
  });
  const arrived: Buffer[] = [];
  let state: 'coming' | 'whole' | ProblemError = 'coming';
  let wake = () => {};
  let stall: NodeJS.Timeout | undefined;

  const listener: ReplyListener = {
    onHead: (head) => resolve({ ...headOf(head, exchange()), chunks: { [Symbol.asyncIterator]: chunks } }),
    onData(chunk) {
      arrived.push(Buffer.from(chunk));
      stall = setTimeout(() => end(unread()), stallMs).unref();
      wake();
      return false;
    },
    onEnd(rest) {
      if (rest) arrived.push(Buffer.from(rest));
      state = 'whole';
      wake();
    },
    onFailure: end,
  };
  return { listener, opened };

  function end(error: ProblemError): void {
    if (state === 'coming' && stall) exchange().abort();
    state = error;
    reject(error);
    wake();
  }

  async function* chunks(): AsyncGenerator<Buffer, void> {
    try {
      for (;;) {
        clearTimeout(stall);
        const chunk = arrived.shift();
        if (chunk) yield chunk;
        else if (state === 'whole') return;
        else if (state !== 'coming') throw state;
        else {
          const woken = new Promise<void>((resolveWoken) => {
            wake = resolveWoken;
          });
          exchange().resume();
          await woken;
        }
      }
    } finally {
      clearTimeout(stall);
      if (state === 'coming') exchange().abort();
    }
  }
}

function headOf({ status, fields }: ReplyHead, { member }: Exchange): Omit<OpenReply, 'chunks'> {
  const length = fieldIn(fields, 'content-length');
  return {
    status,
    type: fieldIn(fields, 'content-type'),
    length: length === undefined ? undefined : Number(length),
    member: new URL(member!.address).host,
  };
}

export function fieldIn(fields: readonly string[], name: string): string | undefined {
  const at = fields.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name);
  return at < 0 ? undefined : fields[at + 1];
}

function unread(): ProblemError {
  return new ProblemError(problems.replyStalled, `Nothing of the answer was read for ${stallMs / 1000} s.`);
}
