import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cluster } from '../cluster/cluster.ts';
import type { QueueItem, Queues, Waiter } from '../data/queues.ts';
import { release } from '../data/values.ts';
import type { MemberLog } from '../log.ts';
import { replyEmpty, replyItem, replyNoContent, replyValue } from '../replies.ts';
import type { Call, Handler } from '../router.ts';

export interface PollDeps {
  readonly queues: Queues;
  readonly cluster: Pick<Cluster, 'assertWritable'>;
  /** Longest wait that a poll may ask for, in seconds. */
  readonly maxPollSeconds: number;
  /** Writes the last bytes of a reply, and says once whether the client has got it. */
  readonly watchDelivery: (
    res: ServerResponse,
    socket: Socket,
    write: () => void,
    onSettled: (delivery: 'taken' | 'notTaken' | 'unknown') => void,
  ) => void;
  readonly log: MemberLog;
}

/**
 * Takes the head of a queue, waiting for an item if need be: DELETE (docs/member-surface.md#queues) and the real
 * engine's GET. 204 when the time is over, 400 for seconds that are no integer or over the limit,
 * 503 when too many wait already.
 *
 * An item leaves the queue only for a connection that stands, in the order in which the polls came.
 */
export function createPoll({ queues, cluster, maxPollSeconds, watchDelivery, log }: PollDeps): Handler {
  return function poll(call, queue = '', secondsText = '') {
    // The specification takes a slash behind them off for GET alone; with DELETE they are a bad number, as in the real engine.
    const isBad = call.req.method === 'DELETE' && call.req.url?.endsWith('/');
    const seconds = isBad ? undefined : secondsOf(secondsText);
    if (seconds === undefined || seconds > maxPollSeconds) {
      call.rejection = `a poll has its seconds, digits alone, at most ${maxPollSeconds} (limits.poll-seconds)`;
      return replyEmpty(call.res, 400);
    }
    if (!queues.isConfigured(queue)) {
      call.rejection = noSuchQueue;
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
   * Sends an item. It goes back to the head when it turns out that the client had gone (S72, S94), and into the log
   * when nobody can tell.
   */
  function send({ req, res }: Call, queue: string, item: QueueItem): void {
    let isForgotten = false;
    let isBack = false;
    const write = (): void => {
      // DELETE says text/plain whatever was offered (docs/member-surface.md#queues). The specification has no GET here: it says the
      // MIME type that the item came with, as in the real engine.
      if (req.method !== 'DELETE') replyValue(res, item);
      else replyItem(res, item.content, item.contentType);
    };
    watchDelivery(res, req.socket, write, (delivery) => {
      if (delivery === 'taken') return;
      if (delivery === 'unknown') {
        warnOf(queue, item);
        return;
      }
      isBack = true;
      if (isForgotten) queues.takeBack(queue, item);
      else queues.putBack(queue, item);
    });
    if (res.writableFinished) forget();
    else res.once('finish', forget);

    function forget(): void {
      if (isBack || req.socket.errored) return;
      isForgotten = true;
      queues.delivered(queue, item); // at once: the next thing may be a kill
    }
  }

  function warnOf(queue: string, item: QueueItem): void {
    const { bytes } = release(item);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    log.warn({ queue, size: bytes.length, sha256 }, unconfirmed);
  }
}

const unconfirmed = 'a client reset its connection when it had been sent an item: it may have read it or not';

/** Whether a reply can still go out: neither end has closed. */
function isLive({ req: { socket } }: Call): boolean {
  return !socket.destroyed && socket.writable;
}

export const noSuchQueue = 'no queue of the configuration has this name, or a pattern that matches it';

/** Digits alone: no sign, point, blank or exponent. */
function secondsOf(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
