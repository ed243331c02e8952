/**
 * Custom roles: names for sets of permissions, made by administrators. Tokens carry the name only, and what it
 * opens is looked up when a call comes; a role that is gone opens nothing.
 */
import { ProblemError, problems } from '../../platform/errors.ts';
import type { RoleRecord, UserRecord } from '../storage/records.ts';
import type { RegistryTransaction } from '../storage/storage.ts';
import { checkName, checkPermissions, describedBy, versionOf } from './custom-role-form.ts';
import { isRole, roleMeanings, roles } from './roles.ts';
import { clientValidFrom } from './validity.ts';
import type { AccountRegistry } from './voiding.ts';

export interface NewRole {
  readonly name: string;
  /** In the spelling of scopes: `svc:map:orders-*:read`. */
  readonly permissions: readonly string[];
  /** For people; one line. */
  readonly description?: string | undefined;
}

export type CustomRoles = ReturnType<typeof createCustomRoles>;

export interface CustomRolesDeps {
  readonly registry: AccountRegistry;
  readonly isPermission: (text: string) => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

const mostRoles = 500;

export function createCustomRoles({ registry, isPermission, now }: CustomRolesDeps) {
  const find = (name: string) => registry.get('roles', name);

  return {
    find,
    /** @throws {ProblemError} `not_found` */
    get: (name: string): RoleRecord => find(name) ?? unknownRole(),
    list: (): readonly RoleRecord[] => sorted(registry.all('roles').values()),
    /** Every role that a user can have, the built-in ones first. */
    names: (): readonly string[] => [...roles, ...sorted(registry.all('roles').values()).map(({ id }) => id)],
    /** From memory; undefined for what is no custom role. */
    permissionsOf: (name: string): readonly string[] | undefined => find(name)?.permissions,
    /** In words, for a page; also of a name that stands for nothing any more. */
    meaningOf(name: string): string {
      if (isRole(name)) return roleMeanings[name];
      const role = find(name);
      if (!role) return 'Opens nothing: there is no such role any more.';
      return `${role.description ? `${role.description} ` : ''}At the members: ${role.permissions.join(', ')}.`;
    },
    /** Users who have it, by name. */
    usersWith: (name: string): readonly string[] => usersOf(registry, name).map(({ username }) => username),
    /** @throws {ProblemError} `invalid_request`, `conflict` when the name is taken in whatever case */
    async add({ name, permissions, description }: NewRole): Promise<RoleRecord> {
      checkName(name);
      const role: RoleRecord = {
        id: name,
        permissions: checkPermissions(permissions, isPermission),
        ...describedBy(description),
        createdAt: now(),
      };
      await registry.update((transaction) => {
        checkIsFree(transaction, name);
        transaction.put('roles', role);
      });
      return role;
    },
    /**
     * @param change   what is left out stays
     * @param version  from {@link versionOf}: only when it still is that
     * @throws {ProblemError} `invalid_request`, `not_found`, `precondition_failed`
     */
    update: (
      name: string,
      { permissions, description }: Partial<Omit<NewRole, 'name'>>,
      version?: string,
    ): Promise<RoleRecord> =>
      registry.update((transaction) => {
        const before = unchanged(transaction.get('roles', name), version);
        const after: RoleRecord = {
          ...before,
          ...(permissions && { permissions: checkPermissions(permissions, isPermission) }),
          ...describedBy(description),
        };
        transaction.put('roles', after);
        return after;
      }),
    /**
     * Takes it from everybody who has it, too, and ends their sessions and tokens: were there another of this name
     * one day, it would not be theirs.
     *
     * @returns the names of those who had it
     * @throws {ProblemError} `not_found`, `precondition_failed`; `conflict` while rules of a provider give it
     */
    async remove(name: string, version?: string): Promise<readonly string[]> {
      const held = await registry.update((transaction) => {
        unchanged(transaction.get('roles', name), version);
        checkNoRuleGives(transaction, name);
        const users = usersOf(transaction, name);
        for (const user of users) {
          const left = user.roles.filter((role) => role !== name);
          transaction.put('users', { ...user, roles: left });
        }
        takeFromCeilings(transaction, name, now());
        transaction.remove('roles', name);
        return users;
      });
      return held.map(({ username }) => username);
    },
  };
}

function unchanged(role: RoleRecord | undefined, version: string | undefined): RoleRecord {
  if (!role) return unknownRole();
  if (version === undefined || version === versionOf(role)) return role;
  throw new ProblemError(
    problems.preconditionFailed,
    `The role ${role.id} has changed meanwhile: read it again, and change what is there now.`,
  );
}

/** Names that differ in case alone would be taken for one another. */
function checkIsFree(transaction: RegistryTransaction, name: string): void {
  const all = [...transaction.all('roles').keys()];
  const taken = all.find((other) => other.toLowerCase() === name.toLowerCase());
  if (taken !== undefined) throw conflict(`There is a role ${taken} already.`);
  if (all.length >= mostRoles) throw conflict(`There are ${mostRoles} roles already, and more are not kept.`);
}

/** The rules would give a role that opens nothing, and one day perhaps another of the same name. */
function checkNoRuleGives(transaction: RegistryTransaction, name: string): void {
  for (const provider of transaction.all('providers').values()) {
    if (givesRole(provider.roleRules, name)) {
      throw conflict(
        `Rules of the identity provider ${provider.id} give the role ${name}: change them first.`,
      );
    }
  }
}

/** @param roleRules  as the registry has it; its form belongs to the connectors */
function givesRole(roleRules: unknown, name: string): boolean {
  const { rules, defaultRole } = (roleRules ?? {}) as {
    rules?: readonly { role?: unknown }[];
    defaultRole?: unknown;
  };
  return defaultRole === name || (Array.isArray(rules) && rules.some((rule) => rule?.role === name));
}

/** An application that gets at most this role would one day get another of the same name. */
function takeFromCeilings(transaction: RegistryTransaction, name: string, at: number): void {
  for (const client of transaction.all('clients').values()) {
    if (!client.maxRoles?.includes(name)) continue;
    const maxRoles = client.maxRoles.filter((role) => role !== name);
    transaction.put('clients', { ...client, maxRoles, tokensValidFrom: clientValidFrom(client, at) });
  }
}

function usersOf(source: Pick<RegistryTransaction, 'all'>, name: string): readonly UserRecord[] {
  return [...source.all('users').values()].filter((user) => user.roles.includes(name));
}

function sorted(all: Iterable<RoleRecord>): readonly RoleRecord[] {
  return [...all].sort((one, other) => one.id.localeCompare(other.id));
}

function unknownRole(): never {
  throw new ProblemError(problems.notFound, 'There is no custom role of this name.');
}

function conflict(detail: string): ProblemError {
  return new ProblemError(problems.conflict, detail);
}
