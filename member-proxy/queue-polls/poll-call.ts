/** A call that takes an item out of a queue, and may wait for one. */
import type { Call } from '../call.ts';
import { waitOf } from '../forwarding/poll-wait.ts';

export function isPoll({ rule, req }: Pick<Call, 'rule' | 'req'>): boolean {
  return rule!.structure?.action === 'poll' && req.method !== 'HEAD';
}

/** Milliseconds; 0 for one that does not wait. */
export function waitMsOf({ req, rule, target }: Call): number {
  return (waitOf(req.method!, rule!, target!) ?? 0) * 1000;
}
