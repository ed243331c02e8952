import type { Cluster } from '../cluster/cluster.ts';
import type { QueueItem, Queues, Waiter } from '../data/queues.ts';
import { replyEmpty, replyNoContent, replyValue } from '../replies.ts';
import type { Call, Handler } from '../router.ts';

export interface PollDeps {
  readonly queues: Queues;
  readonly cluster: Pick<Cluster, 'assertWritable'>;
  /** Longest wait that a poll may ask for, in seconds. */
  readonly maxPollSeconds: number;
}

/**
 * Takes the head of a queue, waiting for an item if need be: DELETE (spec §4.2 row 6) and the real
 * engine's GET. 204 when the time is over, 400 for seconds that are no integer or over the limit,
 * 503 when too many wait already.
 *
 * An item leaves the queue only for a connection that stands, in the order in which the polls came.
 */
export function createPoll({ queues, cluster, maxPollSeconds }: PollDeps): Handler {
  return function poll(call, queue = '', secondsText = '') {
    const seconds = secondsOf(secondsText);
    if (seconds === undefined || seconds > maxPollSeconds) {
      call.refusal = `a poll has its seconds, digits alone, at most ${maxPollSeconds} (limits.poll-seconds)`;
      return replyEmpty(call.res, 400);
    }
    if (!queues.isConfigured(queue)) {
      call.refusal = noSuchQueue;
      return replyEmpty(call.res, 400);
    }
    cluster.assertWritable('queue poll');
    if (!isLive(call)) return;

    const item = queues.take(queue);
    if (item !== undefined) return send(call, queue, item);
    if (seconds === 0) return replyNoContent(call.res);
    const isWaiting = wait(call, queue, seconds);
    if (!isWaiting) replyEmpty(call.res, 503);
  };

  function wait(call: Call, queue: string, seconds: number): boolean {
    const { socket } = call.req;
    const timer = setTimeout(() => {
      stop();
      replyNoContent(call.res);
    }, seconds * 1000);
    const waiter: Waiter = {
      isLive: () => isLive(call),
      give(item) {
        stop();
        if (item !== undefined) return send(call, queue, item);
        call.res.shouldKeepAlive = false; // the member stops
        replyNoContent(call.res);
      },
    };
    function stop(): void {
      clearTimeout(timer);
      socket.off('close', stop);
      queues.stopWaiting(queue, waiter);
    }
    socket.once('close', stop);

    const isWaiting = queues.wait(queue, waiter);
    if (!isWaiting) stop();
    return isWaiting;
  }

  /**
   * Sends an item. While the operating system does not have all of the reply, no client can have
   * read it whole: when the connection ends before that, the item goes back to the head.
   */
  function send({ req, res }: Call, queue: string, item: QueueItem): void {
    const { socket } = req;
    // DELETE says text/plain whatever was offered (spec §4.2). The spec has no GET here: it says the
    // MIME type that the item came with, as in the real engine.
    replyValue(res, req.method === 'DELETE' ? { content: item.content, contentType: 'text/plain' } : item);
    if (isSent({ req, res })) {
      queues.delivered(queue, item); // at once: the next thing may be a kill
      return;
    }

    function putBack(): void {
      queues.putBack(queue, item);
    }
    socket.once('close', putBack);
    res.once('finish', () => {
      if (socket.errored) return;
      socket.off('close', putBack);
      queues.delivered(queue, item);
    });
  }
}

/** Whether the operating system has all of the reply. */
function isSent({ req: { socket }, res }: Call): boolean {
  return res.writableLength === 0 && !socket.errored && !socket.destroyed;
}

/** Whether a reply can still go out: neither end has closed. */
function isLive({ req: { socket } }: Call): boolean {
  return !socket.destroyed && socket.writable;
}

export const noSuchQueue = 'no queue of the configuration has this name, or a pattern that matches it';

/** Digits alone: no sign, point, blank or exponent. */
function secondsOf(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
