/** What a caller is told when no member has answered (S65). */
import { ProblemError, problems } from '../console/errors.ts';
import type { Member } from './members.ts';
import type { UpstreamFailure } from './upstream/failure.ts';

const retryAfterSeconds = 2;
const soon = { 'Retry-After': String(retryAfterSeconds) };

/** @param member  the one that was asked last */
export function problemOf({ reason, cause }: UpstreamFailure, member: Member, isPoll: boolean): ProblemError {
  switch (reason) {
    case 'unreachable':
    case 'suspect':
      return noMember(cause);
    case 'busy':
      return memberBusy(member, isPoll);
    case 'connectTimeout':
    case 'replyTimeout':
      return new ProblemError(problems.upstreamTimeout, 'The member did not answer in time', { cause });
    case 'bodyFailed':
      if (cause instanceof ProblemError) return cause;
      return new ProblemError(problems.invalidRequest, 'The body broke off', { cause });
    case 'hungUp':
    case 'invalidReply':
      return new ProblemError(
        problems.badGateway,
        'The member closed the connection without a valid answer',
        { cause },
      );
  }
}

export function noMember(cause?: unknown): ProblemError {
  return new ProblemError(problems.noMember, 'No member can be reached', { headers: soon, cause });
}

function memberBusy({ address }: Member, isPoll: boolean): ProblemError {
  const what = isPoll ? 'polls' : 'calls';
  return new ProblemError(
    problems.memberBusy,
    `The member ${new URL(address).host} has as many ${what} under way as it is given; try again in ${retryAfterSeconds} seconds`,
    { headers: soon },
  );
}
