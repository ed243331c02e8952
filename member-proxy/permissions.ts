import type { Caller } from './verify-token.ts';

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
}

/** Permissions per role; `Admin` has all (contract, "Access tokens"). A role not listed opens nothing. */
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

  return {
    has: (permission) => opensAll || permissions.has(permission),
    hasStructure: ({ kind, action }, names) =>
      structures.length > 0 &&
      names.every((name) =>
        structures.some((scope) => isOpenedBy(scope, `svc:${kind}:`, name, `:${action}`)),
      ),
  };
}

const structureScope = /^svc:(?:map|queue):/;

function isOpenedBy(scope: string, start: string, name: string, end: string): boolean {
  if (!scope.startsWith(start) || !scope.endsWith(end) || scope.length <= start.length + end.length) {
    return false;
  }
  const pattern = scope.slice(start.length, -end.length);
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
