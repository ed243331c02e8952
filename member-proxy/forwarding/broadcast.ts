/** Which calls go to all members. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { Rule } from '../authorization/rule-table.ts';
import type { Target } from '../request-target.ts';

/**
 * Whether a call is a broadcast: `?members=all` at one that acts on the member that takes it.
 *
 * @param memberTarget  the one member that the path asks for
 * @throws {ProblemError} `invalid_request` where the call would do something else than it says: for any other
 *   `members`, and where one member is asked for, or where one member does it for the cluster
 */
export function asksForBroadcast(
  { sent, path }: Target,
  { isLocal }: Rule,
  memberTarget: string | undefined,
): boolean {
  if (sent.length === path.length) return false;
  const asked = new URLSearchParams(sent.slice(path.length + 1)).getAll('members');
  if (asked.length === 0) return false;
  if (asked.length > 1 || asked[0] !== 'all') {
    throw invalid('Of ?members= only all is known; for one member call /members/{uuid or host:port}/svc/…');
  }
  if (!isLocal) {
    throw invalid(
      '?members=all is for calls that act on the member that takes them. This one is for the whole cluster, whichever ' +
        'member takes it: leave ?members=all out',
    );
  }
  if (memberTarget !== undefined) {
    throw invalid(
      'The path asks for one member and ?members=all for every member: leave out either /members/… or ?members=all',
    );
  }
  return true;
}

function invalid(detail: string): ProblemError {
  return new ProblemError(problems.invalidRequest, detail);
}
