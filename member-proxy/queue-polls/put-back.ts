/** Offers items back to the members that gave them. */
import { startExchange } from '../forwarding/exchange.ts';
import type { ReplyListener } from '../forwarding/upstream-request.ts';
import type { ProxyLimits } from '../limits.ts';
import type { Member } from '../members/members.ts';
import { type QueueItem, typeOf } from './queue-item.ts';

/** What became of the offer: where nobody can tell whether it was carried out, offering again could double the item. */
export type PutBack = 'done' | 'rejected' | 'unknown';

/** @param others  members that have the same queues */
export function putBack(
  item: QueueItem,
  offerPath: string,
  others: readonly Member[],
  { replyMs }: Pick<ProxyLimits, 'replyMs'>,
  onResult: (result: PutBack) => void,
): void {
  const content = item.copy.bytes()!;
  const type = typeOf(item);
  const request = {
    method: 'POST',
    sent: offerPath,
    atEngine: undefined,
    fields: type === undefined ? [] : ['content-type', type],
    body: { content, length: content.length },
    replyMs,
    isWaiting: false,
    caller: '',
    isRepeatable: false,
    onAnswer: undefined,
  };
  let status = 0;
  const listener: ReplyListener = {
    onHead(head) {
      status = head.status;
    },
    onData: () => true,
    onEnd: () => onResult(status === 200 ? 'done' : 'rejected'),
    onFailure: () => onResult(exchange?.isSent ? 'unknown' : 'rejected'),
  };
  const candidates =
    item.member === undefined ? others : [item.member, ...others.filter((other) => other !== item.member)];
  const exchange = startExchange(request, listener, candidates);
}
