/** What roles open, as it is now and not as it was when a token was issued. */
import { builtInPermissions } from './permissions.ts';

/**
 * Read on each call through the rules. The console's process answers from the
 * registry; a proxy in a process of its own can fill one from whatever events it is sent, by
 * {@link createRoleBook}: `customPermissions` from the newest events, `onChange` when they have come.
 */
export interface RoleBook {
  /**
   * @param role  a name from a token, and thus possibly one that nobody has defined
   * @returns permissions in the spelling of scopes, `all`, or undefined: such a role opens nothing
   */
  permissionsOf(role: string): readonly string[] | 'all' | undefined;
  /** @returns a function that ends the subscription */
  onChange(listener: () => void): () => void;
}

export interface RoleBookDeps {
  /** What a role that is not built in opens now; undefined for one that nobody has defined. From memory. */
  readonly customPermissions: (role: string) => readonly string[] | undefined;
  readonly onChange: RoleBook['onChange'];
}

/** The built-in roles alone (docs/surface.md#roles). */
export const builtInRoles: RoleBook = {
  permissionsOf: builtInPermissions,
  onChange: () => () => {},
};

/** The built-in roles, which no definition can change, and those that an administrator has made. */
export function createRoleBook({ customPermissions, onChange }: RoleBookDeps): RoleBook {
  return {
    permissionsOf: (role) => builtInPermissions(role) ?? customPermissions(role),
    onChange,
  };
}
