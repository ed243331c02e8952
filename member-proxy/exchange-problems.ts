/** What a caller is told when no member has answered (S65). */
import { ProblemError, problems } from '../console/errors.ts';
import type { Member } from './members.ts';
import type { UpstreamFailure } from './upstream/failure.ts';

const retryAfterSeconds = 2;
const soon = { 'Retry-After': String(retryAfterSeconds) };

/** @param member  the one that was asked last */
export function problemOf(
  { reason, cause }: UpstreamFailure,
  member: Member,
  isWaiting: boolean,
): ProblemError {
  switch (reason) {
    case 'unreachable':
    case 'suspect':
      return noMember(cause, member);
    case 'busy':
      return memberBusy(member, isWaiting);
    case 'connectTimeout':
    case 'replyTimeout':
      return new ProblemError(
        problems.upstreamTimeout,
        `The member ${hostOf(member)} did not answer in time`,
        {
          cause,
        },
      );
    case 'bodyFailed':
      if (cause instanceof ProblemError) return cause;
      return new ProblemError(problems.invalidRequest, 'The body broke off', { cause });
    case 'hungUp':
      return new ProblemError(
        problems.badGateway,
        `The member ${hostOf(member)} closed the connection without an answer: it went down, or REST is off there ` +
          '(network.rest-api.enabled in its configuration). Whether it carried out the call is not known',
        { cause },
      );
    case 'invalidReply':
      return new ProblemError(
        problems.badGateway,
        `What the member ${hostOf(member)} answered is no valid HTTP reply`,
        { cause },
      );
  }
}

/** @param member  the one that was asked last; undefined when there was none to ask */
export function noMember(cause?: unknown, member?: Member): ProblemError {
  const which =
    member === undefined ? 'No member is known' : `The member ${hostOf(member)} cannot be reached`;
  return new ProblemError(
    problems.noMember,
    `${which}. Look whether the members run; try again in ${retryAfterSeconds} seconds`,
    { headers: soon, cause },
  );
}

function memberBusy(member: Member, isWaiting: boolean): ProblemError {
  const what = isWaiting ? 'polls' : 'calls';
  return new ProblemError(
    problems.memberBusy,
    `The member ${hostOf(member)} has as many ${what} under way as it is given; try again in ${retryAfterSeconds} seconds`,
    { headers: soon },
  );
}

function hostOf({ address }: Member): string {
  return new URL(address).host;
}
