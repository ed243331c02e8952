/** What a user, a machine, a user of an application, or somebody with these roles and scopes would bring along to a call. */
import type { Principal } from '../../member-proxy/authorization/explain.ts';
import { ProblemError, problems } from '../../platform/errors.ts';
import type { CustomRoles } from '../accounts/custom-roles.ts';
import { effectiveRoles } from '../accounts/elevations/effective-roles.ts';
import type { Users } from '../accounts/users.ts';
import type { Clients } from '../clients/clients.ts';
import { rolesAt, rolesOfMachine } from '../clients/role-ceiling.ts';
import { machineRoles } from '../clients/scopes.ts';
import type { ClientRecord } from '../storage/records.ts';

export interface PrincipalQuery {
  readonly user?: string | undefined;
  readonly client?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
}

export interface PrincipalDeps {
  readonly users: Pick<Users, 'findByName'>;
  readonly clients: Pick<Clients, 'find'>;
  readonly roles: Pick<CustomRoles, 'names'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** @throws {ProblemError} `not_found`, `invalid_request` */
export async function principalOf(
  { user, client, roles = [], scopes = [] }: PrincipalQuery,
  { users, clients, roles: known, now }: PrincipalDeps,
): Promise<Principal> {
  if (roles.length > 0 && (user !== undefined || client !== undefined)) {
    throw invalid('Say who calls in one way: by a user, by a client, by a user at a client, or by roles.');
  }
  if (user !== undefined && client !== undefined) {
    return {
      roles: rolesAtApplication(
        await rolesOfUser(users, user, now()),
        await clientOf(clients, client, scopes),
        scopes,
      ),
      scopes: [],
    };
  }
  if (user !== undefined && scopes.length > 0) {
    throw invalid('A user brings roles along and no scopes: leave the scopes out, or say the client too.');
  }
  if (user !== undefined) return { roles: await rolesOfUser(users, user, now()), scopes: [] };
  if (client !== undefined) return principalAt(await clientOf(clients, client, scopes), scopes);
  const names = known.names();
  const unknown = roles.find((role) => !names.includes(role));
  if (unknown === undefined) return { roles, scopes };
  throw invalid(`There is no role ${JSON.stringify(unknown)}. There are ${names.join(', ')}.`);
}

async function rolesOfUser(
  users: PrincipalDeps['users'],
  name: string,
  nowMs: number,
): Promise<readonly string[]> {
  const user = await users.findByName(name);
  if (!user) throw new ProblemError(problems.notFound, `There is no user ${JSON.stringify(name)}.`);
  return user.disabled ? [] : effectiveRoles(user, nowMs);
}

/** @throws {ProblemError} `not_found`, `invalid_request` for a scope that it may not ask for */
async function clientOf(
  clients: PrincipalDeps['clients'],
  id: string,
  asked: readonly string[],
): Promise<ClientRecord> {
  const client = await clients.find(id);
  if (!client) throw new ProblemError(problems.notFound, `There is no client ${JSON.stringify(id)}.`);
  const foreign = asked.find((scope) => !client.scopes.includes(scope));
  if (foreign !== undefined) throw invalid(`The client ${id} may not ask for ${foreign}.`);
  return client;
}

/** A machine by itself; an application by whoever has most, which is the most that it gets of anybody. */
function principalAt(client: ClientRecord, asked: readonly string[]): Principal {
  if (!client.grantTypes.includes('client_credentials')) {
    return { roles: rolesAtApplication(['Admin'], client, asked), scopes: [] };
  }
  if (client.disabled) return { roles: [], scopes: [] };
  // Asking for nothing is what makes application-client an administrator; others get what they may ask for.
  const scopes = asked.length > 0 || machineRoles(client.id, []).length > 0 ? asked : client.scopes;
  return { roles: rolesOfMachine(client, scopes), scopes };
}

/** @param asked  without any, those that bring most */
function rolesAtApplication(
  roles: readonly string[],
  client: ClientRecord,
  asked: readonly string[],
): readonly string[] {
  if (client.disabled || !client.grantTypes.includes('authorization_code')) return [];
  const scopes = asked.length > 0 ? asked : ['profile'];
  return rolesAt(client, roles, { scopes, granted: scopes });
}

function invalid(message: string): ProblemError {
  return new ProblemError(problems.invalidRequest, message);
}
