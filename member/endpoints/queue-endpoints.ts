import type { OfferOutcome } from '../data/queues.ts';
import type { StoredValue } from '../data/values.ts';
import { replyEmpty, replyText } from '../replies.ts';
import type { ReadBody } from '../request-body.ts';
import type { Call, Route } from '../router.ts';
import { isStorableType } from '../storable-type.ts';
import { contentTypeOf } from './content-type.ts';
import { durableWrite } from './durable-write.ts';
import { createPoll, noSuchQueue, type PollDeps } from './poll.ts';

export interface QueueEndpointsDeps extends PollDeps {
  readonly readBody: ReadBody;
}

const offerStatuses = { taken: 200, full: 503, 'no memory': 503 } as const;

/**
 * Queues over HTTP (docs/member-surface.md#queues). A name that no queue configuration matches is 400, an offer or
 * poll in a passive cluster 500 (docs/member-surface.md#cluster-states), an offer that finds no room on the disk 503.
 */
export function createQueueRoutes({
  queues,
  cluster,
  readBody,
  ...pollDeps
}: QueueEndpointsDeps): readonly Route[] {
  const poll = createPoll({ queues, cluster, ...pollDeps });

  /** Offers the body without waiting; 503 when the queue or the memory is full. */
  function offerBody(call: Call, queue: string) {
    const contentType = contentTypeOf(call.req);
    if (!isStorableType(contentType)) return replyEmpty(call.res, 400);
    if (!queues.isConfigured(queue)) return unconfigured(call);
    cluster.assertWritable('queue offer');
    return readBody(call).then((bytes) => bytes && offer(call, queue, { bytes, contentType }));
  }

  /** The real engine's short form: the last path segment is the item, and a body is discarded. */
  function offerSegment(call: Call, queue: string, text: string) {
    cluster.assertWritable('queue offer');
    return offer(call, queue, { bytes: Buffer.from(text), contentType: 'text/plain' });
  }

  function offer(call: Call, queue: string, item: StoredValue): void | Promise<void> {
    const outcome = queues.offer(queue, item);
    if (typeof outcome === 'string') return replyOffer(call, outcome);
    return durableWrite(call, async () => replyOffer(call, await outcome));
  }

  function replyOffer(call: Call, outcome: OfferOutcome): void {
    if (outcome === 'unconfigured') unconfigured(call);
    else replyEmpty(call.res, offerStatuses[outcome]);
  }

  /** The number of items that nobody has taken yet, as text. */
  function size(call: Call, queue: string) {
    if (!queues.isConfigured(queue)) return unconfigured(call);
    replyText(call.res, String(queues.size(queue)));
  }

  /** The real engine's HEAD: 200, and nothing leaves the queue. */
  function head({ res }: Call, queue: string) {
    replyEmpty(res, queues.isConfigured(queue) ? 200 : 400);
  }

  function unconfigured(call: Call) {
    call.rejection = noSuchQueue;
    replyEmpty(call.res, 400);
  }

  /** A path that ends before the queue, or before the seconds, which a poll must have (docs/member-surface.md#queues). */
  function missingPart({ res }: Call) {
    replyEmpty(res, 400);
  }

  return [
    { method: 'POST', template: 'rest/queues/{queue}', group: 'DATA', handler: offerBody },
    { method: 'POST', template: 'rest/queues/{queue}/{item}', group: 'DATA', handler: offerSegment },
    { method: 'GET', template: 'rest/queues/{queue}/size', group: 'DATA', handler: size },
    { method: 'GET', template: 'rest/queues/{queue}/{seconds}', group: 'DATA', handler: poll },
    { method: 'DELETE', template: 'rest/queues/{queue}/{seconds}', group: 'DATA', handler: poll },
    { method: 'HEAD', template: 'rest/queues/{queue}/{any}', group: 'DATA', handler: head },
    { method: 'HEAD', template: 'rest/queues/{queue}', group: 'DATA', handler: head },
    { method: 'GET', template: 'rest/queues/{queue}', group: 'DATA', handler: missingPart },
    { method: 'DELETE', template: 'rest/queues/{queue}', group: 'DATA', handler: missingPart },
    { method: 'POST', template: 'rest/queues', group: 'DATA', handler: missingPart },
    { method: 'GET', template: 'rest/queues', group: 'DATA', handler: missingPart },
    { method: 'DELETE', template: 'rest/queues', group: 'DATA', handler: missingPart },
  ];
}
