import type { ReplyHead } from '../../http/client/reply-head.ts';
import type { Member } from '../members/members.ts';
import type { ItemCopy } from './item-copy.ts';
import type { PollingCaller } from './member-poll.ts';

/** What a member has taken out of a queue for somebody who polled. */
export interface QueueItem {
  /** As the member said it. */
  readonly head: ReplyHead;
  readonly copy: ItemCopy;
  readonly member: Member | undefined;
  /** Whose poll the member gave it to, for the record. */
  readonly askedBy: PollingCaller;
}

/** What became of an item that did not reach the caller for whom it was. */
export interface ItemRecord {
  readonly outcome: 'handedOn' | 'putBack' | 'lost';
  /** Of one that is lost: why it could not be handed on, or why nobody can tell whether it was taken. */
  readonly reason?: string;
  /** The path of the poll, as sent. */
  readonly path: string;
  /** Of the poll that took it out of the queue. */
  readonly requestId: string;
  readonly subject: string | undefined;
  readonly clientId: string | undefined;
  /** Base address. */
  readonly member: string | undefined;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal, of one that is lost. */
  readonly sha256?: string;
}

/** The type that it was offered with. Our own member says it beside one that the method demands. */
export function typeOf({ head: { fields } }: QueueItem): string | undefined {
  let type: string | undefined;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!.toLowerCase();
    if (name === 'item-type') return fields[i + 1] === 'none' ? undefined : fields[i + 1];
    if (name === 'content-type') type = fields[i + 1];
  }
  return type;
}
