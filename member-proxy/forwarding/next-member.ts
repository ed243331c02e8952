/**
 * Whom an exchange asks next, and whether it may ask anybody (S66). Functions on the exchange itself, which is one object:
 * there is one for each call.
 */
import { Readable } from 'node:stream';
import type { Attempt } from '../../http/client/attempt.ts';
import type { UpstreamFailure } from '../../http/client/failure.ts';
import type { Member } from '../members/members.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** How far an exchange has come with its candidates. */
export interface Turn extends Attempt {
  readonly request: Pick<UpstreamRequest, 'isRepeatable'>;
  readonly isWanted: boolean;
  readonly member: Member | undefined;
  candidates: readonly Member[];
  /** How many of them have been asked. */
  tried: number;
  isRepeated: boolean;
}

/** The next in turn; another one before it where that is busy, or has gone silent since the candidates were chosen. */
export function nextMember(turn: Turn): Member | undefined {
  const { candidates, tried } = turn;
  const next = candidates[tried];
  if (next === undefined || fits(turn, next)) return next;
  const better = candidates.findIndex((member, i) => i > tried && fits(turn, member));
  if (better === -1) return next;
  const reordered = [...candidates];
  reordered[tried] = candidates[better]!;
  reordered[better] = next;
  turn.candidates = reordered;
  return reordered[tried];
}

/** Only when no byte was sent, or when sending it twice changes nothing (S66). */
export function mayTryAgain(turn: Turn, { reason }: UpstreamFailure): boolean {
  if (!turn.isWanted) return false;
  if (!turn.isSent) {
    const rest = turn.candidates.slice(turn.tried);
    return reason === 'busy' ? rest.some((member) => fits(turn, member)) : rest.length > 0;
  }
  // The real engine answers no poll that waits while it goes down, and an item that it took along is lost to all.
  if (turn.isWaiting && reason === 'hungUp' && turn.member!.isLeaving) return isElsewhere(turn);
  if (!turn.request.isRepeatable || turn.isRepeated) return false;
  if (reason !== 'hungUp' && reason !== 'suspect') return false;
  turn.isRepeated = true;
  turn.tried %= turn.candidates.length;
  return true;
}

/** Whether another member can be asked with all of the request. */
export function isElsewhere({ isWanted, tried, candidates, body }: Turn): boolean {
  return isWanted && tried < candidates.length && !(body?.content instanceof Readable);
}

function fits(turn: Turn, { isTrusted, pool }: Member): boolean {
  return isTrusted && pool.hasRoom(turn);
}
