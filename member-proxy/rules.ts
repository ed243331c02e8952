import type { Target } from './path.ts';
import { type Grants, grantsOf, type StructureNeed } from './permissions.ts';
import { builtInRoles, type RoleBook } from './role-book.ts';
import { routesOf } from './routes.ts';
import { type Rule, ruleTable } from './rule-table.ts';
import type { Caller } from './verify-token.ts';

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
      if (grants.has(rule.permission) || isStructureOpen(rule.structure, target, grants)) {
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

function isStructureOpen(structure: StructureNeed | undefined, target: Target, grants: Grants): boolean {
  return structure !== undefined && grants.hasStructure(structure, namesIn(target));
}

/**
 * The names that a member may take from a map's or queue's path. The real engine reads `+` as a
 * space, ends a name at an encoded slash and counts the query to the path (reference §3, §6.1), the
 * specification does none of that; a caller must hold every reading.
 */
function namesIn({ sent, path }: Target): string[] {
  const raw = path.split('/', 5)[4] ?? '';
  const withQuery = sent.split('/', 5)[4] ?? '';
  const name = decodeURIComponent(raw);
  const byEngine = decodeURIComponent(withQuery.replaceAll('+', ' '));
  return [name, byEngine.split('/', 1)[0] ?? ''];
}
