/** `memberShutdown`: the member that is told to go gets nothing more, and what is under way there may end first. */
import type { ProblemError } from '../../platform/errors.ts';
import { problems } from '../../platform/errors.ts';
import type { Call } from '../call.ts';
import { startExchange } from '../forwarding/exchange.ts';
import type { ReplyListener, UpstreamRequest } from '../forwarding/upstream-request.ts';
import type { Member } from './members.ts';

/**
 * A poll that waits at a member when it goes gets no answer there, and an item that is given to it then is lost: so
 * polls get the time that most of them take. Longer ones go on at another member when this one hangs up.
 */
const quietMs = 10_000;

/** The call that tells it; it is not told when the caller has gone meanwhile. */
export async function shutDown(
  call: Pick<Call, 'isOver' | 'denial' | 'exchange'>,
  member: Member,
  all: readonly Member[],
  { request, listener }: { readonly request: UpstreamRequest; readonly listener: ReplyListener },
): Promise<void> {
  await makeRoomFor(member, all);
  if (call.isOver || call.denial) {
    member.stay();
    return;
  }
  const leaving = whileLeaving(member, request, listener);
  call.exchange = startExchange(leaving.request, leaving.listener, [member]);
}

/** @returns when it may be told, as long as there is another member that takes what it would get */
async function makeRoomFor(member: Member, all: readonly Member[]): Promise<void> {
  member.leave('told');
  if (all.some((other) => other !== member && other.isTrusted)) await member.pool.whenQuiet(quietMs);
}

/** One that refuses to go stays. */
export function whileLeaving(
  member: Member,
  request: UpstreamRequest,
  listener: ReplyListener,
): { readonly request: UpstreamRequest; readonly listener: ReplyListener } {
  return {
    request: {
      ...request,
      onAnswer(head, answering) {
        if (head.status >= 300) member.stay();
        request.onAnswer?.(head, answering);
      },
    },
    listener: {
      ...listener,
      onFailure(error) {
        if (!mayHaveReceived(error)) member.stay();
        listener.onFailure(error);
      },
    },
  };
}

/** The answer can be lost to the connection that closes (docs/member-surface.md#changes-of-the-cluster). */
function mayHaveReceived({ problem }: ProblemError): boolean {
  return problem !== problems.noMember && problem !== problems.memberBusy;
}
