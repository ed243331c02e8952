/** Which members a call may go to, in the order in which they are asked. */
import type { Rule } from '../authorization/rule-table.ts';
import type { Call } from '../call.ts';
import { groupDisabledAt } from '../errors.ts';
import { allDrained, noMember } from '../forwarding/upstream-errors.ts';
import { noSuchMember } from './member-target.ts';
import type { Member, Members } from './members.ts';

/** What of a call says whom it is for. */
type Sought = Pick<Call, 'memberTarget' | 'isBroadcast'>;

export interface Candidates {
  /** Whether they are known without asking the cluster. */
  areKnown(call: Sought, rule: Rule): boolean;
  /** @throws {ProblemError} `no_member`, `not_found`, `group_disabled` */
  now(call: Sought, rule: Rule): readonly Member[];
  /**
   * Asks first: a member that is not known may have come just now, and some calls are for the master of the cluster alone.
   *
   * @throws {ProblemError} as `now` does
   */
  ask(call: Sought, rule: Rule): Promise<readonly Member[]>;
}

export function createCandidates(
  members: Pick<Members, 'find' | 'rank' | 'list' | 'resolve' | 'masterOf'>,
): Candidates {
  return {
    areKnown({ memberTarget, isBroadcast }, { isForMaster }) {
      if (memberTarget !== undefined) return members.find(memberTarget) !== undefined;
      return !isForMaster || isBroadcast;
    },
    now,
    async ask(call, rule) {
      if (call.memberTarget !== undefined) {
        await members.resolve(call.memberTarget);
        return now(call, rule);
      }
      const candidates = now(call, rule);
      const master = await members.masterOf(candidates[0]!);
      if (master?.offGroups.has(rule.group)) throw groupDisabledAt(rule.group, master);
      return master === undefined ? candidates : [master];
    },
  };

  /** A member that would only hang up is not asked, so that the denial can say why. */
  function now({ memberTarget, isBroadcast }: Sought, { group }: Rule): readonly Member[] {
    if (isBroadcast) return members.list(); // each is looked at by itself
    const candidates = memberTarget === undefined ? members.rank(group) : [targetMember(memberTarget)];
    const [first] = candidates;
    if (first === undefined) throw members.list().length > 0 ? allDrained() : noMember([]);
    if (first.offGroups.has(group)) throw groupDisabledAt(group, first);
    return candidates;
  }

  function targetMember(name: string): Member {
    const member = members.find(name);
    if (member === undefined) throw noSuchMember();
    return member;
  }
}
