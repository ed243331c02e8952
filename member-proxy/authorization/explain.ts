/** Says in words what the rules decide on a call, and the least that would open it. */

import type { Caller } from '../../access-tokens/verify-token.ts';
import { ProblemError } from '../../platform/errors.ts';
import { asksForBroadcast } from '../forwarding/broadcast.ts';
import { checkOffer } from '../forwarding/offers.ts';
import { defaultLimits } from '../limits.ts';
import { readMemberTarget } from '../members/member-target.ts';
import { readTarget } from '../request-target.ts';
import { rolePermissions } from './permissions.ts';
import { builtInRoles, type RoleBook } from './role-permissions.ts';
import type { Rule } from './rule-table.ts';
import { createRules, type Decision } from './rules.ts';

/** What a caller would bring along. */
export type Principal = Pick<Caller, 'roles' | 'scopes'>;

export interface Explanation {
  readonly isAllowed: boolean;
  /** `forwarded`, or the code of the denial. */
  readonly decision: string;
  /** One sentence. */
  readonly because: string;
  /** The rule that decided; absent when none applies to the call. */
  readonly rule?: Pick<Rule, 'methods' | 'template' | 'group' | 'permission'>;
  /** What of the caller's opens the call. */
  readonly opened?: { readonly roles: readonly string[]; readonly scopes: readonly string[] };
  /** Each one alone would do, the narrowest first. */
  readonly wouldDo?: { readonly scopes: readonly string[]; readonly roles: readonly string[] };
}

/**
 * @param url  the request target, as a caller sends it
 * @returns what the proxy would decide for a holder with a good token
 */
export type Explain = (method: string, url: string, principal: Principal) => Explanation;

/** Weakest first. */
const builtInNames = Object.keys(rolePermissions).reverse();

/**
 * @param roles        without it, the built-in ones alone
 * @param customRoles  names that `roles` knows beside the built-in ones
 */
export function createExplain(
  roles: RoleBook = builtInRoles,
  customRoles: () => readonly string[] = () => [],
): Explain {
  const rules = createRules(roles);
  const sizeOf = (role: string) => roles.permissionsOf(role)?.length ?? 0;

  return (method, url, principal) => {
    try {
      const memberTarget = readMemberTarget(url);
      const target = readTarget(memberTarget.url, defaultLimits.targetBytes);
      const decide = (held: Principal) => rules.decide(method, target, callerWith(held));
      const custom = [...customRoles()].sort((one, other) => sizeOf(one) - sizeOf(other));
      const roleNames = [...custom, ...builtInNames];
      const decision = decide(principal);
      if ('rule' in decision) {
        asksForBroadcast(target, decision.rule, memberTarget.member);
        checkOffer(decision.rule, target);
      }
      return describe(decision, { path: target.path, principal, roleNames, decide });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return {
        isAllowed: false,
        decision: error.problem.code,
        because: `${error.message}. No token opens it.`,
      };
    }
  };
}

interface Asked {
  /** Those that could be given, narrow ones first. */
  readonly roleNames: readonly string[];
  readonly path: string;
  readonly principal: Principal;
  readonly decide: (principal: Principal) => Decision;
}

function describe(decision: Decision, asked: Asked): Explanation {
  switch (decision.outcome) {
    case 'notFound':
      return {
        isAllowed: false,
        decision: 'not_found',
        because: 'No rule names this path, and what no rule names is not forwarded.',
      };
    case 'methodNotAllowed':
      return {
        isAllowed: false,
        decision: 'method_not_allowed',
        because: `This path has rules for ${decision.allow} only.`,
      };
    case 'allowed':
      return {
        isAllowed: true,
        decision: 'forwarded',
        because: `The call needs ${needOf(decision.rule)}, and the caller has it.`,
        rule: shownRule(decision.rule),
        opened: openedBy(asked),
      };
    case 'insufficientScope':
      return {
        isAllowed: false,
        decision: 'insufficient_scope',
        because: `The call needs ${needOf(decision.rule)}, and nothing that the caller has includes it.`,
        rule: shownRule(decision.rule),
        wouldDo: {
          scopes: [...narrowScopes(decision.rule, asked), decision.rule.permission],
          roles: asked.roleNames.filter(
            (role) => asked.decide({ roles: [role], scopes: [] }).outcome === 'allowed',
          ),
        },
      };
  }
}

function needOf({ permission, structure }: Rule): string {
  return structure ? `${permission} or svc:${structure.kind}:<name>:${structure.action}` : permission;
}

/** Each role and scope is tried by itself: the rules decide, this file does not. */
function openedBy({ principal, decide }: Asked): NonNullable<Explanation['opened']> {
  const opens = (held: Principal) => decide(held).outcome === 'allowed';
  return {
    roles: principal.roles.filter((role) => opens({ roles: [role], scopes: [] })),
    scopes: principal.scopes.filter((scope) => opens({ roles: [], scopes: [scope] })),
  };
}

/** The scope of the single map or queue, where it opens the call indeed. */
function narrowScopes({ structure }: Rule, { path, decide }: Asked): string[] {
  if (structure === undefined) return [];
  const name = decodeURIComponent(path.split('/', 5)[4] ?? '');
  const scope = `svc:${structure.kind}:${name}:${structure.action}`;
  // Characters of a scope (RFC 6749 §3.3), with an asterisk at the end only: no other can be given to anybody.
  const canBeGiven = /^(?:[!#-)+-[\]-~]+\*?|\*)$/.test(name);
  return canBeGiven && decide({ roles: [], scopes: [scope] }).outcome === 'allowed' ? [scope] : [];
}

function shownRule({ methods, template, group, permission }: Rule): NonNullable<Explanation['rule']> {
  return { methods, template, group, permission };
}

function callerWith({ roles, scopes }: Principal): Caller {
  return { subject: '', clientId: '', roles, scopes, jti: '', expiresAt: 0, claims: {} };
}
