import type { Target } from '../request-target.ts';

export interface QueuePath {
  /** Polls that are alike have the same one: what one of them is given, another may have. */
  readonly key: string;
  /** Where an item is offered; undefined where members differ in what queue the path names. */
  readonly offerPath: string | undefined;
}

/** @param memberTarget  the one member that the path asks for */
export function queuePathOf(method: string, { sent }: Target, memberTarget: string | undefined): QueuePath {
  const queueAt = '/svc/rest/queues/'.length;
  const end = sent.indexOf('/', queueAt);
  const queue = end === -1 ? sent.slice(queueAt) : sent.slice(queueAt, end);
  const isPlain =
    /^(?:[A-Za-z0-9._~!$&'()*,;=:@-]|%(?!2[Ff])[0-9A-Fa-f]{2})+$/.test(queue) && !sent.includes('?');
  // A method for itself: they say the type of an item differently.
  const key = `${method} ${memberTarget ?? ''} ${isPlain ? queue : sent}`;
  return { key, offerPath: isPlain ? `/svc/rest/queues/${queue}` : undefined };
}
