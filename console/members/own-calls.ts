/** What operations ask of the members, where a console runs and nothing is tried out only. */

import type { MemberProxy } from '../../member-proxy/proxy.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { AskMember, MemberCall, OpenMember } from '../../platform/member-call.ts';

/** The members, as they are known now. */
export type KnownMembers = Pick<MemberProxy, 'statuses' | 'ask' | 'open' | 'countDataCall'>;

const askedByPost = new Set(['/rest/management/cluster/state', '/rest/management/cluster/nodes']);

/** @param isDry  whatever would change something at a member is refused, and not sent */
export function askMembers(members: KnownMembers | undefined, isDry: boolean): AskMember {
  return async (call) => checked(call, members, isDry).ask(call);
}

/** The same, whose answer is read as it comes. */
export function openMembers(members: KnownMembers | undefined, isDry: boolean): OpenMember {
  return async (call) => checked(call, members, isDry).open(call);
}

/** @throws {ProblemError} `no_member`; `invalid_request` */
function checked(call: MemberCall, members: KnownMembers | undefined, isDry: boolean): KnownMembers {
  if (!members) {
    throw new ProblemError(problems.noMember, 'No console runs here that could ask a member: start it.');
  }
  if (isDry && !isQuestion(call)) {
    throw new ProblemError(problems.invalidRequest, 'There is no dry run of what a member does.');
  }
  return members;
}

/** A poll by `GET` takes an item away. */
function isQuestion({ method, path }: MemberCall): boolean {
  if (method !== 'GET') return askedByPost.has(path);
  return !path.startsWith('/rest/queues/') || path.endsWith('/size');
}
