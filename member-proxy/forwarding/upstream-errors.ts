/** What a caller is told when no member has answered (S65). */

import { reasonOf, type UpstreamFailure } from '../../http/client/failure.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Member } from '../members/members.ts';

const retryAfterSeconds = 2;
const soon = { 'Retry-After': String(retryAfterSeconds) };

/** One that the call could not be sent to. */
export interface Lost {
  readonly member: Member;
  readonly failure: UpstreamFailure;
}

export interface FailedCall {
  /** The one that was asked last. */
  readonly member: Member;
  /** All that it could not be sent to, that one included. */
  readonly lost: readonly Lost[];
  /** A poll that waits for an item. */
  readonly isWaiting: boolean;
  /** It changes nothing. */
  readonly isReading: boolean;
}

export function problemOf(
  { reason, cause }: UpstreamFailure,
  { member, lost, isWaiting, isReading }: FailedCall,
): ProblemError {
  switch (reason) {
    case 'unreachable':
    case 'suspect':
      return noMember(lost, cause);
    case 'busy':
      return memberBusy(member, isWaiting);
    case 'connectTimeout':
    case 'replyTimeout': {
      const said = `The member ${hostOf(member)} did not answer in time`;
      const detail = reason === 'connectTimeout' || isReading ? said : withUnknownOutcome(said);
      return new ProblemError(problems.upstreamTimeout, detail, { cause });
    }
    case 'bodyFailed':
      if (cause instanceof ProblemError) return cause;
      return new ProblemError(problems.invalidRequest, 'The body broke off', { cause });
    case 'hungUp':
      return new ProblemError(
        problems.badGateway,
        withUnknownOutcome(
          `The member ${hostOf(member)} closed the connection without an answer: ${whyHungUp(member)}`,
        ),
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

function withUnknownOutcome(said: string): string {
  return `${said}. Whether it carried out the call is not known`;
}

function whyHungUp({ answersTo, prefix }: Member): string {
  if (answersTo !== undefined) {
    return `it answers to paths that begin with /${answersTo}, and CONSOLE_MEMBER_PREFIX is ${prefix}: correct or unset it`;
  }
  return 'it went down, or REST is off there (network.rest-api.enabled in its configuration)';
}

/** @param lost  those that were asked; none where none is known */
export function noMember(lost: readonly Lost[], cause?: unknown): ProblemError {
  const each = lost.map(({ member, failure }) => `${hostOf(member)} (${reasonOf(failure)})`);
  const which =
    each.length === 0
      ? 'No member is known'
      : each.length === 1
        ? `The member ${each[0]} cannot be reached`
        : `None of the members can be reached: ${each.join(', ')}`;
  return new ProblemError(
    problems.noMember,
    `${which}. Look whether the members run; try again in ${retryAfterSeconds} seconds`,
    { headers: soon, cause },
  );
}

export function allDrained(): ProblemError {
  return new ProblemError(
    problems.noMember,
    'Every member is drained: give one back with npx console member undrain, or name one with /members/{host:port}/svc/…',
    { headers: soon },
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
