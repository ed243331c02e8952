/** What each call to a member needs, and whether its caller has it: decided from the table of rules, before any member is asked. */
import type { Caller } from '../../access-tokens/verify-token.ts';
import { offerInBody } from '../forwarding/offers.ts';
import type { Target } from '../request-target.ts';
import { readByEngine } from './engine-reading.ts';
import { type Grants, grantsOf } from './permissions.ts';
import { builtInRoles, type RoleBook } from './role-permissions.ts';
import { routesOf } from './routes.ts';
import { type Rule, ruleTable } from './rule-table.ts';

export type Decision =
  | { readonly outcome: 'allowed'; readonly rule: Rule }
  | { readonly outcome: 'notFound' }
  | { readonly outcome: 'methodNotAllowed'; readonly allow: string }
  /** `scope` is the one that would do. */
  | { readonly outcome: 'insufficientScope'; readonly rule: Rule; readonly scope: string };

export interface Rules {
  /**
   * Decides on one call, denying by default (S57, S59, S60).
   *
   * @param method  as received; methods are case-sensitive
   * @param target  from `readTarget`, still encoded
   */
  decide(method: string, target: Target, caller: Caller): Decision;
}

/** @param roles  what roles open; its changes count from the next decision on */
export function createRules(roles: RoleBook = builtInRoles, table: readonly Rule[] = ruleTable): Rules {
  const routeOf = routesOf(table);
  const allowed = new Map<Rule, Decision>(table.map((rule) => [rule, { outcome: 'allowed', rule }]));
  let known = new WeakMap<Caller, Grants>();
  roles.onChange(() => {
    known = new WeakMap();
  });

  return {
    decide(method, target, caller) {
      const route = routeOf(target.path);
      if (route === undefined) {
        return { outcome: 'notFound' };
      }
      const rule = route.byMethod.get(method);
      if (rule === undefined) {
        return { outcome: 'methodNotAllowed', allow: route.allow };
      }
      const grants = grantsFor(caller);
      if (grants.has(rule.permission) || isStructureOpen(rule, method, target, grants)) {
        return allowed.get(rule)!;
      }
      return { outcome: 'insufficientScope', rule, scope: rule.permission };
    },
  };

  /** A remembered token brings the same caller each time, so its grants are worked out once per change of roles. */
  function grantsFor(caller: Caller): Grants {
    let grants = known.get(caller);
    if (grants === undefined) {
      grants = grantsOf(caller, roles.permissionsOf);
      known.set(caller, grants);
    }
    return grants;
  }
}

/** Whether these grants open the call that a rule is for, of a map or queue with these names. */
export function isOpen(
  { permission, structure }: Pick<Rule, 'permission' | 'structure'>,
  names: readonly string[],
  grants: Grants,
): boolean {
  return grants.has(permission) || (structure !== undefined && grants.hasStructure(structure, names));
}

function isStructureOpen(rule: Rule, method: string, target: Target, grants: Grants): boolean {
  const { structure } = rule;
  return structure !== undefined && grants.hasStructure(structure, structureNames(rule, method, target));
}

/** The names that members take from a map's or queue's path; a caller must hold every reading (docs/member-surface.md#routing). */
export function structureNames(rule: Rule, method: string, target: Target): string[] {
  const { sent, path } = offerInBody(rule, target)?.target ?? target;
  const name = decodeURIComponent(path.split('/', 5)[4] ?? '');
  const byEngine = readByEngine(method, sent);
  return byEngine === undefined ? [name] : [name, byEngine.name];
}
