/** What a role of one's own begins with that is to be like a built-in one. */
import { loadOperations } from '../../../admin-api/load-operations.ts';
import type { AnyOperation } from '../../../configuration/object-kinds.ts';
import { mayRun, scopeOf } from '../../../operations/access-check.ts';
import type { Actor } from '../../../operations/actor.ts';
import { builtIn, type PermissionsOf } from '../../../operations/privileges.ts';
import { memberScopes } from '../granted-access.ts';

export interface RoleCopy {
  readonly permissions: readonly string[];
  /** Each would open more of this console than the built-in role does. */
  readonly leftOut: readonly string[];
}

/** @returns undefined for a role that is not built in: that is made of permissions already */
export async function copyOfBuiltIn(
  role: string,
  permissionsOf: PermissionsOf,
): Promise<RoleCopy | undefined> {
  if (!builtIn.includes(role)) return undefined;
  const operations = (await loadOperations()) as readonly AnyOperation[];
  const opened = permissionsOf(role) ?? [];
  const { whole, part } = consoleScopes(role, operations, permissionsOf);
  return {
    permissions: [...(opened === 'all' ? memberScopes : opened), ...whole],
    leftOut: part,
  };
}

/** A permission opens all operations of its object that read, or all that write: a built-in role may have some of them. */
function consoleScopes(role: string, operations: readonly AnyOperation[], permissionsOf: PermissionsOf) {
  const pages: Actor = { kind: 'user', id: '', via: 'page', roles: [role], scopes: [] };
  // Permissions count for tokens too.
  const tokens: Actor = { ...pages, via: 'api' };
  const isOpen = new Map<string, { readonly always: boolean; readonly onPages: boolean }[]>();
  for (const operation of operations) {
    if (operation.access === 'own') continue;
    const scope = scopeOf(operation);
    const [always, onPages] = [tokens, pages].map((actor) => mayRun(operation, actor, { permissionsOf }));
    isOpen.set(scope, [...(isOpen.get(scope) ?? []), { always: always!, onPages: onPages! }]);
  }
  const scopes = [...isOpen.keys()].sort();
  const whole = scopes.filter((scope) => isOpen.get(scope)!.every(({ always }) => always));
  const part = scopes.filter(
    (scope) => !whole.includes(scope) && isOpen.get(scope)!.some(({ onPages }) => onPages),
  );
  return whole.length === scopes.length ? { whole: ['api:*:read', 'api:*:write'], part } : { whole, part };
}
