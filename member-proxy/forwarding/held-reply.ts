/**
 * A reply that may say that the member did not take the call, because it is going down (decision 19). It is held
 * until it is whole: then another member is asked, or the caller gets it after all.
 */

import type { ReplyHead } from '../../http/client/reply-head.ts';
import { jsonObject } from '../../platform/json.ts';

export interface HeldReply {
  readonly head: ReplyHead;
  readonly chunks: Buffer[];
}

export type DrainSign =
  /** By its own word the member has not carried it out. */
  | 'rejected'
  /** It may say so, for the real engine gives none of its reasons to a DELETE (docs/member-surface.md#errors). */
  | 'unclear'
  | 'none';

/** What such an answer says is a line; the name of an operation may stand in it. */
const mostBytes = 1024;
/** Said before anything is done with the call. */
const notActive = 'Hazelcast instance is not active!';
/** Said where the engine would have begun the operation, or begun it anew by itself. */
const notBegun = /^State: (?:PASSIVE|SHUT_DOWN) Operation: /;

export function isWorthHolding({ status, bodyLength }: ReplyHead): boolean {
  return status === 500 && bodyLength !== undefined && bodyLength <= mostBytes;
}

export function readDrainSign(method: string, { chunks }: HeldReply): DrainSign {
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return method === 'DELETE' ? 'unclear' : 'none';
  const message = jsonObject(text)?.message;
  if (typeof message !== 'string') return 'none';
  return message === notActive || notBegun.test(message) ? 'rejected' : 'none';
}
