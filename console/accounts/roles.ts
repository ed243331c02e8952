/** Roles: the three that every installation has, and those that its administrators make of permissions. */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { RecordTransaction } from '../storage/record-store.ts';
import type { Role } from '../storage/records.ts';
import type { Registry, RegistryTransaction } from '../storage/storage.ts';

/** The built-in roles, strongest first, each with what it opens in words for a page, by a token too. */
export const roleMeanings: Readonly<Record<Role, string>> = {
  Admin: 'Reads and changes everything, on the cluster and here.',
  Viewer: 'Reads cluster information, health, map values, queue sizes and the state of CP and WAN.',
  MetricsViewer: 'Reads cluster information and health.',
};

/** The same of who is signed in at the console itself. */
export const roleDescriptions: Readonly<Record<Role, string>> = {
  ...roleMeanings,
  Viewer:
    'Reads cluster information, health, map values, queue sizes and the state of CP and WAN; on the pages of this console the audit log and jobs too.',
};

/** The built-in ones. */
export const roles = Object.keys(roleMeanings) as readonly Role[];

/** Whether a role is built in. */
export function isRole(name: string): name is Role {
  return Object.hasOwn(roleMeanings, name);
}

/**
 * Whether a custom role may be called so: 1 to 64 letters, digits and `_ . -`, beginning with a letter; nothing that
 * a reader could take for a built-in role, nothing that every object has as a member, and not `none`, which says
 * that there is no role.
 */
export function isCustomRoleName(name: string): boolean {
  const plain = name.toLowerCase().replace(/^role_/, '');
  const isTaken =
    plain === 'none' || name in Object.prototype || roles.some((role) => role.toLowerCase() === plain);
  return /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name) && !isTaken;
}

/** @throws {ProblemError} `invalid_request` for a role that there is not; decided inside the transaction */
export function checkRolesExist(
  source: Pick<RegistryTransaction, 'get' | 'all'>,
  names: Iterable<string>,
): void {
  for (const name of names) {
    if (!isRole(name) && !source.get('roles', name)) throw noRole(name, source);
  }
}

/**
 * The same for roles that somebody is given, who has none that goes in this moment.
 *
 * @throws {ProblemError} `invalid_request`
 */
export async function checkRolesGiven(
  transaction: Pick<RecordTransaction, 'registered'>,
  registry: Pick<Registry, 'all'>,
  names: Iterable<string>,
): Promise<void> {
  for (const name of names) {
    if (!isRole(name) && !(await transaction.registered('roles', name))) throw noRole(name, registry);
  }
}

function noRole(name: string, source: Pick<Registry, 'all'>): ProblemError {
  const known = [...roles, ...source.all('roles').keys()].join(', ');
  return new ProblemError(
    problems.invalidRequest,
    `There is no role ${JSON.stringify(name)}. There are ${known}.`,
  );
}
