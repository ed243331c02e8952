import type { Caller } from '../../access-tokens/verify-token.ts';

/** What a call needs, as the scope that opens it: `svc:<group>:read|write`. */
export type Permission = `svc:${PermissionGroup}:${'read' | 'write'}`;
type PermissionGroup = 'cluster' | 'health' | 'data' | 'wan' | 'cp' | 'persistence';

/** A single map or queue, as narrower scopes name it: `svc:map:<name>:read`, `svc:queue:<name>:poll`. */
export interface StructureNeed {
  readonly kind: 'map' | 'queue';
  readonly action: 'read' | 'write' | 'offer' | 'poll' | 'size';
}

/** What a caller's roles and scopes open, worked out once per token. */
export interface Grants {
  has(permission: Permission): boolean;
  /**
   * @param names  every name that some member would read from the path; all of them must be granted
   */
  hasStructure(need: StructureNeed, names: readonly string[]): boolean;
  /** The names, which may end in `*`, of single maps or queues that are open. */
  namesOf(need: StructureNeed): readonly string[];
}

/** Permissions per role; `Admin` has all (docs/surface.md#roles). A role not listed opens nothing. */
export const rolePermissions: Readonly<Record<string, readonly Permission[] | 'all'>> = {
  Admin: 'all',
  Viewer: ['svc:cluster:read', 'svc:health:read', 'svc:data:read', 'svc:wan:read', 'svc:cp:read'],
  MetricsViewer: ['svc:cluster:read', 'svc:health:read'],
};

/** @returns undefined for a role that is not built in, such as `toString` */
export function builtInPermissions(role: string): readonly Permission[] | 'all' | undefined {
  return Object.hasOwn(rolePermissions, role) ? rolePermissions[role] : undefined;
}

/** Roles count only when the token names them; scopes of other services open nothing. */
export function grantsOf(
  { roles, scopes }: Pick<Caller, 'roles' | 'scopes'>,
  permissionsOf: (role: string) => readonly string[] | 'all' | undefined = builtInPermissions,
): Grants {
  const held = roles.map(permissionsOf);
  const opensAll = held.includes('all');
  const permissions = new Set<string>(scopes);
  for (const list of held) {
    if (list !== undefined && list !== 'all') for (const permission of list) permissions.add(permission);
  }
  const structures = [...permissions].filter((permission) => structureScope.test(permission));

  /** By the need of a rule, which is the same object each time. */
  const patterns = new Map<StructureNeed, readonly string[]>();
  function patternsOf(need: StructureNeed): readonly string[] {
    const found = patterns.get(need) ?? structures.flatMap((scope) => patternIn(scope, need) ?? []);
    patterns.set(need, found);
    return found;
  }

  return {
    has: (permission) => opensAll || permissions.has(permission),
    hasStructure(need, names) {
      if (structures.length === 0) return false;
      const open = patternsOf(need);
      return names.every((name) => open.some((pattern) => matches(pattern, name)));
    },
    namesOf: patternsOf,
  };
}

const structureScope = /^svc:(?:map|queue):/;

/** @returns the name in a scope for a single map or queue; undefined when it is for something else */
function patternIn(scope: string, { kind, action }: StructureNeed): string | undefined {
  const [start, end] = [`svc:${kind}:`, `:${action}`];
  const isFor = scope.startsWith(start) && scope.endsWith(end) && scope.length > start.length + end.length;
  return isFor ? scope.slice(start.length, -end.length) : undefined;
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
