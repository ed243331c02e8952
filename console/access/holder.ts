/** What a user, a client, or somebody with these roles and scopes would bring along to a call. */
import type { Holder } from '../../member-proxy/explain.ts';
import type { CustomRoles } from '../accounts/custom-roles.ts';
import type { Users } from '../accounts/users.ts';
import { ProblemError, problems } from '../errors.ts';
import { machineRoles } from '../oidc/access-token.ts';
import type { Clients } from '../oidc/clients.ts';

export interface AskedHolder {
  readonly user?: string | undefined;
  readonly client?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
}

export interface HolderDeps {
  readonly users: Pick<Users, 'findByName'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly roles: Pick<CustomRoles, 'names'>;
}

/** @throws {ProblemError} `not_found`, `invalid_request` */
export function holderOf(
  { user, client, roles = [], scopes = [] }: AskedHolder,
  { users, clients, roles: known }: HolderDeps,
): Holder {
  if ([user, client, roles[0]].filter((given) => given !== undefined).length > 1) {
    throw refusal('Say who calls in one way: by a user, by a client, or by roles.');
  }
  if (user !== undefined && scopes.length > 0) {
    throw refusal('A user brings roles along and no scopes: leave the scopes out.');
  }
  if (user !== undefined) return { roles: rolesOfUser(users, user), scopes: [] };
  if (client !== undefined) return machineOf(clients, client, scopes);
  const names = known.names();
  const unknown = roles.find((role) => !names.includes(role));
  if (unknown === undefined) return { roles, scopes };
  throw refusal(`There is no role ${JSON.stringify(unknown)}. There are ${names.join(', ')}.`);
}

function rolesOfUser(users: HolderDeps['users'], name: string): readonly string[] {
  const user = users.findByName(name);
  if (!user) throw new ProblemError(problems.notFound, `There is no user ${JSON.stringify(name)}.`);
  return user.disabled ? [] : user.roles;
}

function machineOf(clients: HolderDeps['clients'], id: string, asked: readonly string[]): Holder {
  const client = clients.find(id);
  if (!client) throw new ProblemError(problems.notFound, `There is no client ${JSON.stringify(id)}.`);
  const foreign = asked.find((scope) => !client.scopes.includes(scope));
  if (foreign !== undefined) throw refusal(`The client ${id} may not ask for ${foreign}.`);
  if (client.disabled) return { roles: [], scopes: [] };
  // Asking for nothing is what makes application-client an administrator; others get what they may ask for.
  const scopes = asked.length > 0 || machineRoles(id, []).length > 0 ? asked : client.scopes;
  return { roles: machineRoles(id, scopes), scopes };
}

function refusal(message: string): ProblemError {
  return new ProblemError(problems.invalidRequest, message);
}
